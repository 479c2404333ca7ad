/**
 * The service as a fastify application. It does not listen by itself, so tests can call it through
 * `inject()`.
 *
 * Order matters here, because hooks run in the order of registration: the key is checked before an unknown
 * path is answered, and both before a body is read. Routes come last, because plugins record them.
 */
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { StorageUnwritableError } from '../storage/errors.ts';
import { batchRoutes } from './batches/batch-routes.ts';
import {
  circuitRoutes,
  compileRoutes,
  noiseModelRoutes,
  operationRoutes,
} from './circuits/circuit-routes.ts';
import { consoleRoutes } from './documents/console-page.ts';
import { registerDocumentation } from './documents/documentation.ts';
import { estimateRoutes } from './estimates/estimate-routes.ts';
import { experimentRoutes } from './experiments/experiment-routes.ts';
import { registerAuthentication } from './http/authentication.ts';
import { registerCompression } from './http/compression.ts';
import { connectionTimeouts, registerConnections } from './http/connections.ts';
import { registerCrossOrigin } from './http/cross-origin.ts';
import { createEnvelopes, SECURITY_HEADERS } from './http/envelope.ts';
import {
  createClientErrorHandler,
  createErrorAnswer,
  registerErrorAnswers,
} from './http/error-answers.ts';
import { WorkerNodeError } from './http/errors.ts';
import { registerJsonBody } from './http/json-body.ts';
import { API_PREFIX, IONQ_PREFIX, pathOf, registerNotFound } from './http/not-found.ts';
import type { RouteContext } from './http/route-context.ts';
import { registerResponseCheck, registerValidation } from './http/validation.ts';
import { ionqRoutes } from './ionq/ionq-routes.ts';
import { OpenStreams } from './jobs/job-event-stream.ts';
import { jobEventRoutes } from './jobs/record-routes.ts';
import { JobSubmissions } from './jobs/submit-job.ts';
import { auditRoutes, keyRoutes } from './keys/key-routes.ts';
import { KeyWatch } from './keys/key-watch.ts';
import { mcpRoutes } from './mcp/mcp-routes.ts';
import { METRICS_PATH, metricsRoutes } from './metrics/metrics-routes.ts';
import { demoRoutes } from './models/demo-routes.ts';
import { modelRoutes } from './models/model-routes.ts';
import type { LoggerOptions, ServiceDeps } from './service-deps.ts';
import { sampleOf } from './systems/load-view.ts';
import { restoreMaintenance } from './systems/maintenance.ts';
import { fleetDeviceRoutes, processorRoutes } from './systems/processor-routes.ts';
import { serviceStatusRoutes } from './systems/status-routes.ts';
import { systemRoutes } from './systems/system-routes.ts';
import { agentRoutes } from './work/agent-routes.ts';
import { tpuRoutes } from './work/tpu-routes.ts';

/** Greatest length of a path segment, characters; ids have about 40. */
const MAX_PARAM_LENGTH = 200;

/**
 * Builds the application and restores the maintenance of processors and devices.
 *
 * @returns An application ready for `inject()` and `listen()`; the caller closes it.
 */
export async function buildApp(given: ServiceDeps): Promise<FastifyInstance> {
  const { settings, now, metrics } = given;
  const deps = { ...given, models: metrics.overModels(given.models) };
  const envelopes = createEnvelopes({ version: settings.version, now });
  const answerError = createErrorAnswer(envelopes, settings.bodyLimitBytes, (error) =>
    metrics.http.countError(error),
  );
  const app = Fastify({
    logger: withoutSecrets(deps.logger),
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'request_id',
    }),
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    bodyLimit: settings.bodyLimitBytes,
    // While closing, requests on kept connections are answered 503 in this service's own envelope.
    return503OnClosing: false,
    ...connectionTimeouts(settings.requestTimeoutMs),
    trustProxy: settings.trustedProxies.length === 0 ? false : [...settings.trustedProxies],
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (error, request, reply) => {
      answerError(error, request, reply);
      metrics.http.countUnrouted(request, reply);
    },
    clientErrorHandler: createClientErrorHandler(envelopes, randomUUID),
  });
  registerConnections(app, settings);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, ...SECURITY_HEADERS });
  });
  registerRequestLog(app);
  metrics.http.watch(app);
  metrics.history.start(() => sampleOf(deps));
  app.addHook('onClose', async () => metrics.close());
  registerErrorAnswers(app, answerError);
  if (settings.role === 'worker') refuseRequests(app);
  await registerCrossOrigin(app, settings.corsOrigins);
  registerJsonBody(app, deps.readers, settings.bodyLimitBytes);
  registerValidation(app);
  registerAuthentication(app, deps);
  registerNotFound(app);
  if (deps.onInvalidResponse !== undefined) registerResponseCheck(app, deps.onInvalidResponse);
  registerCompression(app);
  await registerDocumentation(app, settings.version);
  consoleRoutes(app, deps.demoFacts);
  metricsRoutes(app, deps);
  mcpRoutes(app, deps);
  healthRoutes(app, deps);
  const streams = new OpenStreams();
  const keyWatch = new KeyWatch(deps, streams);
  keyWatch.start(app);
  await app.register(
    async (scope) => {
      const api = scope.withTypeProvider<ZodTypeProvider>();
      const context: RouteContext = { deps, envelopes };
      serviceStatusRoutes(api, context);
      processorRoutes(api, context);
      fleetDeviceRoutes(api, context);
      operationRoutes(api, context);
      noiseModelRoutes(api, context);
      circuitRoutes(api, context);
      batchRoutes(api, context);
      experimentRoutes(api, context);
      jobEventRoutes(api, context, streams);
      compileRoutes(api, context);
      estimateRoutes(api, context);
      modelRoutes(api, context);
      const tasks = new JobSubmissions(deps, envelopes, deps.kinds.task);
      systemRoutes(api, context, tasks);
      agentRoutes(api, context, tasks);
      tpuRoutes(api, context);
      demoRoutes(api, context);
      keyRoutes(api, context, keyWatch);
      auditRoutes(api, context);
    },
    { prefix: API_PREFIX },
  );
  await app.register(
    async (scope) => ionqRoutes(scope.withTypeProvider<ZodTypeProvider>(), { deps, envelopes }),
    { prefix: IONQ_PREFIX },
  );
  try {
    await restoreMaintenance(deps);
  } catch (error) {
    // A database that cannot be reached is read by `startService` once it can.
    if (!(error instanceof StorageUnwritableError)) throw error;
  }
  await app.ready();
  return app;
}

/** The caller's own request id if it is well-formed, otherwise a new one. */
function requestId(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(header)
    ? header
    : randomUUID();
}

/** Headers with secrets, redacted wherever a log line contains headers. */
const SECRETS = ['x-api-key', 'authorization', 'cookie'].flatMap((name) => [
  `headers["${name}"]`,
  `*.headers["${name}"]`,
]);

/** Adds redaction to the logger's options. */
function withoutSecrets(options: LoggerOptions): NonNullable<FastifyServerOptions['logger']> {
  return options === false ? false : { ...options, redact: SECRETS };
}

/** Logs a line for each answered request: the path without query, the key's public id without headers. */
function registerRequestLog(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const line = {
      method: request.method,
      path: pathOf(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...(request.caller === undefined ? {} : { key_id: request.caller.key.id }),
    };
    if (reply.statusCode >= 500) request.log.warn(line, 'request');
    else request.log.info(line, 'request');
  });
}

// Health checks for supervisors and load balancers, without a key. `/healthz` reports whether the process is
// alive, `/readyz` whether it accepts work. Answers are one word of plain text; a node of a cluster that is not
// ready adds the reason.

/** Not counted: probes come every few seconds, often from the address of a proxy. */
const PROBE = { config: { isUncounted: true }, schema: { hide: true } };

/** Paths of the health checks: of the process, and of its readiness. */
export const HEALTH_PATHS = ['/healthz', '/readyz'] as const;

const [ALIVE, READY] = HEALTH_PATHS;

/** Registers `/healthz` and `/readyz`. */
function healthRoutes(
  app: FastifyInstance,
  {
    fleet,
    jobs,
    storageFault,
    nodeFault,
    isWarm = () => true,
  }: Pick<ServiceDeps, 'fleet' | 'jobs' | 'storageFault' | 'nodeFault' | 'isWarm'>,
): void {
  app.get(ALIVE, PROBE, async (_request, reply) =>
    reply.header('cache-control', 'no-store').type('text/plain').send('alive\n'),
  );
  app.get(READY, PROBE, async (_request, reply) => {
    const reason = nodeFault?.();
    const canRun = fleet.processors.some((processor) => processor.availability().available);
    const mayRun = canRun && isWarm() && !jobs.isShuttingDown;
    const isReady = reason === undefined && mayRun && storageFault() === undefined;
    const unready = reason === undefined ? 'unready' : `unready: ${reason}`;
    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .type('text/plain')
      .send(`${isReady ? 'ready' : unready}\n`);
  });
}

// A node with the role `worker` runs jobs of a cluster. It answers health checks and metrics. Every other request is
// refused with an explanation: somebody has listed the node in a load balancer, or called it directly.

const ANSWERED: ReadonlySet<string | undefined> = new Set([...HEALTH_PATHS, METRICS_PATH]);

/** Refuses all requests but those for health and metrics. Call it before keys are checked and paths are looked up. */
function refuseRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    // The route's pattern, which is undefined for unknown paths.
    if (!ANSWERED.has(request.routeOptions.url)) throw new WorkerNodeError();
  });
}
