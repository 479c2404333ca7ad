/**
 * PennyLane's lightning.qubit as a peer of the benchmark of gradients: a Python process that keeps circuits and gives
 * their gradients by Lightning's adjoint method (bench/peers/gradient-peer.py).
 *
 *     python3 -m venv FOLDER && FOLDER/bin/pip install pennylane pennylane-lightning
 */

import type { Circuit } from '../../src/circuit/circuit.ts';
import { pythonPeer } from './python-peer.ts';

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
  const environment = { OMP_NUM_THREADS: String(options.numThreads) };
  const peer = await pythonPeer(options.python, 'gradient-peer.py', [], environment);
  return {
    name: peer.name,
    async keep(kept, { numQubits, operations }) {
      const gates = operations.map((operation) => {
        if (operation.kind !== 'gate')
          throw new Error(`Lightning is not given a ${operation.kind}`);
        const { gate, controls, targets, angles } = operation;
        return [gate, [...controls, ...targets], angles];
      });
      await peer.ask({ name: kept, qubits: numQubits, gates });
    },
    run: (kept) => peer.ask({ run: kept }),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}
