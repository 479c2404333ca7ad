/**
 * Accuracy of `expected_start_at`. Circuits are sent at once, the expected start of each is read while it
 * waits, and then compared with its actual start.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpConnections, httpRequest } from '../../src/cli/capacity/http-load.ts';
import { type Percentiles, percentilesOf } from '../../src/cli/capacity/percentiles.ts';
import { LoadFailedError } from '../../src/cli/errors.ts';
import { type MixClass, mirrorCircuit } from './circuit-mix.ts';
import { circuitBody, type LoadTarget } from './load.ts';
import { START_RESOLUTION_MS } from './model/simulation-log.ts';

/** Errors of expected starts. */
export interface StartErrors {
  readonly qubits: number;
  readonly numCircuits: number;
  /** |started_at − expected_start_at|, milliseconds. */
  readonly absolute: Percentiles;
  /** The absolute error divided by the expected wait, or by START_RESOLUTION_MS if that is longer. */
  readonly relative: Percentiles;
}

interface RecordAnswer {
  readonly data?: {
    readonly circuit_id?: string;
    readonly status?: string;
    readonly expected_start_at?: string;
    readonly started_at?: string;
  };
}

interface Asked {
  readonly id: string;
  readonly askedAt: number;
  readonly expected: number;
}

const POLL_MS = 50;
const TIMEOUT_MS = 120_000;

/**
 * Sends `numCircuits` different circuits at once and polls them until they end. They differ because a
 * repeated circuit is not compiled again and would take less time.
 *
 * @param now - Milliseconds since 1970 UTC.
 * @returns undefined if the service's records have no expected start.
 * @throws {LoadFailedError} if a circuit fails or does not end in time.
 */
export async function measureStartErrors(
  target: LoadTarget,
  kind: MixClass,
  numCircuits: number,
  now: () => number,
): Promise<StartErrors | undefined> {
  using connection = new HttpConnections(1);
  const client = new RecordClient(connection, target);
  const ids: string[] = [];
  for (let i = 0; i < numCircuits; i++) {
    ids.push(await client.submit(circuitBody(mirrorCircuit(kind, i), target.processor)));
  }
  const asked: Asked[] = [];
  for (const id of ids) {
    const { expected_start_at: expected } = await client.record(id);
    if (expected !== undefined) asked.push({ id, askedAt: now(), expected: Date.parse(expected) });
  }
  const deadline = now() + TIMEOUT_MS;
  const startOf = new Map<string, number>();
  for (const id of ids) {
    for (;;) {
      const { status, started_at: started } = await client.record(id);
      if (status === 'completed' && started !== undefined) {
        startOf.set(id, Date.parse(started));
        break;
      }
      if (status === 'failed' || now() > deadline) throw new LoadFailedError(`${id} is ${status}`);
      await sleep(POLL_MS);
    }
  }
  if (asked.length === 0) return undefined;
  const errors = asked.map(({ id, expected }) =>
    Math.abs((startOf.get(id) ?? expected) - expected),
  );
  const waits = asked.map(({ askedAt, expected }) => expected - askedAt);
  const relative = errors.map((error, i) => error / Math.max(START_RESOLUTION_MS, waits[i] ?? 0));
  return {
    qubits: kind.qubits,
    numCircuits: asked.length,
    absolute: percentilesOf(errors),
    relative: percentilesOf(relative),
  };
}

class RecordClient {
  readonly #connection: HttpConnections;
  readonly #target: LoadTarget;
  readonly #path: URL;

  constructor(connection: HttpConnections, target: LoadTarget) {
    this.#connection = connection;
    this.#target = target;
    this.#path = new URL('/api/v1/quantum/circuits', target.origin);
  }

  async submit(body: string): Promise<string> {
    const headers = { 'x-api-key': this.#target.key, prefer: 'respond-async' };
    const answer = await this.#connection.send(httpRequest('POST', this.#path, headers, body));
    const { data }: RecordAnswer = JSON.parse(answer.body);
    if (data?.circuit_id === undefined) throw new LoadFailedError(answer.body.slice(0, 500));
    return data.circuit_id;
  }

  async record(id: string): Promise<NonNullable<RecordAnswer['data']>> {
    const url = new URL(`${this.#path.pathname}/${id}`, this.#path);
    const request = httpRequest('GET', url, { 'x-api-key': this.#target.key });
    const answer: RecordAnswer = JSON.parse((await this.#connection.send(request)).body);
    return answer.data ?? {};
  }
}
