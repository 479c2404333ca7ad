/**
 * Loads on a service: closed loops, in which each connection sends its next circuit once it has its
 * answer, and open ones, in which circuits come at a rate whatever the service does. In an open loop the
 * latency of a circuit counts from when it was meant to be sent: one that had to wait for a connection,
 * because the service was slow, has waited.
 *
 * Every answer is checked against what its circuit must give.
 *
 * @see Schroeder, Wierman, Harchol-Balter, "Open versus closed: a cautionary tale", 2006.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SeededDraws } from '../../fleet/capacity/seeded-draws.ts';
import {
  type CheckedCircuit,
  type CircuitMix,
  faultOfCounts,
  mirrorCircuit,
} from './circuit-mix.ts';
import { LoadFailedError } from './errors.ts';
import { HttpConnection, httpRequest } from './http-connection.ts';

/** Circuits of one kind that differ in their gates, angles and bits: as many seeds, from that of the mix on. */
export const VARIANTS = 16;
/** Of an open loop: beyond these, circuits wait for one. */
const MAX_CONNECTIONS = 256;
/** What draws are for. */
const CLASS = 1;
const VARIANT = 2;
const GAP = 3;

/** Where a load goes. */
export interface LoadTarget {
  readonly origin: URL;
  readonly key: string;
  readonly processor: string;
}

/** One answer. */
export interface Sample {
  readonly qubits: number;
  /** As the client saw it. Milliseconds. */
  readonly latencyMs: number;
  readonly queueMs: number;
  readonly compileMs: number;
  readonly executionMs: number;
  /** Drawing and counting, where the service tells them apart from the rest of the execution. */
  readonly samplingMs?: number;
}

/** What came of a load. */
export interface LoadResult {
  readonly samples: readonly Sample[];
  /** Answers that say that there is too much already: 429 and 503. */
  readonly numRefused: number;
  readonly seconds: number;
}

interface Prepared {
  readonly circuit: CheckedCircuit;
  readonly request: Buffer;
}

/** The requests of a mix, ready to be sent. */
export class MixRequests {
  readonly #variants: readonly (readonly Prepared[])[];
  readonly #weights: readonly number[];
  readonly #draws: SeededDraws;
  #index = 0;

  constructor(mix: CircuitMix, target: LoadTarget, seed: number) {
    const url = new URL('/api/v1/quantum/circuits', target.origin);
    this.#weights = mix.map(({ weight }) => weight);
    this.#draws = new SeededDraws(seed);
    this.#variants = mix.map((kind) =>
      Array.from({ length: VARIANTS }, (_, variant) => {
        const circuit = mirrorCircuit(kind, seed + variant);
        const body = circuitBody(circuit, target.processor);
        return { circuit, request: httpRequest('POST', url, { 'x-api-key': target.key }, body) };
      }),
    );
  }

  /** One of the mix, at random. */
  next(): Prepared {
    const index = this.#index++;
    const variants = this.#variants[this.#draws.weighted(index, CLASS, this.#weights)] ?? [];
    const prepared = variants[Math.floor(this.#draws.uniform(index, VARIANT) * variants.length)];
    if (prepared === undefined) throw new Error('unreachable: a mix without circuits');
    return prepared;
  }

  /** Each once. */
  all(): readonly Prepared[] {
    return this.#variants.flat();
  }
}

/** A circuit as a request body. */
export function circuitBody({ qubits, shots, gates }: CheckedCircuit, processor: string): string {
  return JSON.stringify({ circuit: gates, qubits, shots, target_processor: processor });
}

/** Sends each circuit of a mix once. */
export async function eachOnce(
  requests: MixRequests,
  target: LoadTarget,
  numConnections: number,
): Promise<LoadResult> {
  const left = [...requests.all()];
  return drive(target, numConnections, (log) => async (connection) => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      log.add(next.circuit, await timed(connection, next.request, performance.now()));
    }
  });
}

/** Runs a closed loop: each connection has one circuit under way until the time is over, and sends at least one. */
export async function closedLoad(
  requests: MixRequests,
  target: LoadTarget,
  numConnections: number,
  seconds: number,
): Promise<LoadResult> {
  const until = performance.now() + 1000 * seconds;
  return drive(target, numConnections, (log) => async (connection) => {
    do {
      const { circuit, request } = requests.next();
      log.add(circuit, await timed(connection, request, performance.now()));
    } while (performance.now() < until);
  });
}

/** Circuits at random moments, at that mean rate, for so long. */
export async function openLoad(
  requests: MixRequests,
  target: LoadTarget,
  perSecond: number,
  seconds: number,
  seed: number,
): Promise<LoadResult> {
  const draws = new SeededDraws(seed);
  const begin = performance.now();
  const end = begin + 1000 * seconds;
  let sendAt = begin;
  let index = 0;
  return drive(target, MAX_CONNECTIONS, (log) => async (connection) => {
    for (;;) {
      sendAt += draws.exponential(index++, GAP, 1000 / perSecond);
      const meantFor = sendAt;
      if (meantFor >= end) return;
      const early = meantFor - performance.now();
      if (early > 0) await sleep(early);
      const { circuit, request } = requests.next();
      log.add(circuit, await timed(connection, request, meantFor));
    }
  });
}

interface Timed {
  readonly latencyMs: number;
  readonly status: number;
  readonly body: string;
}

async function timed(connection: HttpConnection, request: Buffer, since: number): Promise<Timed> {
  const answer = await connection.send(request);
  return { ...answer, latencyMs: performance.now() - since };
}

/** Runs something on each of several connections until all are through. */
async function drive(
  { origin }: LoadTarget,
  numConnections: number,
  workOf: (log: LoadLog) => (connection: HttpConnection) => Promise<void>,
): Promise<LoadResult> {
  using stack = new DisposableStack();
  const log = new LoadLog();
  const work = workOf(log);
  const connections = Array.from({ length: numConnections }, () =>
    stack.use(new HttpConnection(origin)),
  );
  const begin = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      await connection.opened;
      await work(connection);
    }),
  );
  return log.result((performance.now() - begin) / 1000);
}

/** The part of an answer that loads read. */
interface CircuitAnswer {
  readonly data?: {
    readonly counts?: Readonly<Record<string, number>>;
    readonly timing?: Readonly<Record<string, number>>;
  };
}

class LoadLog {
  readonly #samples: Sample[] = [];
  #numRefused = 0;

  /** @throws {LoadFailedError} for a wrong answer. */
  add(circuit: CheckedCircuit, { status, body, latencyMs }: Timed): void {
    if (status === 429 || status === 503) {
      this.#numRefused++;
      return;
    }
    if (status !== 201) throw new LoadFailedError(`${status}: ${body.slice(0, 500)}`);
    const { data }: CircuitAnswer = JSON.parse(body);
    const fault = faultOfCounts(circuit, data?.counts);
    if (fault !== undefined) throw new LoadFailedError(`a wrong answer, ${fault}`);
    const { queue_ms = 0, compile_ms = 0, execution_ms = 0, sampling_ms } = data?.timing ?? {};
    this.#samples.push({
      qubits: circuit.qubits,
      latencyMs,
      queueMs: queue_ms,
      compileMs: compile_ms,
      executionMs: execution_ms,
      ...(sampling_ms !== undefined && { samplingMs: sampling_ms }),
    });
  }

  result(seconds: number): LoadResult {
    return { samples: this.#samples, numRefused: this.#numRefused, seconds };
  }
}
