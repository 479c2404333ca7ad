/**
 * PennyLane's lightning.qubit as a peer of the benchmark of gradients: a Python process that keeps circuits and gives
 * their gradients by Lightning's adjoint method (bench/peers/gradient-peer.py).
 *
 *     python3 -m venv FOLDER && FOLDER/bin/pip install pennylane pennylane-lightning
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Circuit } from '../../src/circuit/circuit.ts';

/** One gradient of the sum of Z on all qubits, by all angles. */
export interface LightningRun {
  /** Processor time of all threads. */
  readonly ms: number;
  readonly value: number;
  readonly gradient: readonly number[];
}

/** A warm Python process with Lightning. */
export interface LightningPeer extends AsyncDisposable {
  /** `pennylane-lightning`, its version and its threads. */
  readonly name: string;
  keep(name: string, circuit: Circuit): Promise<void>;
  run(name: string): Promise<LightningRun>;
}

/**
 * Starts a peer.
 *
 * @param options.python - An interpreter that can import `pennylane` and `pennylane_lightning`.
 * @throws {Error} if it ends instead.
 */
export async function lightningPeer(options: {
  readonly python: string;
  readonly numThreads: number;
}): Promise<LightningPeer> {
  const script = new URL('./gradient-peer.py', import.meta.url).pathname;
  const env = { ...process.env, OMP_NUM_THREADS: String(options.numThreads) };
  const child = spawn(options.python, [script], { stdio: ['pipe', 'pipe', 'inherit'], env });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const line = await lines.next();
    if (line.done === true) throw new Error('Lightning ended');
    return JSON.parse(line.value);
  };
  const ask = async (request: object) => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return await answer();
  };
  const { name } = await answer();
  return {
    name,
    async keep(kept, { numQubits, operations }) {
      const gates = operations.map((operation) => {
        if (operation.kind !== 'gate')
          throw new Error(`Lightning is not given a ${operation.kind}`);
        const { gate, controls, targets, angles } = operation;
        return [gate, [...controls, ...targets], angles];
      });
      await ask({ name: kept, qubits: numQubits, gates });
    },
    run: (kept) => ask({ run: kept }),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
