/**
 * Batch runs whose circuits run one after the other, each as by itself: wide ones, mid-circuit measurements, gradients.
 */
import { AngleDerivatives } from '../../circuit/angle-formulas.ts';
import {
  type DynamicCircuit,
  isStatic,
  withAngles,
  withoutPreparedState,
} from '../../circuit/circuit.ts';
import { askedFields, readsState } from '../../circuit/outputs.ts';
import type { CompiledGradient } from '../../compiler/gradient/compile-gradient.ts';
import { CONSTANT } from '../../compiler/parametric.ts';
import type { Engine, Executable, RunRequest, RunResult } from '../../engine/engine.ts';
import { OutputNeedsFinalStateError } from '../../engine/errors.ts';
import {
  JoinedOutputs,
  MAX_LISTED_BITS,
  outputsOf,
  type RunOutputs,
  valuesOfCounts,
} from '../run-outputs.ts';
import type { BatchRunRequest } from '../schedule/scheduled-run.ts';
import type { CircuitPreparation, Compiler } from './prepared-circuits.ts';
import { RecentlyUsed } from './recently-used.ts';
import { readCircuit, type WrittenCircuit } from './sent-circuit.ts';
import { OwnTime } from './shape-batches.ts';
import { openAngles } from './shifted-gradients.ts';
import type { RunOutcome, SentBatch } from './worker-messages.ts';

/** Messages are heard this often between circuits. */
const HEAR_EVERY_MS = 20;

type Shape = SentBatch['circuit'];

/** Runs circuits of batch runs one by one on one engine. */
export class SingleRuns {
  readonly #engine: Engine;
  readonly #preparation: CircuitPreparation;
  readonly #gradients: CompiledGradients;

  constructor(engine: Engine, compiler: Compiler, preparation: CircuitPreparation) {
    this.#engine = engine;
    this.#preparation = preparation;
    this.#gradients = new CompiledGradients(engine, compiler);
  }

  /**
   * Runs a batch run.
   *
   * @param run - Its request has the angles of the circuits.
   * @param rows - Rows from which the angles follow by the formulas; the angles where there are none.
   * @throws what the compiler and the engine throw, the signal's reason among it.
   */
  async run(
    { circuit: shape, request }: SentBatch,
    rows: Float64Array,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<RunOutcome> {
    const ownTime = new OwnTime(this.#engine);
    const startedAt = performance.now();
    const { numCircuits, method = 'statevector' } = request;
    const keepState = readsState(request);
    const angles = new Rows(request.angles, numCircuits);
    const joined = new JoinedOutputs(numCircuits);
    // A gradient run has the values of its observables, too.
    const isGradient = (field: string) => field === 'gradients' || field === 'observables';
    const asksMore = (request.shots ?? 0) > 0 || !askedFields(request).every(isGradient);
    const asks = asksMore || request.gradients !== true;
    const gradient =
      request.gradients === true
        ? new Gradient(this.#gradients.of(shape, request, angles), request, rows)
        : undefined;
    let compileMs = performance.now() - startedAt;
    let executable: Executable | undefined;
    let heardAt = startedAt;
    try {
      for (let k = 0; k < numCircuits; k++) {
        if (performance.now() - heardAt > HEAR_EVERY_MS) {
          await nextTurn();
          signal.throwIfAborted();
          heardAt = performance.now();
        }
        const own = angles.row(k);
        const onRowProgress = (fraction: number) => onProgress((k + fraction) / numCircuits);
        if (asks) {
          const compiledFrom = performance.now();
          // Circuits without angles differ in their seeds alone.
          if (executable === undefined || own.length > 0) {
            await executable?.[Symbol.asyncDispose]();
            executable = undefined;
            ({ executable } = await this.#preparation.prepare(
              circuitAt(shape, own),
              { ...request, method },
              keepState,
            ));
          }
          compileMs += performance.now() - compiledFrom;
          const asked = { ...runRequest(request, k), onProgress: onRowProgress };
          joined.set(k, k + 1, rowOutputs(await executable.run(asked, signal), request));
        }
        if (gradient !== undefined) {
          joined.set(k, k + 1, await gradient.at(k, own, onRowProgress, signal));
        }
        onRowProgress(1);
      }
    } finally {
      await executable?.[Symbol.asyncDispose]();
    }
    const executionMs = performance.now() - startedAt - compileMs;
    return { outputs: joined.outputs, compileMs, executionMs, ownMs: ownTime.elapsedMs };
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The request of circuit k. */
function runRequest(request: BatchRunRequest, k: number): RunRequest {
  const { shots = 0, seed = 0, seeds } = request;
  return { ...request, shots, seed: seeds?.[k] ?? seed + k };
}

/** Numbers of the circuits of a batch run, circuit after circuit. */
class Rows {
  readonly #numbers: Float64Array;
  readonly #length: number;

  constructor(numbers: Float64Array, numRows: number) {
    this.#numbers = numbers;
    this.#length = numRows === 0 ? 0 : numbers.length / numRows;
  }

  row(k: number): Float64Array {
    return this.#numbers.subarray(k * this.#length, (k + 1) * this.#length);
  }
}

/** A circuit of a batch run. */
function circuitAt(shape: Shape, angles: Float64Array): WrittenCircuit | DynamicCircuit {
  if (!('shape' in shape)) return withAngles(shape, angles);
  return { ...shape, angles: [...angles] };
}

/** The outputs of a circuit that is run as one of several. */
function rowOutputs(result: RunResult, { shots = 0 }: BatchRunRequest): RunOutputs {
  const { countsByRow = [], statePasses: _, trajectories: __, ...others } = outputsOf(result);
  if (shots === 0) return others;
  const isLong = result.counts.numBits > MAX_LISTED_BITS;
  return isLong ? { ...others, countsByRow } : { ...others, counts: valuesOfCounts(result.counts) };
}

/** Gradients of circuits of one shape by the numbers of their rows. */
class Gradient {
  readonly #compiled: PreparedGradient;
  readonly #observables: NonNullable<BatchRunRequest['observables']>;
  readonly #rows: Float64Array;
  readonly #derivatives: AngleDerivatives | undefined;
  readonly #numInputs: number;
  readonly #numAngles: number;

  constructor(
    compiled: PreparedGradient,
    { observables = [], formulas, angles, numCircuits }: BatchRunRequest,
    rows: Float64Array,
  ) {
    this.#compiled = compiled;
    this.#observables = observables;
    this.#rows = rows;
    this.#numAngles = numCircuits === 0 ? 0 : angles.length / numCircuits;
    this.#numInputs = formulas?.numInputs ?? this.#numAngles;
    this.#derivatives = formulas && new AngleDerivatives(formulas);
  }

  /** Values of the observables for circuit k, and for each the derivatives by the numbers of its row, as columns. */
  async at(
    k: number,
    angles: Float64Array,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<Pick<RunOutputs, 'expectations' | 'gradients'>> {
    const { engine, compiled, openAngles } = this.#compiled;
    const program = compiled.bind(Float64Array.from(openAngles, (angle) => angles[angle]!));
    await using executable = await engine.prepare.gradient!(program);
    const result = await executable.run({ observables: this.#observables, onProgress }, signal);
    const gradients = new Float64Array(this.#observables.length * this.#numInputs);
    this.#derivatives?.setRow(this.#rows, k * this.#numInputs);
    const byAngle = new Float64Array(this.#numAngles);
    for (let o = 0; o < this.#observables.length; o++) {
      for (const [i, angle] of openAngles.entries()) {
        byAngle[angle] = result.gradients[o * openAngles.length + i]!;
      }
      gradients.set(this.#derivatives?.toInputs(byAngle) ?? byAngle, o * this.#numInputs);
    }
    return { expectations: result.values, gradients };
  }
}

/** A gradient compiled for all angles of a shape that depend on inputs. */
interface PreparedGradient {
  readonly engine: Engine;
  readonly compiled: CompiledGradient;
  /** Angles that the derivatives are taken by, ascending. */
  readonly openAngles: readonly number[];
}

const MAX_GRADIENTS = 16;

interface GradientEntry {
  readonly text: string;
  readonly isOpen: Uint8Array;
  /** Those of the first circuit. */
  readonly angles: Float64Array;
  readonly gradient: PreparedGradient;
}

/** Keeps the gradients that were compiled last for one engine. */
class CompiledGradients {
  readonly #engine: Engine;
  readonly #compiler: Compiler;
  readonly #entries = new RecentlyUsed<GradientEntry>(MAX_GRADIENTS);

  constructor(engine: Engine, compiler: Compiler) {
    this.#engine = engine;
    this.#compiler = compiler;
  }

  /** @throws what the compiler throws. */
  of(shape: Shape, request: BatchRunRequest, rows: Rows): PreparedGradient {
    const angles = rows.row(0);
    const isOpen = openAngles(request);
    if (!('shape' in shape)) return this.#compile(withAngles(shape, angles), isOpen);
    const known = this.#entries.take((entry) => isAlike(entry, shape.shape, isOpen, angles));
    const entry = known ?? {
      text: shape.shape,
      isOpen,
      angles: angles.slice(),
      gradient: this.#compile(readCircuit({ ...shape, angles: [...angles] }), isOpen),
    };
    this.#entries.keep(entry);
    return entry.gradient;
  }

  #compile(circuit: DynamicCircuit, isOpen: Uint8Array): PreparedGradient {
    if (!isStatic(withoutPreparedState(circuit)))
      throw new OutputNeedsFinalStateError('A gradient');
    const openAngles: number[] = [];
    const slots = Int32Array.from(isOpen, (open, angle) =>
      open === 1 ? openAngles.push(angle) - 1 : CONSTANT,
    );
    const compiled = this.#compiler.compileGradient(circuit, { slots }, this.#engine.target);
    return { engine: this.#engine, compiled, openAngles };
  }
}

/** Whether an entry stands for circuits of the shape with these constant angles. */
function isAlike(
  entry: GradientEntry,
  text: string,
  isOpen: Uint8Array,
  angles: Float64Array,
): boolean {
  return (
    entry.text === text &&
    entry.isOpen.every(
      (open, i) => open === isOpen[i] && (open === 1 || entry.angles[i] === angles[i]),
    )
  );
}
