/** Qiskit Aer and Cirq as peers of the benchmark of noise, each in a Python process of its own. */
import type { GateOperation } from '../../src/circuit/circuit.ts';
import { pythonPeer } from './python-peer.ts';

/** Libraries that bench/peers/noise-peer.py knows; Cirq gives density matrices only. */
export const NOISE_PEERS = ['aer', 'cirq'] as const;

/** Counts of a peer. */
export interface PeerCounts {
  /** By label, qubit 0 rightmost. */
  readonly counts: Readonly<Record<string, number>>;
  /** Milliseconds of the whole call. */
  readonly ms: number;
}

/** A warm Python process with a library. */
export interface NoisePeer extends AsyncDisposable {
  readonly library: (typeof NOISE_PEERS)[number];
  /** The package and its version. */
  readonly name: string;
  /** Prepares a circuit of gates from the table, with the noise of a model in the service's form. */
  prepare(numQubits: number, gates: readonly GateOperation[], noise: object): Promise<void>;
  /** The density matrix at the end; interleaved re, im, row by row. */
  density(): Promise<Float64Array>;
  /** Measures all qubits, by trajectories. */
  counts(shots: number, seed: number): Promise<PeerCounts>;
}

/**
 * Starts a peer, which uses two threads.
 *
 * @param python - An interpreter that can import the library.
 * @throws {Error} if it cannot.
 */
export async function noisePeer(
  library: (typeof NOISE_PEERS)[number],
  python: string,
): Promise<NoisePeer> {
  const peer = await pythonPeer(python, 'noise-peer.py', [library], { OMP_NUM_THREADS: '2' });
  return {
    library,
    name: peer.name,
    prepare: async (qubits, gates, noise) => {
      const written = gates.map(({ gate, controls, targets, angles }) => {
        return [gate.toLowerCase(), [...controls, ...targets], ...angles];
      });
      await peer.ask({ qubits, gates: written, noise });
    },
    density: async () => Float64Array.from((await peer.ask({ density: true })).density),
    counts: (counts, seed) => peer.ask({ counts, seed }),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}
