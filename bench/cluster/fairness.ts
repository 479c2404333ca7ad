/** Whether a cluster that has more to do than it can is fair to keys, wherever and however often they ask. */
import { HttpConnections, httpRequest } from '../../src/cli/capacity/http-load.ts';
import type { Cluster } from '../../test/support/cluster.ts';
import { lastingCircuit } from '../../test/support/lasting-circuit.ts';

const SHOTS = 100;
const CIRCUIT = {
  circuit: lastingCircuit(12, 20),
  target_processor: 'statevector-sim',
  shots: SHOTS,
};
/** Connections of the keys that ask least; others have two and three times as many. */
const CONNECTIONS = 6;

/** Throughput of each key. */
export interface Fairness {
  /** Circuits per second, by key. */
  readonly perSecond: readonly number[];
  /** (Σx)² / (n Σx²): 1 if all are served alike, 1/n if one is served alone. */
  readonly jain: number;
}

/**
 * All keys of a cluster at once, each at one node and with one, two or three times as many connections as others.
 *
 * @see Jain, Chiu, Hawe, "A Quantitative Measure of Fairness and Discrimination", 1984.
 */
export async function measureFairness(cluster: Cluster, seconds: number): Promise<Fairness> {
  const { keys, apiNodes } = cluster;
  using stack = new DisposableStack();
  const counts = keys.map(() => 0);
  const begun = performance.now();
  // While lines form, nobody counts.
  const from = begun + 250 * seconds;
  const until = begun + 1000 * seconds;
  const drive = async (place: number, key: string, origin: string) => {
    const url = new URL('/api/v1/quantum/circuits', origin);
    const request = httpRequest('POST', url, { 'x-api-key': key }, JSON.stringify(CIRCUIT));
    const connection = stack.use(new HttpConnections(1));
    while (performance.now() < until) {
      const { status, body } = await connection.send(request);
      if (status !== 201) throw new Error(`${status}: ${body.slice(0, 500)}`);
      verify(body);
      const now = performance.now();
      if (now >= from && now < until) counts[place] = (counts[place] ?? 0) + 1;
    }
  };
  await Promise.all(
    keys.flatMap((key, place) => {
      const origin = apiNodes[place % apiNodes.length]?.origin ?? '';
      const numConnections = CONNECTIONS * (1 + (place % 3));
      return Array.from({ length: numConnections }, () => drive(place, key, origin));
    }),
  );
  const perSecond = counts.map((count) => count / (0.75 * seconds));
  return { perSecond, jain: jainIndex(perSecond) };
}

function jainIndex(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  const squares = values.reduce((total, value) => total + value * value, 0);
  return sum ** 2 / (values.length * squares);
}

function verify(body: string): void {
  const { data }: { readonly data?: { readonly counts?: Readonly<Record<string, number>> } } =
    JSON.parse(body);
  const counted = Object.values(data?.counts ?? {}).reduce((sum, count) => sum + count, 0);
  if (counted !== SHOTS) throw new Error(`${counted} of ${SHOTS} shots: ${body.slice(0, 500)}`);
}
