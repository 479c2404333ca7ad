/**
 * Qiskit Aer as a peer of the benchmark of fresh circuits: a Python process that reads OpenQASM 2 and runs
 * it, with the time of its whole call (bench/peers/fresh-peer.py).
 *
 *     python3 -m venv FOLDER && FOLDER/bin/pip install qiskit qiskit-aer
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

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
  const script = new URL('./fresh-peer.py', import.meta.url).pathname;
  const child = spawn(options.python, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const line = await lines.next();
    if (line.done === true) throw new Error('Aer ended');
    return JSON.parse(line.value);
  };
  const ask = async (request: object) => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return await answer();
  };
  const { name } = await answer();
  return {
    name,
    run: (qasm, shots) => ask({ qasm, shots, precision: 'single' }),
    state: async (qasm) => {
      const { state } = await ask({ qasm, state: true, precision: 'double' });
      return Float64Array.from(state);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
