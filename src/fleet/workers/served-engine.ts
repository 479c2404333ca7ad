/** An engine in a worker and the circuits prepared for it: from a run to its outcome. */
import { createHash } from 'node:crypto';
import { evaluateAngles } from '../../circuit/angle-formulas.ts';
import { readsState } from '../../circuit/outputs.ts';
import type { CompilationReport } from '../../compiler/compile.ts';
import type { Engine, Executable } from '../../engine/engine.ts';
import { outputsOf } from '../run-outputs.ts';
import { isBatch, type MethodRequest, type RunMethod } from '../schedule/scheduled-run.ts';
import { compiledByMethod } from './compiled-methods.ts';
import { CompiledShapes, type Compiler } from './compiled-shapes.ts';
import { circuitOf, isSameCircuit, methodOfSent, type WrittenCircuit } from './sent-circuit.ts';
import {
  type MaybeBatchEngine,
  mayBeBatched,
  OwnTime,
  ShapeBatches,
  type ShapedRun,
  takeOfSameShape,
} from './shape-batches.ts';
import { ShiftedGradients } from './shifted-gradients.ts';
import { SingleRuns } from './single-runs.ts';
import type { Reuse, RunOutcome, SentBatch, SentCircuit, SentRun } from './worker-messages.ts';

/** Circuits of a list of one shape, to be run together. */
export type Gathered = readonly [ShapedRun, ...ShapedRun[]];

/** One engine. Small circuits that ask for counts alone are kept for when they come again. */
export class ServedEngine {
  readonly #engine: Engine;
  readonly #shapes: CompiledShapes;
  readonly #kept: KeptCircuits;
  readonly #batches: ShapeBatches;
  readonly #singles: SingleRuns;
  readonly #shifted: ShiftedGradients;

  constructor(engine: MaybeBatchEngine, compiler: Compiler, limits: KeepLimits) {
    this.#engine = engine;
    this.#shapes = new CompiledShapes(engine.target, compiler);
    this.#kept = new KeptCircuits(limits);
    this.#batches = new ShapeBatches(engine);
    this.#singles = new SingleRuns(engine, compiler, this.#shapes);
    this.#shifted = new ShiftedGradients(engine);
  }

  /**
   * Takes out of a list what is to be run together with a run.
   *
   * @returns All of them, the run first; undefined where it is to be run by itself.
   */
  gather(run: SentRun, waiting: SentRun[]): Gathered | undefined {
    if (waiting.length === 0 || !this.#mayBeBatched(run)) return undefined;
    const others = takeOfSameShape(run, waiting);
    return others.length === 0 ? undefined : [run, ...others];
  }

  /**
   * Runs what was gathered.
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
      compiled = await this.#prepare(circuit, { ...request, method }, keepState);
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

  async #prepare(
    circuit: SentCircuit,
    request: MethodRequest & { readonly method: RunMethod },
    keepState: boolean,
  ): Promise<KeptCircuit> {
    if (request.method === 'statevector') {
      const { program, ...how } = this.#shapes.compile(circuit, keepState);
      return { executable: await this.#engine.prepare(program), ...how };
    }
    const whole = circuitOf(circuit);
    const { report, prepare } = compiledByMethod(this.#engine, whole, request, keepState);
    return { executable: await prepare(), report, reused: 'nothing' };
  }

  #mayBeBatched(run: SentRun): run is ShapedRun {
    return mayBeBatched(run) && this.#batches.mayTake(run.circuit);
  }
}

const MAX_KEPT = 16;

/** Limits of the circuits that are worth keeping. */
export interface KeepLimits {
  readonly maxQubits: number;
  /** Beyond this a key costs more than it is likely to save. */
  readonly maxOperations: number;
  /** Largest size of a circuit that comes as bytes. */
  readonly maxBytes: number;
}

/**
 * Limits on the CPU engine, whose programs hold their states: 16 KiB in double precision at 10 qubits, and
 * as much again for each branch that a run had at once.
 */
export const KEPT_ON_CPU: KeepLimits = { maxQubits: 10, maxOperations: 64, maxBytes: 0 };

/** Limits on an adapter, whose programs hold no state but their code and its tables. */
export const KEPT_ON_ADAPTER: KeepLimits = {
  maxQubits: 64,
  maxOperations: 4096,
  maxBytes: 2 ** 20,
};

/** A compiled circuit, ready to run. */
export interface KeptCircuit {
  readonly executable: Executable;
  readonly report: CompilationReport;
  /** Part of an earlier circuit that a run of it reuses. */
  readonly reused: Reuse;
}

/** Identity of a circuit: the digest of its bytes, or the written circuit itself. */
type CircuitKey = string | WrittenCircuit;

interface Entry {
  readonly key: CircuitKey;
  readonly circuit: KeptCircuit;
}

/** The circuits kept for one engine, by key. */
export class KeptCircuits {
  /** In the order of use, the oldest first. Few enough to look at each. */
  readonly #kept: Entry[] = [];
  readonly limits: KeepLimits;

  constructor(limits: KeepLimits) {
    this.limits = limits;
  }

  /** Takes a circuit out; `keep` puts it back after a run. */
  take(key: CircuitKey): KeptCircuit | undefined {
    const place = this.#kept.findLastIndex((entry) => isSameKey(entry.key, key));
    return place < 0 ? undefined : this.#kept.splice(place, 1)[0]?.circuit;
  }

  /** Keeps a circuit that is not among the kept ones. */
  async keep(key: CircuitKey, circuit: KeptCircuit): Promise<void> {
    this.#kept.push({ key, circuit });
    if (this.#kept.length <= MAX_KEPT) return;
    await this.#kept.shift()?.circuit.executable[Symbol.asyncDispose]();
  }
}

/** The key of a circuit; undefined for one that is not worth keeping. */
export function keyOfCircuit(
  circuit: SentCircuit,
  { maxQubits, maxOperations, maxBytes }: KeepLimits,
): CircuitKey | undefined {
  if (circuit.numQubits > maxQubits) return undefined;
  if ('bytes' in circuit) {
    if (circuit.bytes.length > maxBytes) return undefined;
    return createHash('sha256').update(circuit.bytes).digest('base64');
  }
  // Objects are what could not be written for its matrices.
  if (!('shape' in circuit) || circuit.numOperations > maxOperations) return undefined;
  return circuit;
}

function isSameKey(a: CircuitKey, b: CircuitKey): boolean {
  return typeof a === 'string' || typeof b === 'string' ? a === b : isSameCircuit(a, b);
}
