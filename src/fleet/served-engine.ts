/** An engine in a worker and the circuits prepared for it: from a task to its outcome. */
import type { Circuit } from '../circuit/circuit.ts';
import type { CompilationReport, CompileOptions } from '../compiler/compile.ts';
import type { Program, TargetProfile } from '../compiler/program.ts';
import type { Engine } from '../engine/engine.ts';
import { type KeptCircuits, keyOfCircuit, PreparedCircuits } from './prepared-circuits.ts';
import { circuitOf } from './serialized-circuit.ts';
import type { SentTask, WorkerOutcome } from './worker-messages.ts';

/** The compiler's pipeline. */
export type Compile = (
  circuit: Circuit,
  target: TargetProfile,
  options: CompileOptions,
) => { readonly program: Program; readonly report: CompilationReport };

/** One engine. Small circuits that ask for counts alone are kept for when they come again. */
export class ServedEngine {
  readonly #engine: Engine;
  readonly #compile: Compile;
  readonly #kept: PreparedCircuits;

  constructor(engine: Engine, compile: Compile, limits: KeptCircuits) {
    this.#engine = engine;
    this.#compile = compile;
    this.#kept = new PreparedCircuits(limits);
  }

  /**
   * Compiles the circuit unless it is kept, and runs it.
   *
   * @throws what the compiler and the engine throw, the signal's reason among it.
   */
  async run(
    { circuit, request }: SentTask,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<WorkerOutcome> {
    const started = performance.now();
    const keepState = request.statevector === true || request.observables !== undefined;
    const key = keepState ? undefined : keyOfCircuit(circuit, this.#kept.limits);
    let prepared = key === undefined ? undefined : this.#kept.take(key);
    if (prepared === undefined) {
      const { target } = this.#engine;
      const { program, report } = this.#compile(circuitOf(circuit), target, { keepState });
      prepared = { executable: await this.#engine.prepare(program), report };
    }
    const compileMs = performance.now() - started;
    let isKept = false;
    try {
      const run = await prepared.executable.run({ ...request, onProgress }, signal);
      isKept = key !== undefined;
      return { run, compilation: prepared.report, compileMs };
    } finally {
      // What failed is not tried again as it is.
      if (isKept && key !== undefined) await this.#kept.keep(key, prepared);
      else await prepared.executable[Symbol.asyncDispose]();
    }
  }
}
