/** An engine in a worker and the circuits prepared for it: from a run to its outcome. */
import { createHash } from 'node:crypto';
import { type DynamicCircuit, withAngles } from '../../circuit/circuit.ts';
import type { CompilationReport, CompileOptions } from '../../compiler/compile.ts';
import { type AngleKinds, angleKinds } from '../../compiler/parametric.ts';
import type { Program, TargetProfile } from '../../compiler/program.ts';
import type { CompiledShape, compileShape } from '../../compiler/shape.ts';
import { type BatchResults, emptyResults } from '../../engine/batch-request.ts';
import type { Counts, Engine, Executable, RunResult } from '../../engine/engine.ts';
import { type BatchRunOutputs, type BatchRunRequest, MAX_LISTED_BITS } from './sent-batch.ts';
import {
  circuitOf,
  isSameCircuit,
  type WrittenCircuit,
  type WrittenShape,
  writeCircuit,
} from './sent-circuit.ts';
import {
  type MaybeBatchEngine,
  mayBeBatched,
  OwnTime,
  ShapeBatches,
  type ShapedRun,
  takeOfSameShape,
} from './shape-batches.ts';
import type {
  BatchOutcome,
  CircuitOutcome,
  Reuse,
  SentBatchRun,
  SentCircuit,
  SentCircuitRun,
  SentRun,
} from './worker-messages.ts';

/** The compiler's pipelines: for a circuit, and for all circuits that differ from it in their angles. */
export interface Compiler {
  readonly compile: (
    circuit: DynamicCircuit,
    target: TargetProfile,
    options: CompileOptions,
  ) => { readonly program: Program; readonly report: CompilationReport };
  readonly compileShape: typeof compileShape;
}

/** Circuits of a list of one shape, to be run together. */
export type Gathered = readonly [ShapedRun, ...ShapedRun[]];

/** One engine. Small circuits that ask for counts alone are kept for when they come again. */
export class ServedEngine {
  readonly #engine: Engine;
  readonly #shapes: CompiledShapes;
  readonly #kept: KeptCircuits;
  readonly #batches: ShapeBatches;

  constructor(engine: MaybeBatchEngine, compiler: Compiler, limits: KeepLimits) {
    this.#engine = engine;
    this.#shapes = new CompiledShapes(engine.target, compiler);
    this.#kept = new KeptCircuits(limits);
    this.#batches = new ShapeBatches(engine);
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
  ): Promise<readonly CircuitOutcome[] | undefined> {
    return await this.#batches.run(batch, signal);
  }

  /**
   * Runs a batch run: its circuits together where the engine's batches give what it asks for, and otherwise each as by
   * itself.
   *
   * @throws what the compiler and the engine throw, the signal's reason among it.
   */
  async runBatch(
    run: SentBatchRun,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<BatchOutcome> {
    const together = await this.#batches.runRequestOfBatch(run, signal);
    return together ?? (await this.#runOneByOne(run, onProgress, signal));
  }

  async #runOneByOne(
    { shape, request }: SentBatchRun,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<BatchOutcome> {
    const ownTime = new OwnTime(this.#engine);
    const { numCircuits, angles, seed = 0, seeds, shots = 0 } = request;
    const { statevectors = false, probabilities = false, observables } = request;
    const outputs = {
      ...(statevectors && { statevector: true }),
      ...(probabilities && { probabilities: true }),
      ...(observables !== undefined && { observables }),
    };
    const keepState = statevectors || observables !== undefined;
    const each = numCircuits === 0 ? 0 : angles.length / numCircuits;
    let [compileMs, executionMs] = [0, 0];
    let executable: Executable | undefined;
    const results = new RowResults(shape.numQubits, request);
    try {
      let yieldedAt = performance.now();
      for (let k = 0; k < numCircuits; k++) {
        const started = performance.now();
        if (started - yieldedAt > YIELD_EVERY_MS) {
          await nextTurn();
          signal.throwIfAborted();
          yieldedAt = started;
        }
        // Circuits without angles differ in their seeds alone.
        if (executable === undefined || each > 0) {
          await executable?.[Symbol.asyncDispose]();
          executable = undefined;
          const circuit = circuitAt(shape, angles.subarray(k * each, (k + 1) * each));
          const { program } = this.#shapes.compile(circuit, keepState);
          executable = await this.#engine.prepare(program);
        }
        const compiledAt = performance.now();
        const result = await executable.run(
          {
            ...outputs,
            shots,
            seed: seeds?.[k] ?? seed + k,
            onProgress: (fraction) => onProgress((k + fraction) / numCircuits),
          },
          signal,
        );
        results.set(k, result);
        compileMs += compiledAt - started;
        executionMs += performance.now() - compiledAt;
        onProgress((k + 1) / numCircuits);
      }
    } finally {
      await executable?.[Symbol.asyncDispose]();
    }
    return { batch: results.outputs, compileMs, executionMs, ownMs: ownTime.elapsedMs };
  }

  /**
   * Runs a circuit that is kept or whose shape was met before, or compiles it.
   *
   * @throws what the compiler and the engine throw, the signal's reason among it.
   */
  async run(
    run: SentCircuitRun,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<CircuitOutcome> {
    const started = performance.now();
    const ownTime = new OwnTime(this.#engine);
    const { circuit, request } = run;
    const keepState = request.statevector === true || request.observables !== undefined;
    const key = keepState ? undefined : keyOfCircuit(circuit, this.#kept.limits);
    let compiled = key === undefined ? undefined : this.#kept.take(key);
    if (compiled === undefined) {
      const [outcome] = this.#mayBeBatched(run)
        ? ((await this.runTogether([run], signal)) ?? [])
        : [];
      if (outcome !== undefined) return outcome;
      const { program, ...how } = this.#shapes.compile(circuit, keepState);
      compiled = { executable: await this.#engine.prepare(program), ...how };
    }
    const compileMs = performance.now() - started;
    let isKept = false;
    try {
      const run = await compiled.executable.run({ ...request, onProgress }, signal);
      isKept = key !== undefined;
      const { report: compilation, reused } = compiled;
      return { run, compilation, reused, compileMs, ownMs: ownTime.elapsedMs };
    } finally {
      // What failed is not tried again as it is.
      if (isKept && key !== undefined)
        await this.#kept.keep(key, { ...compiled, reused: 'program' });
      else await compiled.executable[Symbol.asyncDispose]();
    }
  }

  #mayBeBatched(run: SentRun): run is ShapedRun {
    return mayBeBatched(run) && this.#batches.mayTake(run.circuit);
  }
}

/** Circuits of a batch that are run one by one let messages be heard this often. */
const YIELD_EVERY_MS = 20;

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A circuit of a batch run. */
function circuitAt(
  shape: WrittenShape | DynamicCircuit,
  angles: Float64Array,
): WrittenCircuit | DynamicCircuit {
  if (!('shape' in shape)) return withAngles(shape, angles);
  const { numQubits, numOperations, shape: text } = shape;
  return { numQubits, numOperations, shape: text, angles: [...angles] };
}

/** Results of circuits that are run one by one, in the form of a batch's. */
class RowResults {
  readonly #numQubits: number;
  readonly #request: BatchRunRequest;
  readonly #longCounts: Counts[] = [];
  #results: BatchResults | undefined;

  constructor(numQubits: number, request: BatchRunRequest) {
    this.#numQubits = numQubits;
    this.#request = request;
  }

  /** Sets the results of circuit k. */
  set(k: number, { counts, statevector, probabilities, expectations }: RunResult): void {
    const { numBits } = counts;
    const isLong = numBits > MAX_LISTED_BITS;
    const { shots = 0 } = this.#request;
    this.#results ??= emptyResults(
      { numQubits: this.#numQubits, numBits },
      { ...this.#request, shots: isLong ? 0 : shots },
    );
    const results = this.#results;
    if (shots > 0 && isLong) this.#longCounts.push(counts);
    else if (shots > 0) {
      const { outcomes, occurrences } = counts;
      for (let i = 0; i < outcomes.length; i++) {
        results.counts![k * 2 ** numBits + outcomes[i]!] = occurrences[i]!;
      }
    }
    if (statevector !== undefined) results.statevectors?.set(statevector, k * statevector.length);
    if (probabilities !== undefined) {
      results.probabilities?.set(probabilities, k * probabilities.length);
    }
    if (expectations !== undefined)
      results.expectations?.set(expectations, k * expectations.length);
  }

  get outputs(): BatchRunOutputs {
    const longCounts = this.#longCounts;
    return { ...this.#results, ...(longCounts.length > 0 && { longCounts }) };
  }
}

/** Operations of the shapes that are kept, together; one takes 1 to 3 KB, with what the engine keeps of it. */
const MAX_SHAPE_OPERATIONS = 20_000;
const MAX_SHAPES = 64;

/** A circuit but for the values of its parameters. */
interface ShapeEntry {
  readonly text: string;
  /** As in `AngleKinds`. */
  readonly slots: Int32Array;
  /** The angles of the circuit that came first, which has the same constants as the others. */
  readonly angles: readonly number[];
  readonly keepState: boolean;
  readonly numOperations: number;
  readonly compiled: CompiledShape;
}

/**
 * Compiles circuits for one engine, and keeps the shapes that it compiled last. The shape of a circuit without
 * parameters is the circuit.
 *
 * A circuit that can be written as text is always compiled as a shape, also the first of it: a seed gives the same
 * counts whatever came before.
 */
class CompiledShapes {
  readonly #target: TargetProfile;
  readonly #compiler: Compiler;
  /** In the order of use, the oldest first. Few enough to look at each. */
  readonly #entries: ShapeEntry[] = [];
  #numOperations = 0;

  constructor(target: TargetProfile, compiler: Compiler) {
    this.#target = target;
    this.#compiler = compiler;
  }

  /** @throws what the compiler throws. */
  compile(
    circuit: SentCircuit,
    keepState: boolean,
  ): { readonly program: Program; readonly report: CompilationReport; readonly reused: Reuse } {
    // What comes as objects cannot be written as text, but long circuits come as bytes.
    const read = 'bytes' in circuit ? circuitOf(circuit) : circuit;
    const written = 'shape' in read ? read : 'bytes' in circuit ? writeCircuit(read) : undefined;
    if (written !== undefined) {
      const kinds = angleKinds(written.angles);
      const known = this.#take(written, kinds, keepState);
      const entry = known ?? this.#newEntry(written, kinds, keepState);
      this.#keep(entry);
      const program = entry.compiled.bind(kinds.values);
      const hasParameters = kinds.values.length > 0;
      const reused = known === undefined ? 'nothing' : hasParameters ? 'shape' : 'program';
      if (program !== undefined) return { program, report: entry.compiled.report, reused };
    }
    const whole = this.#compiler.compile(circuitOf(read), this.#target, { keepState });
    return { ...whole, reused: 'nothing' };
  }

  #newEntry(written: WrittenCircuit, { slots }: AngleKinds, keepState: boolean): ShapeEntry {
    const { shape: text, angles, numOperations } = written;
    const circuit = circuitOf(written);
    const compiled = this.#compiler.compileShape(circuit, { slots }, this.#target, { keepState });
    return { text, slots, angles, keepState, numOperations, compiled };
  }

  #take(
    { shape, angles }: WrittenCircuit,
    { slots }: AngleKinds,
    keepState: boolean,
  ): ShapeEntry | undefined {
    const place = this.#entries.findLastIndex(
      (entry) =>
        entry.keepState === keepState &&
        entry.text === shape &&
        entry.slots.every(
          (slot, i) => slot === slots[i] && (slot >= 0 || entry.angles[i] === angles[i]),
        ),
    );
    if (place < 0) return undefined;
    const [entry] = this.#entries.splice(place, 1);
    this.#numOperations -= entry!.numOperations;
    return entry;
  }

  #keep(entry: ShapeEntry): void {
    // A very long one would displace all others.
    if (entry.numOperations > MAX_SHAPE_OPERATIONS) return;
    this.#entries.push(entry);
    this.#numOperations += entry.numOperations;
    while (this.#entries.length > MAX_SHAPES || this.#numOperations > MAX_SHAPE_OPERATIONS) {
      this.#numOperations -= this.#entries.shift()!.numOperations;
    }
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
  /** What a run of it reuses. */
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
