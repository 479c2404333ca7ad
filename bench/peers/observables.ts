/** Python libraries as peers of the benchmark of observables, each in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { GateOperation } from '../../src/circuit/circuit.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';

/** Libraries that bench/peers/observables-peer.py knows. */
export const OBSERVABLE_PEERS = ['qulacs', 'aer', 'lightning'] as const;

/** A warm Python process with a library. */
export interface ObservablePeer extends AsyncDisposable {
  /** The package and its version. */
  readonly name: string;
  /** Prepares a circuit of RY and CX gates, and an observable. */
  prepare(numQubits: number, gates: readonly GateOperation[], observable: PauliSum): Promise<void>;
  /** Runs both; milliseconds of the whole call. */
  run(): Promise<{ readonly ms: number; readonly value: number }>;
}

/**
 * Starts a peer, which uses two threads.
 *
 * @param python - An interpreter that can import the library.
 * @returns Nothing if it cannot.
 */
export async function observablePeer(
  library: (typeof OBSERVABLE_PEERS)[number],
  python: string,
): Promise<ObservablePeer | undefined> {
  const script = new URL('./observables-peer.py', import.meta.url).pathname;
  const env = { ...process.env, OMP_NUM_THREADS: '2' };
  const child = spawn(python, [script, library], { stdio: ['pipe', 'pipe', 'ignore'], env });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const line = await lines.next();
    return line.done === true ? undefined : JSON.parse(line.value);
  };
  const ask = async (request: object) => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const answered = await answer();
    if (answered === undefined) throw new Error(`${library} ended`);
    return answered;
  };
  const named = await answer();
  if (named === undefined) return undefined;
  return {
    name: named.name,
    prepare: async (qubits, gates, observable) => {
      await ask({
        qubits,
        gates: gates.map(({ gate, controls, targets, angles }) => {
          return [gate === 'RY' ? 'ry' : 'cx', [...controls, ...targets], ...angles];
        }),
        terms: observable.map(({ coefficient, factors }) => {
          return [coefficient, factors.map(({ pauli, qubit }) => [pauli, qubit])];
        }),
      });
    },
    run: () => ask({ run: true }),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
