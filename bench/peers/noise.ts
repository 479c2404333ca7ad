/** Qiskit Aer and Cirq as peers of the benchmark of noise, each in a Python process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { GateOperation } from '../../src/circuit/circuit.ts';

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
  const script = new URL('./noise-peer.py', import.meta.url).pathname;
  const env = { ...process.env, OMP_NUM_THREADS: '2' };
  const child = spawn(python, ['-W', 'ignore', script, library], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const line = await lines.next();
    if (line.done === true) throw new Error(`${library} ended`);
    return JSON.parse(line.value);
  };
  const ask = async (request: object) => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return await answer();
  };
  const { name } = await answer();
  return {
    library,
    name,
    prepare: async (qubits, gates, noise) => {
      const written = gates.map(({ gate, controls, targets, angles }) => {
        return [gate.toLowerCase(), [...controls, ...targets], ...angles];
      });
      await ask({ qubits, gates: written, noise });
    },
    density: async () => Float64Array.from((await ask({ density: true })).density),
    counts: (counts, seed) => ask({ counts, seed }),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
