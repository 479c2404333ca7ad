/**
 * Writes docs/recorded-answers.json: one real answer to each operation of the interface, and one to each
 * kind of mistake, from a service that is started for it. The OpenAPI document shows them as examples.
 * `npm run record` makes them anew after a change of an answer's form; a test says when that is due.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { RecordedAnswers } from '../src/service/http/openapi-document.ts';
import {
  BATCHES,
  CIRCUITS,
  EXPERIMENTS,
  type JobResource,
  TASKS,
  TPU_JOBS,
} from '../src/service/jobs/job-resources.ts';
import { startServiceProcess, temporaryFolder } from '../test/support/service-process.ts';

const FILE = new URL('../docs/recorded-answers.json', import.meta.url);
/** Lists are cut to this length: their elements have the same form. */
const MAX_LISTED = 2;
/** Jobs queued before the one that is cancelled. */
const NUM_BEFORE = 80;
/** Replaces secrets in the recorded file. */
const SECRET = 'f'.repeat(64);
const BELL = {
  circuit: [
    { gate: 'H', qubit: 0 },
    { gate: 'CX', control: 0, target: 1 },
    { gate: 'M', qubits: [0, 1] },
  ],
  target_processor: 'statevector-sim',
  shots: 1000,
  seed: 7,
  name: 'Bell pair',
  tags: ['demo'],
};
const BATCH = {
  target_processor: 'statevector-sim',
  seed: 7,
  programs: [
    {
      name: 'sweep',
      circuit: [
        { gate: 'RY', qubit: 0, theta: { input: 'a' } },
        { gate: 'CX', control: 0, target: 1 },
      ],
      inputs: { a: [0, 0.5, 1] },
      observables: [{ pauli: 'Z0' }, { pauli: 'X0 X1' }],
      return: ['expectation', 'gradient'],
    },
    { name: 'bell', circuit: BELL.circuit, shots: 1000 },
  ],
};
/** A repetition code of distance 3 with bit flips. */
const EXPERIMENT = {
  tasks: [
    {
      stim: [
        'X_ERROR(0.1) 0 2 4',
        'CX 0 1 2 3 2 1 4 3',
        'M 1 3 0 2 4',
        'DETECTOR rec[-5]',
        'DETECTOR rec[-4]',
        'OBSERVABLE_INCLUDE(0) rec[-1]',
        '',
      ].join('\n'),
      metadata: { d: 3, p: 0.1 },
    },
  ],
  max_shots: 100_000,
  max_errors: 500,
  seed: 7,
};
/** A circuit that takes long enough to be cancelled. */
const LONG = { ...BELL, circuit: wideCircuit(), shots: 1_000_000, seed: 1 };
const FLOWER = { input: [6.8, 3, 5.5, 2.1] };
const LATER = { prefer: 'respond-async' };
const GROUND_STATE = { task: 'vqe', input: { problem: 'h2' } };
const TPU_JOB = { job_type: 'optimization', tpu_type: 'v4', zone: 'us-central2-b' };

function wideCircuit(): readonly object[] {
  const qubits = Array.from({ length: 24 }, (_, qubit) => qubit);
  const layer = (index: number) => [
    ...qubits.map((qubit) => ({ gate: 'RX', qubit, theta: 0.1 + 0.01 * index + 0.03 * qubit })),
    ...qubits.slice(1).map((qubit) => ({ gate: 'CX', control: qubit - 1, target: qubit })),
  ];
  return [...Array.from({ length: 40 }, (_, index) => layer(index)).flat(), { gate: 'M', qubits }];
}

const envelope = z.looseObject({ data: z.looseObject({}).optional() });

/** Sends requests with a key, and records the answers. */
class Recorder {
  readonly answers: Record<string, RecordedAnswers['answers'][string]> = {};
  readonly errors: Record<string, unknown> = {};
  readonly #origin: string;
  readonly #key: string;

  constructor(origin: string, key: string) {
    this.#origin = origin;
    this.#key = key;
  }

  async send(method: string, path: string, body?: object, headers: object = {}) {
    const response = await fetch(`${this.#origin}/api/v1${path}`, {
      method,
      headers: {
        'x-api-key': this.#key,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : shortened(JSON.parse(text)) };
  }

  /** Records a success; returns its data. */
  async note(operation: string, method: string, path: string, body?: object, headers?: object) {
    const answer = await this.send(method, path, body, headers);
    if (answer.status >= 300) throw new Error(`${operation}: ${JSON.stringify(answer)}`);
    this.answers[operation] = { path, status: answer.status, body: answer.body };
    return envelope.parse(answer.body ?? {}).data ?? {};
  }

  /** Records a failure. */
  async fail(status: number, method: string, path: string, body?: object, headers?: object) {
    const answer = await this.send(method, path, body, headers);
    if (answer.status !== status) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    this.errors[status] = answer.body;
  }

  /** Waits until a job has ended. */
  async ended(path: string): Promise<void> {
    for (;;) {
      const { body } = await this.send('GET', path);
      const status = envelope.parse(body).data?.['status'];
      if (status !== 'queued' && status !== 'running') return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Fields recorded whole: a JSON Schema, and the request. */
const WHOLE: readonly string[] = ['input_schema', 'request'];

/** Cuts long lists and removes secrets. */
function shortened(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return value.replace(/\b(qcs_[0-9a-f]+_)[0-9a-f]+/, `$1${SECRET}`);
  if (typeof value !== 'object' || value === null || WHOLE.includes(name)) return value;
  if (Array.isArray(value)) {
    const isOfObjects = value.every((each) => typeof each === 'object' && !Array.isArray(each));
    const kept = isOfObjects && name !== 'tasks' ? value.slice(0, MAX_LISTED) : value;
    return kept.map((each) => shortened(each));
  }
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, shortened(of, key)]));
}

/** A job's operations: submitted, listed, read, cancelled, run again, deleted. */
async function recordJobs(
  recorder: Recorder,
  { operation, operations }: Pick<JobResource, 'operation' | 'operations'>,
  records: string,
  idName: string,
  submitted: Readonly<Record<string, unknown>>,
  startLong: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<void> {
  const pathOf = (record: Readonly<Record<string, unknown>>) => `${records}/${record[idName]}`;
  await recorder.ended(pathOf(submitted));
  await recorder.note(`get${operation}`, 'GET', pathOf(submitted));
  await recorder.note(`list${operations}`, 'GET', `${records}?limit=2`);
  const long = await startLong();
  await recorder.note(`cancel${operation}`, 'POST', `${pathOf(long)}/cancel`);
  await recorder.ended(pathOf(long));
  const again = await recorder.note(
    `retry${operation}`,
    'POST',
    `${pathOf(long)}/retry`,
    undefined,
    LATER,
  );
  await recorder.send('POST', `${pathOf(again)}/cancel`);
  await recorder.note(`delete${operation}`, 'DELETE', pathOf(submitted));
}

async function record(recorder: Recorder): Promise<void> {
  const started = async (path: string, body: object) =>
    envelope.parse((await recorder.send('POST', path, body, LATER)).body).data ?? {};
  const read = (operation: string, path: string) => recorder.note(operation, 'GET', path);
  await read('getRoot', '/');
  await read('listProcessors', '/quantum/processors');
  await read('getProcessor', '/quantum/processors/statevector-sim');
  await read('listDevices', '/quantum/processors/gpu-fleet/devices');
  await read('getDevice', '/quantum/processors/gpu-fleet/devices/gpu-00');
  await read('listOperations', '/quantum/operations');
  await read('listNoiseModels', '/quantum/noise-models');
  await read('getNoiseModel', '/quantum/noise-models/ibm-fez');
  await recorder.note('compileCircuit', 'POST', '/quantum/compile', {
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'H', qubit: 0 },
      { gate: 'T', qubit: 0 },
    ],
    target_processor: 'statevector-sim',
    format: 'qasm3',
  });
  await recorder.note('estimateRun', 'POST', '/quantum/estimate', BELL);
  const circuit = await recorder.note('submitCircuit', 'POST', '/quantum/circuits', BELL);
  await recordJobs(recorder, CIRCUITS, '/quantum/circuits', 'circuit_id', circuit, () =>
    started('/quantum/circuits', LONG),
  );
  const batch = await recorder.note('submitBatch', 'POST', '/quantum/batches', BATCH);
  await recordJobs(recorder, BATCHES, '/quantum/batches', 'batch_id', batch, () =>
    started('/quantum/batches', {
      target_processor: 'statevector-sim',
      shots: LONG.shots,
      programs: [{ circuit: LONG.circuit }],
    }),
  );
  const experiment = await recorder.note(
    'submitExperiment',
    'POST',
    '/quantum/experiments',
    EXPERIMENT,
  );
  const endless = { ...EXPERIMENT, max_shots: 10 ** 12, max_errors: 10 ** 12 };
  await recordJobs(recorder, EXPERIMENTS, '/quantum/experiments', 'experiment_id', experiment, () =>
    started('/quantum/experiments', endless),
  );
  await read('listModels', '/models');
  await read('getModel', '/models/qnn-hybrid');
  await recorder.note('runInference', 'POST', '/models/qnn-hybrid/inference', {
    ...FLOWER,
    seed: 7,
  });
  await recorder.note('runDemo', 'POST', '/demo/qnn-hybrid', FLOWER);
  await read('listAgents', '/agents');
  await read('getAgent', '/agents/research');
  const task = await recorder.note('executeTask', 'POST', '/agents/research/execute', GROUND_STATE);
  await recordJobs(recorder, TASKS, '/tasks', 'task_id', task, async () => {
    for (let i = 0; i < NUM_BEFORE; i++) await started('/agents/research/execute', GROUND_STATE);
    return started('/agents/research/execute', GROUND_STATE);
  });
  await read('listSystems', '/systems');
  const planner = await read('getSystem', '/systems/asi');
  const { example } = z.object({ example: z.looseObject({}) }).parse(planner['detail']);
  await recorder.note('submitPlan', 'POST', '/systems/asi/plans', example);
  await read('getTpuFleet', '/tpu/fleet');
  const job = await recorder.note('submitTpuJob', 'POST', '/tpu/jobs', TPU_JOB);
  await recordJobs(recorder, TPU_JOBS, '/tpu/jobs', 'job_id', job, async () => {
    for (let i = 0; i < NUM_BEFORE; i++) await started('/tpu/jobs', TPU_JOB);
    return started('/tpu/jobs', TPU_JOB);
  });
  await read('getStatus', '/status');
  await read('getLoad', '/status/load');
  await read('getKeyInfo', '/keys/info');
  const made = await recorder.note('createKey', 'POST', '/admin/keys', {
    name: 'notebooks',
    tier: 'standard',
    scopes: ['read', 'circuits'],
  });
  const key = `/admin/keys/${made['id']}`;
  await read('listKeys', '/admin/keys');
  await recorder.note('changeKey', 'PATCH', key, { scopes: ['read'] });
  await recorder.note('rotateKey', 'POST', `${key}/rotate`, { grace_s: 3600 });
  await recorder.note('revokeKey', 'DELETE', key);
  const maintenance = { enabled: true, reason: 'Cooling is being repaired' };
  const device = '/admin/fleet/devices/gpu-47/maintenance';
  await recorder.note('setDeviceMaintenance', 'POST', device, maintenance);
  const processor = '/admin/processors/gpu-fleet/maintenance';
  await recorder.note('setProcessorMaintenance', 'POST', processor, maintenance);
  await read('listAuditLog', '/admin/audit?limit=2');

  const unknownGate = { ...BELL, circuit: [{ gate: 'CNOTT', control: 0, target: 1 }] };
  await recorder.fail(400, 'POST', '/quantum/circuits', unknownGate);
  await recorder.fail(401, 'GET', '/status', undefined, { 'x-api-key': '' });
  await recorder.fail(404, 'GET', '/quantum/circuits/circ_0199f3a2c5d87c3e9b1f2a4d6c8e0b35');
  await recorder.fail(503, 'POST', '/quantum/circuits', {
    ...BELL,
    target_processor: 'superconducting-1',
  });
  for (let i = 0; i < 9; i++) await recorder.send('POST', '/demo/qnn-hybrid', FLOWER);
  await recorder.fail(429, 'POST', '/demo/qnn-hybrid', FLOWER);
}

using folder = temporaryFolder();
const service = await startServiceProcess(folder.path, {
  QCS_ENGINE: 'cpu',
  QCS_SHUTDOWN_GRACE_S: '0',
});
try {
  const env = { ...process.env, QCS_DATA_DIR: folder.path };
  const scopes = 'read,circuits,agents,models,tpu,admin';
  const options = ['--name', 'admin', '--tier', 'enterprise', '--scopes', scopes, '--json'];
  const made = execFileSync(process.execPath, ['src/cli.ts', 'keys', 'create', ...options], {
    env,
    encoding: 'utf8',
  });
  const recorder = new Recorder(
    service.origin,
    z.object({ key: z.string() }).parse(JSON.parse(made)).key,
  );
  await record(recorder);
  const plain = new Recorder(service.origin, service.key ?? '');
  await plain.fail(403, 'GET', '/admin/keys');
  const recorded: RecordedAnswers = {
    answers: recorder.answers,
    errors: { ...recorder.errors, ...plain.errors },
  };
  writeFileSync(FILE, `${JSON.stringify(recorded, null, 1)}\n`);
} finally {
  await service.stop('SIGTERM');
}
