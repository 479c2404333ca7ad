/**
 * IBM's identity service and its Qiskit Runtime REST API on a port of this machine, as far as the service uses them,
 * written from the published reference and IBM's client. It runs circuits: it refuses those that the backend would
 * refuse, and draws the shots of others.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json as readJson, text as readText } from 'node:stream/consumers';
import { z } from 'zod';
import { isStatic } from '../../src/circuit/circuit.ts';
import { readOpenQasm } from '../../src/circuit/openqasm/parse-openqasm.ts';
import { misfits } from '../../src/compiler/device/device.ts';
import { replayShot } from './state-oracle.ts';
import { withoutIdleQubits } from './used-qubits.ts';

export const API_KEY = 'ibm-cloud-api-key';
export const INSTANCE = 'crn:v1:bluemix:public:quantum-computing:us-east:a/1:2::';
export const BACKEND = 'ibm_mock';

const submission = z.strictObject({
  program_id: z.literal('sampler'),
  backend: z.literal(BACKEND),
  tags: z.array(z.string().max(86)),
  params: z.strictObject({
    pubs: z.array(z.tuple([z.string(), z.null(), z.int().min(1)])).min(1),
    version: z.literal(2),
    support_qiskit: z.literal(false),
  }),
});

/** A job of the mock. */
interface MockJob {
  readonly id: string;
  readonly tags: readonly string[];
  readonly circuits: readonly MockCircuit[];
  status: 'Queued' | 'Running' | 'Completed' | 'Failed' | 'Cancelled';
  reason?: string;
}

/** A PUB of a job, and its result once it has run. */
interface MockCircuit {
  readonly qasm: string;
  readonly shots: number;
  samples: readonly string[];
  numBits: number;
}

/** Five qubits in a line, of which the first coupler is broken and works one way, as couplers of ECR do. */
const CONFIGURATION = {
  backend_name: BACKEND,
  backend_version: '1.0.0',
  n_qubits: 5,
  basis_gates: ['ecr', 'id', 'rz', 'sx', 'x', 'rzz'],
  coupling_map: [
    [0, 1],
    [2, 1],
    [2, 3],
    [4, 3],
  ],
  max_shots: 100_000,
  supported_instructions: ['ecr', 'id', 'delay', 'measure', 'reset', 'rz', 'sx', 'x', 'if_else'],
  processor_type: { family: 'Eagle', revision: 3 },
  simulator: false,
};

const DATE = '2026-02-03T04:05:06-05:00';
const figure = (name: string, value: number, unit = '') => ({ date: DATE, name, unit, value });

function properties() {
  return {
    backend_name: BACKEND,
    last_update_date: DATE,
    qubits: [0, 1, 2, 3, 4].map((q) => [
      figure('T1', 100 + q, 'us'),
      figure('T2', 0.09, 'ms'),
      figure('readout_error', 0.01 * (q + 1)),
    ]),
    gates: [
      ...[0, 1, 2, 3, 4].map((q) => ({
        gate: 'sx',
        qubits: [q],
        name: `sx${q}`,
        parameters: [figure('gate_error', 0.0002), figure('gate_length', 60, 'ns')],
      })),
      ...CONFIGURATION.coupling_map.map((qubits, i) => ({
        gate: 'ecr',
        qubits,
        name: `ecr${i}`,
        // The first coupler is broken.
        parameters: [figure('gate_error', i === 0 ? 1 : 0.007)],
      })),
      // A fractional gate that is not calibrated says nothing about its coupler.
      { gate: 'rzz', qubits: [2, 1], name: 'rzz2_1', parameters: [figure('gate_error', 1)] },
      { gate: 'rzz', qubits: [2, 3], name: 'rzz2_3', parameters: [figure('gate_error', 0.001)] },
    ],
    general: [],
  };
}

/** The mock. */
export class MockIbm implements AsyncDisposable {
  readonly jobs: MockJob[] = [];
  /** Paths that were asked for, with their methods. */
  readonly asked: string[] = [];
  /** Leaves new jobs queued until `finish`. */
  isHolding = false;
  /** Answers to the next requests whose path begins with the key, in order, instead of the usual ones. */
  readonly instead = new Map<string, { readonly status: number; readonly body: unknown }[]>();
  state = { state: true, status: 'active', message: '', length_queue: 7 };
  numTokens = 0;
  readonly #tokens = new Set<string>();
  readonly #server: Server;
  #port = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        response.writeHead(500).end(JSON.stringify({ errors: [{ message: String(error) }] }));
      });
    });
  }

  static async open(): Promise<MockIbm> {
    const mock = new MockIbm();
    await mock.#listen();
    return mock;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async #listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (typeof address === 'object' && address !== null) this.#port = address.port;
  }

  /** Makes the tokens given so far invalid. */
  expireTokens(): void {
    this.#tokens.clear();
  }

  /** Runs a held job to its end. */
  finish(job: MockJob): void {
    job.status = 'Completed';
    for (const circuit of job.circuits) this.#run(circuit, job);
  }

  #run(own: MockCircuit, job: MockJob): void {
    const read = readOpenQasm(
      own.qasm,
      { maxQubits: CONFIGURATION.n_qubits, maxGates: 10_000 },
      { inputs: {} },
    ).circuit;
    if (!isStatic(read)) throw new Error('the mock runs static circuits');
    const [wrong] = misfits(read, {
      couplers: CONFIGURATION.coupling_map.map(([a = 0, b = 0]) => [a, b] as const),
      isSymmetric: false,
      nativeGates: ['ECR', 'ID', 'RZ', 'SX', 'X'],
    });
    if (wrong !== undefined) {
      job.status = 'Failed';
      job.reason = `The instruction is not supported: ${wrong.message}`;
      return;
    }
    const circuit = withoutIdleQubits(read);
    own.numBits = circuit.numBits;
    own.samples = Array.from({ length: own.shots }, (_, shot) => {
      return `0x${Number.parseInt(replayShot(circuit, 1, shot), 2).toString(16)}`;
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.origin);
    const path = url.pathname.replace(/^\/api\/v1/, '');
    this.asked.push(`${request.method} ${path}`);
    const say = (status: number, body?: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    };
    const fault = (status: number, message: string) =>
      say(status, { errors: [{ code: 1234, message, solution: '', more_info: '' }], trace: 't' });
    const [key, queue] = [...this.instead].find(([prefix]) => path.startsWith(prefix)) ?? [];
    const other = queue?.shift();
    if (key !== undefined && other !== undefined) return say(other.status, other.body);
    if (path === '/identity/token') {
      const form = new URLSearchParams(await readText(request));
      const isRight =
        form.get('apikey') === API_KEY &&
        form.get('grant_type') === 'urn:ibm:params:oauth:grant-type:apikey';
      if (!isRight) return say(400, { errorCode: 'BXNIM0415E', errorMessage: 'no such key' });
      const token = `token-${++this.numTokens}`;
      this.#tokens.add(token);
      return say(200, { access_token: token, token_type: 'Bearer', expires_in: 3600 });
    }
    const { authorization = '', 'service-crn': crn, 'ibm-api-version': version } = request.headers;
    if (!this.#tokens.has(authorization.replace(/^Bearer /, ''))) return fault(401, 'no token');
    if (crn !== INSTANCE) return fault(403, 'no such instance');
    if (typeof version !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(version)) {
      return fault(400, 'no version');
    }
    if (request.method === 'POST' && path === '/jobs') {
      return say(200, this.#create(await readJson(request)));
    }
    if (path === '/jobs') {
      const tag = url.searchParams.get('tags');
      const jobs = this.jobs.filter(({ tags }) => tag === null || tags.includes(tag));
      return say(200, { jobs: jobs.map(({ id }) => ({ id })), count: jobs.length });
    }
    const [, kind, id, part] = path.split('/');
    if (kind === 'backends') {
      if (id !== BACKEND) return fault(404, `Backend ${id} not found`);
      if (part === 'configuration') return say(200, CONFIGURATION);
      if (part === 'properties') return say(200, properties());
      if (part === 'status') return say(200, this.state);
    }
    const job = kind === 'jobs' ? this.jobs.find((each) => each.id === id) : undefined;
    if (job === undefined) return fault(404, 'Job not found');
    switch (part) {
      case undefined: {
        const { status, reason } = job;
        const state = { status, ...(reason !== undefined && { reason, reason_code: 1517 }) };
        return say(200, { id, backend: BACKEND, status, state, created: DATE });
      }
      case 'metrics':
        return say(200, {
          timestamps: {
            created: '2026-02-03T00:00:00.000Z',
            running: '2026-02-03T00:00:02.000Z',
            finished: '2026-02-03T00:00:02.500Z',
          },
          position_in_queue: job.status === 'Queued' ? 3 : null,
        });
      case 'results':
        return say(200, {
          results: job.circuits.map(({ samples, numBits }) => ({
            data: { c: { samples, num_bits: numBits } },
            metadata: {},
          })),
          metadata: { version: 2 },
        });
      case 'cancel':
        if (job.status !== 'Queued' && job.status !== 'Running') return fault(409, 'has ended');
        job.status = 'Cancelled';
        return say(204);
    }
    return fault(404, 'no such path');
  }

  #create(body: unknown): { readonly id: string; readonly backend: string } {
    const { tags, params } = submission.parse(body);
    const circuits = params.pubs.map(([qasm, , shots]) => ({
      qasm,
      shots,
      samples: [],
      numBits: 0,
    }));
    const id = `job${this.jobs.length}`;
    const job: MockJob = { id, tags, circuits, status: 'Queued' };
    this.jobs.push(job);
    if (!this.isHolding) this.finish(job);
    return { id, backend: BACKEND };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
