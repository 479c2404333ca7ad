/** An engine in a worker and the circuits prepared for it: from a task to its outcome. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import type { CompilationReport, CompileOptions } from '../../compiler/compile.ts';
import type { Program, TargetProfile } from '../../compiler/program.ts';
import type { Engine } from '../../engine/engine.ts';
import { mayBeBatched, type ShapedTask, takeOfSameShape } from './batch-rule.ts';
import { type KeptCircuits, keyOfCircuit, PreparedCircuits } from './prepared-circuits.ts';
import { circuitOf } from './serialized-circuit.ts';
import { type MaybeBatchEngine, ShapeBatches } from './shape-batches.ts';
import type {
  SentBatch,
  SentItem,
  SentTask,
  WorkerBatchOutcome,
  WorkerOutcome,
} from './worker-messages.ts';

/** The compiler's pipeline. */
export type Compile = (
  circuit: DynamicCircuit,
  target: TargetProfile,
  options: CompileOptions,
) => { readonly program: Program; readonly report: CompilationReport };

/** Circuits of a list of one shape, to be run together. */
export type Gathered = readonly [ShapedTask, ...ShapedTask[]];

/** One engine. Small circuits that ask for counts alone are kept for when they come again. */
export class ServedEngine {
  readonly #engine: Engine;
  readonly #compile: Compile;
  readonly #kept: PreparedCircuits;
  readonly #batches: ShapeBatches;

  constructor(engine: MaybeBatchEngine, compile: Compile, limits: KeptCircuits) {
    this.#engine = engine;
    this.#compile = compile;
    this.#kept = new PreparedCircuits(limits);
    this.#batches = new ShapeBatches(engine);
  }

  /**
   * Takes out of a list what is to be run together with a task.
   *
   * @returns All of them, the task first; undefined where it is to be run by itself.
   */
  gather(task: SentItem, waiting: SentItem[]): Gathered | undefined {
    if (waiting.length === 0 || !this.#mayBeBatched(task)) return undefined;
    const others = takeOfSameShape(task, waiting);
    return others.length === 0 ? undefined : [task, ...others];
  }

  /**
   * Runs what was gathered.
   *
   * @returns An outcome for each, or undefined where each is to be run by itself.
   */
  async runTogether(
    batch: Gathered,
    signal: AbortSignal,
  ): Promise<readonly WorkerOutcome[] | undefined> {
    return await this.#batches.run(batch, signal);
  }

  /**
   * Runs a batch task.
   *
   * @throws what the engine throws, the signal's reason among it.
   */
  async runBatch(task: SentBatch, signal: AbortSignal): Promise<WorkerBatchOutcome> {
    return await this.#batches.runTask(task, signal);
  }

  /**
   * Runs a circuit that is kept or whose shape was met before, or compiles it.
   *
   * @throws what the compiler and the engine throw, the signal's reason among it.
   */
  async run(
    task: SentTask,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<WorkerOutcome> {
    const started = performance.now();
    const { circuit, request } = task;
    const keepState = request.statevector === true || request.observables !== undefined;
    const key = keepState ? undefined : keyOfCircuit(circuit, this.#kept.limits);
    let prepared = key === undefined ? undefined : this.#kept.take(key);
    if (prepared === undefined) {
      const [outcome] = this.#mayBeBatched(task)
        ? ((await this.runTogether([task], signal)) ?? [])
        : [];
      if (outcome !== undefined) return outcome;
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

  #mayBeBatched(task: SentItem): task is ShapedTask {
    return mayBeBatched(task) && this.#batches.mayTake(task.circuit);
  }
}
