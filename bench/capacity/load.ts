/**
 * Closed and open loads on a service. In a closed loop each connection sends its next circuit when it has its
 * answer. In an open loop circuits arrive at a fixed rate, however slow the service is; their latency counts
 * from the planned time of sending, so it includes waiting for a free connection.
 *
 * Every answer is checked against the counts that its circuit must give. autocannon was not taken: it sends an open load
 * at the start of each second and corrects latencies afterwards, rounds them to milliseconds, and connects again without a
 * word where the service hung up.
 *
 * @see Schroeder, Wierman, Harchol-Balter, "Open versus closed: a cautionary tale", 2006.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  HttpConnections,
  type HttpRequest,
  httpRequest,
} from '../../src/cli/capacity/http-load.ts';
import { LoadFailedError } from '../../src/cli/errors.ts';
import {
  type CheckedCircuit,
  type CircuitMix,
  faultOfCounts,
  mirrorCircuit,
} from './circuit-mix.ts';
import { SeededDraws } from './model/seeded-draws.ts';

/** Different circuits per kind. Their seeds are consecutive, starting at the seed of the mix. */
export const VARIANTS = 16;
/** Most connections of an open loop. When all are in use, circuits wait for one. */
const MAX_CONNECTIONS = 256;
/** Purposes of random draws; draws for different purposes are independent. */
const CLASS = 1;
const VARIANT = 2;
const GAP = 3;

/** Destination of a load. */
export interface LoadTarget {
  readonly origin: URL;
  readonly key: string;
  readonly processor: string;
}

/** Measurements of one answer. */
export interface Sample {
  readonly qubits: number;
  /** Latency seen by the client, milliseconds. */
  readonly latencyMs: number;
  readonly queueMs: number;
  readonly compileMs: number;
  readonly executionMs: number;
  /** Sampling time, milliseconds, if the service reports it apart from the rest of the execution. */
  readonly samplingMs?: number;
}

/** Answers to a load. */
export interface LoadResult {
  readonly samples: readonly Sample[];
  /** Answers that refuse the circuit for overload: 429 and 503. */
  readonly numRefused: number;
  readonly seconds: number;
}

interface Prepared {
  readonly circuit: CheckedCircuit;
  readonly request: HttpRequest;
}

/** Encoded requests of a mix. */
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

  /** Picks a request at random, by the weights of the mix. */
  next(): Prepared {
    const index = this.#index++;
    const variants = this.#variants[this.#draws.weighted(index, CLASS, this.#weights)] ?? [];
    const prepared = variants[Math.floor(this.#draws.uniform(index, VARIANT) * variants.length)];
    if (prepared === undefined) throw new Error('unreachable: a mix without circuits');
    return prepared;
  }

  /** Lists every request once. */
  all(): readonly Prepared[] {
    return this.#variants.flat();
  }
}

/** A circuit as a request body. */
export function circuitBody({ qubits, shots, gates }: CheckedCircuit, processor: string): string {
  return JSON.stringify({ circuit: gates, qubits, shots, target_processor: processor });
}

/** Sends each circuit of a mix once. */
export async function eachOnce(requests: MixRequests, numConnections: number): Promise<LoadResult> {
  const left = [...requests.all()];
  return drive(numConnections, (log) => async (connections) => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      log.add(next.circuit, await timed(connections, next.request, performance.now()));
    }
  });
}

/**
 * Runs a closed loop: each connection has one circuit in flight until the time is over, and sends at least
 * one.
 */
export async function closedLoad(
  requests: MixRequests,
  numConnections: number,
  seconds: number,
): Promise<LoadResult> {
  const until = performance.now() + 1000 * seconds;
  return drive(numConnections, (log) => async (connections) => {
    do {
      const { circuit, request } = requests.next();
      log.add(circuit, await timed(connections, request, performance.now()));
    } while (performance.now() < until);
  });
}

/** Runs an open loop: circuits arrive at random moments with the given mean rate until the time is over. */
export async function openLoad(
  requests: MixRequests,
  perSecond: number,
  seconds: number,
  seed: number,
): Promise<LoadResult> {
  const draws = new SeededDraws(seed);
  const begin = performance.now();
  const end = begin + 1000 * seconds;
  let sendAt = begin;
  let index = 0;
  return drive(MAX_CONNECTIONS, (log) => async (connections) => {
    for (;;) {
      sendAt += draws.exponential(index++, GAP, 1000 / perSecond);
      const meantFor = sendAt;
      if (meantFor >= end) return;
      const early = meantFor - performance.now();
      if (early > 0) await sleep(early);
      const { circuit, request } = requests.next();
      // A timer may fire up to a millisecond early.
      log.add(circuit, await timed(connections, request, Math.min(meantFor, performance.now())));
    }
  });
}

interface Timed {
  readonly latencyMs: number;
  readonly status: number;
  readonly body: string;
}

async function timed(
  connections: HttpConnections,
  request: HttpRequest,
  since: number,
): Promise<Timed> {
  const answer = await connections.send(request);
  return { ...answer, latencyMs: performance.now() - since };
}

/** Runs a function as many times at once as there are connections, and waits for all. */
async function drive(
  numConnections: number,
  workOf: (log: LoadLog) => (connections: HttpConnections) => Promise<void>,
): Promise<LoadResult> {
  const log = new LoadLog();
  const work = workOf(log);
  using connections = new HttpConnections(numConnections);
  const begin = performance.now();
  await Promise.all(Array.from({ length: numConnections }, () => work(connections)));
  return log.result((performance.now() - begin) / 1000);
}

/** Part of an answer that loads read. */
interface CircuitAnswer {
  readonly data?: {
    readonly counts?: Readonly<Record<string, number>>;
    readonly timing?: Readonly<Record<string, number>>;
  };
}

class LoadLog {
  readonly #samples: Sample[] = [];
  #numRefused = 0;

  /**
   * Checks an answer and records it.
   *
   * @throws {LoadFailedError} if the answer is wrong.
   */
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
