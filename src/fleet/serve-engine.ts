/**
 * The worker's side of the pool: takes one circuit at a time, compiles it, runs it, answers.
 *
 * A cancel message is seen whenever the engine yields; what does not yield is ended by the pool.
 * While a circuit runs, a progress message goes out at least once a second as long as the engine
 * yields, also when the fraction stands still: it is the sign of life that health checks read.
 *
 * An engine is opened when a circuit of its precision first comes, and kept. So are small circuits
 * that ask for counts alone; a self-test asks for more, so it always takes the whole way.
 */
import type { Circuit } from '../circuit/circuit.ts';
import type { CompilationReport, CompileOptions } from '../compiler/compile.ts';
import type { Program, TargetProfile } from '../compiler/program.ts';
import type { Engine, RunRequest, RunResult } from '../engine/engine.ts';
import { DeviceLostError, GpuFaultError, HelperLostError } from '../engine/errors.ts';
import { CodedError } from '../errors/coded-error.ts';
import { type KeptCircuits, keyOfCircuit, PreparedCircuits } from './prepared-circuits.ts';
import { circuitOf } from './serialized-circuit.ts';
import type {
  EngineReport,
  FromWorker,
  Precision,
  ToWorker,
  WorkerFailure,
  WorkerOutcome,
} from './worker-messages.ts';

/** Progress goes out at most this often. */
const PROGRESS_INTERVAL_MS = 50;
/** And at least this often. */
const SIGN_OF_LIFE_INTERVAL_MS = 1000;

/** Below this size a copy costs less than a transfer (measured: some 4 µs a buffer). */
const MIN_TRANSFER_BYTES = 16_384;

/** What V8 throws when the operating system refuses the memory of an array or of an engine. */
const REFUSED_MEMORY = /^Array buffer allocation failed$|could not allocate memory/;

/** The compiler's pipeline. */
export type Compile = (
  circuit: Circuit,
  target: TargetProfile,
  options: CompileOptions,
) => { readonly program: Program; readonly report: CompilationReport };

/** The way to the pool and back. */
export interface WorkerPort {
  post(message: FromWorker, transfer: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: ToWorker) => void): void;
}

/** What a worker serves the pool with. */
export interface ServedEngines {
  /** Called when a circuit of the precision first comes. */
  readonly open: (precision: Precision) => Engine;
  readonly compile: Compile;
  /** Which circuits are kept prepared. */
  readonly kept: KeptCircuits;
  /** What to say of the engine, where it is open already. */
  readonly report?: EngineReport;
}

/** An engine and the circuits prepared for it. */
interface OpenEngine {
  readonly engine: Engine;
  readonly kept: PreparedCircuits;
}

type RunMessage = Extract<ToWorker, { kind: 'run' }>;

/** Answers the messages on `port` until the worker is ended. */
export function serveEngine(
  port: WorkerPort,
  { open, compile, kept: limits, report }: ServedEngines,
): void {
  const engines = new Map<Precision, OpenEngine>();
  const engineOf = (precision: Precision) => {
    const opened = engines.get(precision) ?? {
      engine: open(precision),
      kept: new PreparedCircuits(limits),
    };
    engines.set(precision, opened);
    return opened;
  };
  const controllers = new Map<number, AbortController>();
  const post = (message: FromWorker, transfer: readonly ArrayBuffer[] = []) =>
    port.post(message, transfer);

  const run = async (message: RunMessage) => {
    const { id } = message;
    const controller = new AbortController();
    controllers.set(id, controller);
    const progress = progressReporter((fraction) => post({ kind: 'progress', id, fraction }));
    try {
      const outcome = await runCircuit(
        engineOf(message.precision),
        compile,
        message,
        progress.report,
        controller.signal,
      );
      post({ kind: 'done', id, outcome }, buffersOf(outcome.run));
    } catch (error) {
      // The pool ends this worker, and the circuit is run again on a fresh one.
      if (isEngineLost(error)) post({ kind: 'lost', how: error.message });
      else if (controller.signal.aborted) post({ kind: 'aborted', id });
      else post({ kind: 'failed', id, failure: failureOf(error, message.circuit.numQubits) });
    } finally {
      progress.stop();
      controllers.delete(id);
    }
  };

  port.onMessage((message) => {
    switch (message.kind) {
      case 'run':
        void run(message);
        return;
      case 'cancel':
        controllers.get(message.id)?.abort();
        return;
    }
  });
  post({ kind: 'ready', ...(report && { report }) });
}

/** Whether what ran the circuit is not to be used again. */
function isEngineLost(error: unknown): error is CodedError {
  return (
    error instanceof HelperLostError ||
    error instanceof DeviceLostError ||
    error instanceof GpuFaultError
  );
}

async function runCircuit(
  { engine, kept }: OpenEngine,
  compile: Compile,
  { circuit, request }: RunMessage,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<WorkerOutcome> {
  const started = performance.now();
  const keepState = request.statevector === true || request.observables !== undefined;
  const key = keepState ? undefined : keyOfCircuit(circuit, kept.limits);
  let prepared = key === undefined ? undefined : kept.take(key);
  if (prepared === undefined) {
    const { program, report } = compile(circuitOf(circuit), engine.target, { keepState });
    prepared = { executable: await engine.prepare(program), report };
  }
  const compileMs = performance.now() - started;
  let isKept = false;
  try {
    const runRequest: RunRequest = { ...request, onProgress };
    const run = await prepared.executable.run(runRequest, signal);
    isKept = key !== undefined;
    return { run, compilation: prepared.report, compileMs };
  } finally {
    // What failed is not tried again as it is.
    if (isKept && key !== undefined) await kept.keep(key, prepared);
    else await prepared.executable[Symbol.asyncDispose]();
  }
}

/** Passes fractions on, no more often than is worth a message, and repeats the last as a sign of life. */
function progressReporter(send: (fraction: number) => void) {
  let last = 0;
  let lastSent = performance.now();
  const timer = setInterval(() => send(last), SIGN_OF_LIFE_INTERVAL_MS);
  return {
    report: (fraction: number) => {
      last = fraction;
      const now = performance.now();
      if (now - lastSent < PROGRESS_INTERVAL_MS) return;
      lastSent = now;
      send(fraction);
    },
    stop: () => clearInterval(timer),
  };
}

/** The large buffers, to transfer; each once, for two arrays may share one. */
function buffersOf(run: RunResult): readonly ArrayBuffer[] {
  const arrays = [run.counts.outcomes, run.counts.occurrences, run.statevector, run.probabilities];
  const buffers = new Set<ArrayBuffer>();
  for (const array of arrays) {
    const buffer = array?.buffer;
    if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < MIN_TRANSFER_BYTES) continue;
    buffers.add(buffer);
  }
  return [...buffers];
}

function failureOf(error: unknown, numQubits: number): WorkerFailure {
  if (error instanceof CodedError) {
    return {
      kind: 'coded',
      code: error.code,
      message: error.message,
      faults: error.faults.map((fault) => ({ ...fault })),
    };
  }
  if (error instanceof RangeError && REFUSED_MEMORY.test(error.message)) {
    return { kind: 'out-of-memory', numQubits };
  }
  return error instanceof Error
    ? { kind: 'unexpected', message: error.message, stack: error.stack ?? '' }
    : { kind: 'unexpected', message: String(error), stack: '' };
}
