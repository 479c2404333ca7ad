/** An engine, in a worker or in this process, and the circuits prepared for it: from a run to its outcome. */
import { evaluateAngles } from '../../circuit/angle-formulas.ts';
import { readsState } from '../../circuit/outputs.ts';
import { compile } from '../../compiler/compile.ts';
import { compileGradient } from '../../compiler/gradient/compile-gradient.ts';
import { compileShape } from '../../compiler/shape.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CircuitRun } from '../processor.ts';
import { outputsOf } from '../run-outputs.ts';
import { isBatch } from '../schedule/scheduled-run.ts';
import { countsErrors, ErrorCounter } from './error-counter.ts';
import {
  CircuitPreparation,
  type Compiler,
  KEPT_ON_CPU,
  type KeepLimits,
  KeptCircuits,
  keyOfCircuit,
} from './prepared-circuits.ts';
import { circuitOf, methodOfSent } from './sent-circuit.ts';
import { PostedCircuits } from './sent-run.ts';
import {
  mayBeBatched,
  OwnTime,
  ShapeBatches,
  type ShapedRun,
  takeOfSameShape,
} from './shape-batches.ts';
import { ShiftedGradients } from './shifted-gradients.ts';
import { SingleRuns } from './single-runs.ts';
import type { RunOutcome, SentBatch, SentRun } from './worker-messages.ts';

/** Circuits of a list of one shape, to be run together. */
export type Gathered = readonly [ShapedRun, ...ShapedRun[]];

/** One engine. Small circuits that ask for counts alone are kept for when they come again. */
export class ServedEngine {
  readonly #engine: Engine;
  readonly #preparation: CircuitPreparation;
  readonly #kept: KeptCircuits;
  readonly #batches: ShapeBatches;
  readonly #singles: SingleRuns;
  readonly #shifted: ShiftedGradients;
  readonly #errorCounter: ErrorCounter;

  constructor(engine: Engine, compiler: Compiler, limits: KeepLimits) {
    this.#engine = engine;
    this.#preparation = new CircuitPreparation(engine, compiler);
    this.#kept = new KeptCircuits(limits);
    this.#batches = new ShapeBatches(engine);
    this.#singles = new SingleRuns(engine, compiler, this.#preparation);
    this.#shifted = new ShiftedGradients(engine);
    this.#errorCounter = new ErrorCounter(engine, this.#preparation);
  }

  /**
   * Takes the runs out of a list that run together with a run.
   *
   * @returns All of them, the run first; undefined where it is to be run by itself.
   */
  gather(run: SentRun, waiting: SentRun[]): Gathered | undefined {
    if (waiting.length === 0 || !this.#mayBeBatched(run)) return undefined;
    const others = takeOfSameShape(run, waiting);
    return others.length === 0 ? undefined : [run, ...others];
  }

  /**
   * Runs the gathered runs.
   *
   * @returns An outcome for each, or undefined where each is to be run by itself.
   */
  async runTogether(
    batch: Gathered,
    signal: AbortSignal,
  ): Promise<readonly RunOutcome[] | undefined> {
    return await this.#batches.run(batch, signal);
  }

  /**
   * Runs a circuit, or those of a batch.
   *
   * @throws what the compiler and the engine throw, the signal's reason among it.
   */
  async run(
    run: SentRun,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<RunOutcome> {
    const { circuit, request } = run;
    if (countsErrors(run)) return await this.#errorCounter.run(run, onProgress, signal);
    if (!isBatch(request)) return await this.#runOne(run, onProgress, signal);
    const shape = 'bytes' in circuit ? circuitOf(circuit) : circuit;
    return await this.#runBatch({ ...run, circuit: shape, request }, onProgress, signal);
  }

  /**
   * Runs the circuits of a batch together where the engine's batches give what it asks for, and otherwise each as by
   * itself. Gradients by shifts where that is faster.
   */
  async #runBatch(
    run: SentBatch,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<RunOutcome> {
    const { formulas, angles: rows, numCircuits } = run.request;
    const angles = formulas === undefined ? rows : evaluateAngles(formulas, rows, numCircuits);
    const method = methodOfSent(run.circuit, run.request);
    const withOwnAngles = { ...run, request: { ...run.request, angles, method } };
    const together = await this.#runTogether(withOwnAngles, rows, onProgress, signal);
    return together ?? (await this.#singles.run(withOwnAngles, rows, onProgress, signal));
  }

  async #runTogether(
    run: SentBatch,
    rows: Float64Array,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<RunOutcome | undefined> {
    if (run.request.gradients === true) {
      return await this.#shifted.run(run, rows, (one) => this.#runBatch(one, onProgress, signal));
    }
    return await this.#batches.runBatch(run, signal);
  }

  /** Runs a circuit that is kept or whose shape was met before, or compiles it. */
  async #runOne(
    run: SentRun,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<RunOutcome> {
    const started = performance.now();
    const ownTime = new OwnTime(this.#engine);
    const { circuit, request } = run;
    const { shots = 0, seed = 0 } = request;
    const keepState = readsState(request);
    const method = methodOfSent(circuit, request);
    const isKeepable = method === 'statevector' && !keepState;
    const key = isKeepable ? keyOfCircuit(circuit, this.#kept.limits) : undefined;
    let compiled = key === undefined ? undefined : this.#kept.take(key);
    if (compiled === undefined) {
      const [outcome] = this.#mayBeBatched(run)
        ? ((await this.runTogether([run], signal)) ?? [])
        : [];
      if (outcome !== undefined) return outcome;
      compiled = await this.#preparation.prepare(circuit, { ...request, method }, keepState);
    }
    const compileMs = performance.now() - started;
    let isKept = false;
    try {
      const asked = { ...request, shots, seed, onProgress };
      const result = await compiled.executable.run(asked, signal);
      isKept = key !== undefined;
      const { evolutionMs, samplingMs } = result.timing;
      return {
        outputs: outputsOf(result),
        compilation: compiled.report,
        reused: compiled.reused,
        compileMs,
        executionMs: evolutionMs + samplingMs,
        samplingMs,
        ownMs: ownTime.elapsedMs,
      };
    } finally {
      // A circuit that failed is compiled anew the next time.
      if (isKept && key !== undefined)
        await this.#kept.keep(key, { ...compiled, reused: 'program' });
      else await compiled.executable[Symbol.asyncDispose]();
    }
  }

  #mayBeBatched(run: SentRun): run is ShapedRun {
    return mayBeBatched(run) && this.#batches.mayTake(run.circuit);
  }
}

/** Runs circuits; throws what the compiler and the engine throw, the signal's reason among it. */
export type RunLocally = (
  run: Pick<CircuitRun, 'circuit' | 'request'>,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
) => Promise<RunOutcome>;

/** Runs on an engine, which its opener closes. Shapes are kept for when they come again. */
export function localRuns(engine: Engine): RunLocally {
  const served = new ServedEngine(engine, { compile, compileShape, compileGradient }, KEPT_ON_CPU);
  const { precision } = engine.target;
  return (run, onProgress, signal) => {
    const circuit = new PostedCircuits().of(run);
    return served.run({ id: 0, precision, circuit, request: run.request }, onProgress, signal);
  };
}
