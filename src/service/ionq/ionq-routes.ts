/**
 * IonQ's interface, version 0.4, so that the clients that people have for it run unchanged.
 *
 * It is another vendor's interface: its paths, answers and errors are IonQ's, and docs/openapi.json does not list them.
 * Keys, scopes, limits, queue and storage are this service's own.
 */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { circuitCost } from '../../compiler/cost-model.ts';
import { runWork } from '../../fleet/schedule/scheduled-run.ts';
import { callerOf } from '../http/authentication.ts';
import { isoTime } from '../http/envelope.ts';
import { IonqSessionNotFoundError } from '../http/errors.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import {
  characterizationsOf,
  findBackend,
  IONQ_BACKENDS,
  runningProcessors,
  viewBackend,
} from './ionq-backends.ts';
import { ionqJobRoutes } from './ionq-job-routes.ts';
import { uuidOfKey } from './ionq-job-view.ts';
import { type IonqSession, sessionSettings } from './ionq-sessions.ts';

const SCOPE = { scope: 'circuits' } as const;
const HIDDEN = { hide: true } as const;

const whole = (least: number, most: number, byDefault: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, { error: 'Must be a whole number' })
    .transform(Number)
    .pipe(z.int().min(least).max(most))
    .default(byDefault);

const estimateQuery = z.looseObject({
  backend: z.string(),
  type: z.string().default('ionq.circuit.v1'),
  qubits: whole(1, 64, 25),
  shots: whole(1, 1_000_000, 1000),
  '1q_gates': whole(0, 2 ** 31 - 1, 0),
  '2q_gates': whole(0, 2 ** 31 - 1, 0),
  error_mitigation: z.string().default('false'),
});
type EstimateQuery = z.output<typeof estimateQuery>;

const sessionBody = z.looseObject({ backend: z.string(), settings: sessionSettings.nullish() });

/** Name for the organization that sessions belong to. */
const ORGANIZATION = 'quantum-compute-service';

/** Registers the routes below `/v0.4`. */
export function ionqRoutes(app: ServiceApp, context: RouteContext): void {
  const { deps } = context;
  const { fleet, now, ionqSessions: sessions } = deps;
  const keyOf = (request: FastifyRequest) => callerOf(request).key;
  const param = (request: FastifyRequest, name: string): string =>
    String(Object(request.params)[name] ?? '');

  // pennylane-ionq sends JSON without saying so.
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    headers['content-type'] ??= 'application/json';
  });

  ionqJobRoutes(app, context);

  app.get('/backends', { schema: HIDDEN }, async (_request, reply) =>
    reply.send(IONQ_BACKENDS.map((name) => viewBackend(name, fleet, now()))),
  );

  // qiskit-ionq asks for a backend without a key.
  app.get('/backends/:backend', { schema: HIDDEN }, async (request, reply) =>
    reply.send(viewBackend(findBackend(param(request, 'backend')), fleet, now())),
  );

  app.get('/backends/:backend/characterizations', { schema: HIDDEN }, async (request, reply) => {
    const name = findBackend(param(request, 'backend'));
    return reply.send({ characterizations: characterizationsOf(name, fleet, now()), pages: 0 });
  });

  app.get(
    '/backends/:backend/characterizations/:id',
    { schema: HIDDEN },
    async (request, reply) => {
      const name = findBackend(param(request, 'backend'));
      const id = param(request, 'id');
      const found = characterizationsOf(name, fleet, now()).find((each) => each.id === id);
      if (found === undefined) return reply.callNotFound();
      return reply.send(found);
    },
  );

  app.get(
    '/jobs/estimate',
    { config: SCOPE, schema: { ...HIDDEN, querystring: estimateQuery } },
    async (request, reply) => {
      const { query } = request;
      const backend = findBackend(query.backend);
      const [processor] = runningProcessors(backend, fleet);
      const executionMs = Math.round(processor?.expectedRun(workOf(query))?.ms ?? 0);
      const queueMs = Math.round(processor?.load().expectedWaitMs ?? 0);
      const mitigates = query.error_mitigation === 'true';
      const own = {
        backend,
        type: query.type,
        qubits: query.qubits,
        shots: query.shots,
        '1q_gates': query['1q_gates'],
        '2q_gates': query['2q_gates'],
        error_mitigation: mitigates,
      };
      return reply.send({
        estimate_context: { ...own, organization: null, project: null },
        estimated_at: isoTime(now()),
        estimated_unit: 'usd',
        // Jobs cost nothing here.
        rate_card: { id: 'free', rates: [] },
        estimated_total_cost: 0,
        estimated_execution_time: executionMs,
        current_predicted_queue_time: queueMs,
        // The names that qiskit-ionq reads, of an earlier version of the document.
        input_values: { ...own, session: false },
        estimated_cost: 0,
        cost_unit: 'usd',
        rate_information: {},
      });
    },
  );

  app.get('/whoami', { config: SCOPE, schema: HIDDEN }, async (request, reply) => {
    const { id, name } = keyOf(request);
    const uuid = uuidOfKey(id);
    return reply.send({ key_id: uuid, key_name: name, project_id: uuid });
  });

  const findSession = async (request: FastifyRequest): Promise<IonqSession> => {
    const id = param(request, 'id');
    const session = await sessions.find(id, keyOf(request).id);
    if (session === undefined) throw new IonqSessionNotFoundError(id);
    return session;
  };

  app.post(
    '/sessions',
    { config: SCOPE, schema: { ...HIDDEN, body: sessionBody } },
    async (request, reply) => {
      const { backend, settings } = request.body;
      const created = await sessions.create({
        keyId: keyOf(request).id,
        backend: findBackend(backend),
        settings: settings ?? {},
        createdAt: now(),
      });
      return reply.code(201).send(viewSession(created, now()));
    },
  );

  app.get('/sessions', { config: SCOPE, schema: HIDDEN }, async (request, reply) => {
    const { active }: { readonly active?: unknown } = Object(request.query);
    const listed = await sessions.list(keyOf(request).id);
    const all = listed.map((session) => viewSession(session, now()));
    const shown = all.filter(
      (session) => active === undefined || String(session.active) === active,
    );
    return reply.send({ organization_id: ORGANIZATION, sessions: shown });
  });

  app.get('/sessions/:id', { config: SCOPE, schema: HIDDEN }, async (request, reply) =>
    reply.send(viewSession(await findSession(request), now())),
  );

  app.post('/sessions/:id/end', { config: SCOPE, schema: HIDDEN }, async (request, reply) => {
    const { id, keyId } = await findSession(request);
    await sessions.end(id, keyId, now());
    return reply.send(viewSession(await findSession(request), now()));
  });
}

/** Work of a circuit of which only the numbers of gates are known. */
function workOf(query: EstimateQuery) {
  const { qubits, shots } = query;
  const [ones, twos] = [query['1q_gates'], query['2q_gates']];
  const costOf = (controls: readonly number[]) =>
    circuitCost({
      numQubits: Math.max(2, qubits),
      numBits: 0,
      operations: [{ kind: 'gate', gate: 'H', controls, targets: [0], angles: [] }],
    });
  const gateCost = ones * costOf([]) + twos * costOf([1]);
  const work = { numQubits: qubits, numOperations: ones + twos, gateCost, isBranching: false };
  return runWork(work, { shots, seed: 0 });
}

function viewSession(session: IonqSession, now: number) {
  const { id, keyId, backend, settings, createdAt, startedAt, endsAt } = session;
  const hasEnded = endsAt !== undefined && endsAt <= now;
  const time = (ms: number | undefined) => (ms === undefined ? null : isoTime(ms));
  const { job_count_limit: jobs, duration_limit_min: minutes, cost_limit: cost } = settings;
  return {
    id,
    created_at: isoTime(createdAt),
    organization_id: ORGANIZATION,
    backend,
    project_id: uuidOfKey(keyId),
    creator_id: keyId,
    ended_at: hasEnded ? isoTime(endsAt) : null,
    ender_id: hasEnded ? keyId : null,
    settings: {
      ...(jobs != null && { job_count_limit: jobs }),
      ...(minutes != null && { duration_limit_min: minutes }),
      ...(cost != null && { cost_limit: { value: cost.value, unit: cost.unit ?? 'usd' } }),
      ...(endsAt !== undefined && !hasEnded && { expires_at: isoTime(endsAt) }),
    },
    active: !hasEnded,
    status: hasEnded ? 'ended' : startedAt === undefined ? 'created' : 'started',
    started_at: time(startedAt),
  };
}
