/**
 * The whole service in this process: a fleet of CPU engines, emulated devices, hardware of a vendor, agents, the TPU
 * fleet and the classifier, composed as `compose.ts` does, with the test's stores and clock.
 */
import { Fleet } from '../../../src/fleet/fleet.ts';
import { isSimulator } from '../../../src/fleet/processor.ts';
import { HardwareProcessor } from '../../../src/hardware/hardware-processor.ts';
import { JobRunner } from '../../../src/jobs/job-runner.ts';
import { ServiceMetrics } from '../../../src/service/metrics/service-metrics.ts';
import { servedProcessors, type Violation } from '../../../src/service/served-processor.ts';
import { ModelRegistry } from '../../../src/workloads/models/model-registry.ts';
import { readArtefact } from '../../../src/workloads/models/qnn-hybrid/artefact-file.ts';
import { QnnHybrid } from '../../../src/workloads/models/qnn-hybrid/qnn-hybrid.ts';
import { TextModel } from '../../../src/workloads/models/text-generation/text-model.ts';
import { Workloads } from '../../../src/workloads/workloads.ts';
import { openKinds } from '../../service/support/test-kinds.ts';
import { openTestService, START, type TestService } from '../../service/support/test-service.ts';
import { eventually } from '../../support/eventually.ts';
import { MemoryJobStore } from '../../support/memory-job-store.ts';
import { GoldenCalls } from './golden-calls.ts';
import { GoldenVendor } from './golden-vendor.ts';

/** What decides limits and texts is not read off the machine that the test runs on. */
const MACHINE = { cpuModel: 'a CPU', numCores: 2, memoryBytes: 2 ** 33 };
const now = () => START;
const UNLIMITED = 100_000;

/** The service under test. */
export interface GoldenService extends AsyncDisposable {
  readonly service: TestService;
}

/** Opens the service once everything has passed its self-test. */
export async function openGoldenService(): Promise<GoldenService> {
  const hardware = new HardwareProcessor({
    provider: new GoldenVendor(),
    maxJobs: 1,
    queueLimit: 10,
    maxGates: 10_000,
    maxShots: 1_000_000,
    refreshMs: 3_600_000,
    timeoutMs: 60_000,
    times: { firstPollMs: 1, longestPollMs: 1, firstRetryMs: 1, longestRetryMs: 1 },
    now,
  });
  const fleet = new Fleet({
    machine: MACHINE,
    engine: 'cpu',
    // With more, what an engine has kept of earlier circuits would depend on which thread was free.
    numThreads: 1,
    memoryBytes: 256 * 2 ** 20,
    maxQubits: 18,
    maxShots: 100_000,
    maxGates: 1000,
    queueLimit: UNLIMITED,
    emulators: ['iqm-garnet', 'ibm-fez'],
    hardware,
    now,
    discover: async () => ({ adapters: [] }),
  });
  await Promise.all([hardware.check(), fleet.start()]);
  const metrics = new ServiceMetrics(() => 0);
  const violations: Violation[] = [];
  const served = servedProcessors(fleet, metrics.engines, (each) => violations.push(each));
  const simulators = served.processors.filter(isSimulator);
  const byPrecision = (first: 'f32' | 'f64') =>
    simulators.toSorted(
      (a, b) => Number(b.spec.precision === first) - Number(a.spec.precision === first),
    );
  const models = new ModelRegistry({
    classifier: new QnnHybrid({ artefact: readArtefact(), processors: byPrecision('f32'), now }),
    text: new TextModel({ upstream: undefined, now }),
  });
  await Promise.all(models.models.map((model) => model.start()));
  const workloads = new Workloads({
    processors: simulators,
    pool: new GoldenCalls(byPrecision('f64')),
    queueLimit: UNLIMITED,
    now,
  });
  await workloads.start();
  const { kinds, readers } = openKinds({ fleet: served, now, jobs: () => runner, workloads });
  const unexpected: unknown[] = [];
  const runner: JobRunner = new JobRunner({
    store: new MemoryJobStore(),
    handlers: kinds,
    now,
    onUnexpectedError: (error) => unexpected.push(error),
  });
  const service = await openTestService({
    fleet: served,
    devices: fleet.deviceDirectory,
    metrics,
    models,
    workloads,
    jobs: runner,
    kinds,
    readers,
    now,
  });
  return {
    service,
    async [Symbol.asyncDispose]() {
      await runner.shutdown(0);
      await service[Symbol.asyncDispose]();
      await workloads.close();
      await models.close();
      await fleet.close();
      await hardware.close();
      if (violations.length > 0 || unexpected.length > 0) {
        throw new AggregateError([...violations.map(({ error }) => error), ...unexpected]);
      }
    },
  };
}

/** A request, its path below the origin. */
export interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Headers that belong to an answer as much as its body. */
const TOLD = ['location', 'preference-applied', 'idempotent-replayed', 'retry-after', 'allow'];

/** An answer as it came. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends a request. */
export async function send(
  { service }: GoldenService,
  { method, path, body, headers }: Sent,
): Promise<Answer> {
  const isText = typeof body === 'string';
  const answer = await service.app.inject({
    method,
    url: path,
    headers: {
      ...(path.startsWith('/v0.4/')
        ? { authorization: `apiKey ${service.key}` }
        : { 'x-api-key': service.key }),
      'x-request-id': 'golden',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: isText ? body : JSON.stringify(body) }),
  });
  const told = TOLD.flatMap((name) => {
    const value = answer.headers[name];
    return value === undefined ? [] : [[name, String(value)]];
  });
  return { status: answer.statusCode, headers: Object.fromEntries(told), text: answer.body };
}

const FINAL: readonly unknown[] = ['completed', 'failed', 'cancelled', 'canceled'];

/** Waits until the job at that path has ended. */
export async function ended(golden: GoldenService, path: string): Promise<void> {
  await eventually(async () => {
    const { text } = await send(golden, { method: 'GET', path });
    const read = JSON.parse(text);
    return FINAL.includes((read.data ?? read).status);
  });
}
