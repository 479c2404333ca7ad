/**
 * Qiskit Aer as a peer of the benchmark of fresh circuits: a Python process that reads OpenQASM 2 and runs
 * it, with the time of its whole call (bench/peers/fresh-peer.py).
 *
 *     python3 -m venv FOLDER && FOLDER/bin/pip install qiskit qiskit-aer
 */
import { pythonPeer } from './python-peer.ts';

/** One run of Aer: milliseconds, and how often each bit string was read. */
export interface AerRun {
  /** From the text to counts. */
  readonly ms: number;
  /** The part that read the text. */
  readonly readMs: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** A warm Python process with Aer. */
export interface AerPeer extends AsyncDisposable {
  /** `qiskit-aer` and its version. */
  readonly name: string;
  /** Runs a text that ends in measurements, in single precision. */
  run(qasm: string, shots: number): Promise<AerRun>;
  /** The state before the measurements in double precision; interleaved re, im. */
  state(qasm: string): Promise<Float64Array>;
}

/**
 * Starts a peer.
 *
 * @param options.python - An interpreter that can import `qiskit_aer`.
 * @throws {Error} if it ends instead.
 */
export async function aerPeer(options: { readonly python: string }): Promise<AerPeer> {
  const peer = await pythonPeer(options.python, 'fresh-peer.py');
  return {
    name: peer.name,
    run: (qasm, shots) => peer.ask({ qasm, shots, precision: 'single' }),
    state: async (qasm) => {
      const { state } = await peer.ask({ qasm, state: true, precision: 'double' });
      return Float64Array.from(state);
    },
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}
