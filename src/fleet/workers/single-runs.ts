/**
 * Batch runs whose circuits run one after the other, each as by itself: wide ones, ones that measure in mid-circuit, and
 * gradients.
 */
import { AngleDerivatives } from '../../circuit/angle-derivatives.ts';
import { dependentAngles } from '../../circuit/angle-formulas.ts';
import { type DynamicCircuit, isStatic, withAngles } from '../../circuit/circuit.ts';
import { askedFields, readsState } from '../../circuit/outputs.ts';
import type { CompiledGradient } from '../../compiler/gradient/compile-gradient.ts';
import { CONSTANT } from '../../compiler/parametric.ts';
import { type BatchResults, emptyResults } from '../../engine/batch-request.ts';
import type { Counts, Engine, Executable, RunRequest, RunResult } from '../../engine/engine.ts';
import { OutputNeedsFinalStateError } from '../../engine/errors.ts';
import { compiledByMethod } from './compiled-methods.ts';
import type { CompiledShapes, Compiler } from './compiled-shapes.ts';
import { type BatchRunOutputs, type BatchRunRequest, MAX_LISTED_BITS } from './sent-batch.ts';
import { circuitOf, readCircuit, type WrittenCircuit, type WrittenShape } from './sent-circuit.ts';
import { OwnTime } from './shape-batches.ts';
import type { BatchOutcome, SentBatchRun } from './worker-messages.ts';

/** Messages are heard this often between circuits. */
const HEAR_EVERY_MS = 20;

type Shape = WrittenShape | DynamicCircuit;

/** Runs circuits of batch runs one by one on one engine. */
export class SingleRuns {
  readonly #engine: Engine;
  readonly #shapes: CompiledShapes;
  readonly #gradients: CompiledGradients;

  constructor(engine: Engine, compiler: Compiler, shapes: CompiledShapes) {
    this.#engine = engine;
    this.#shapes = shapes;
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
    { shape, request }: SentBatchRun,
    rows: Float64Array,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<BatchOutcome> {
    const ownTime = new OwnTime(this.#engine);
    const startedAt = performance.now();
    const { numCircuits } = request;
    const angles = new Rows(request.angles, numCircuits);
    const results = new RowResults(shape.numQubits, request);
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
            executable = await this.#prepare(shape, own, request);
          }
          compileMs += performance.now() - compiledFrom;
          const asked = { ...runRequest(request, k), onProgress: onRowProgress };
          results.set(k, await executable.run(asked, signal));
        }
        if (gradient !== undefined) {
          const { values, gradients } = await gradient.at(k, own, onRowProgress, signal);
          results.setGradient(k, values, gradients);
        }
        onRowProgress(1);
      }
    } finally {
      await executable?.[Symbol.asyncDispose]();
    }
    const executionMs = performance.now() - startedAt - compileMs;
    return { batch: results.outputs, compileMs, executionMs, ownMs: ownTime.elapsedMs };
  }

  async #prepare(
    shape: Shape,
    angles: Float64Array,
    request: BatchRunRequest,
  ): Promise<Executable> {
    const { method = 'statevector', bonds } = request;
    const keepState = readsState(request);
    const circuit = circuitAt(shape, angles);
    if (method === 'statevector') {
      const { program } = this.#shapes.compile(circuit, keepState);
      return this.#engine.prepare(program);
    }
    const whole = circuitOf(circuit);
    const asked = { method, ...(bonds !== undefined && { bonds }) };
    return compiledByMethod(this.#engine, whole, asked, keepState).prepare();
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
  const { numQubits, numOperations, shape: text } = shape;
  return { numQubits, numOperations, shape: text, angles: [...angles] };
}

/** Results of circuits that are run one by one, in the form of a batch's. */
class RowResults {
  readonly #numQubits: number;
  readonly #request: BatchRunRequest;
  readonly #longCounts: Counts[] = [];
  #standardErrors: Float64Array | undefined;
  #truncationErrors: Float64Array | undefined;
  #largestBonds: Float64Array | undefined;
  #results: BatchResults | undefined;
  #gradients: Float64Array | undefined;

  constructor(numQubits: number, request: BatchRunRequest) {
    this.#numQubits = numQubits;
    this.#request = request;
  }

  /** Sets the results of circuit k. */
  set(k: number, { counts, ...result }: RunResult): void {
    const { numBits } = counts;
    const isLong = numBits > MAX_LISTED_BITS;
    const { shots = 0 } = this.#request;
    const results = this.#resultsFor(numBits, isLong ? 0 : shots);
    if (shots > 0 && isLong) this.#longCounts.push(counts);
    else if (shots > 0) {
      const { outcomes, occurrences } = counts;
      for (let i = 0; i < outcomes.length; i++) {
        results.counts![k * 2 ** numBits + outcomes[i]!] = occurrences[i]!;
      }
    }
    setRow(results.statevectors, k, result.statevector);
    setRow(results.probabilities, k, result.probabilities);
    setRow(results.expectations, k, result.expectations);
    setRow(results.variances, k, result.variances);
    const { numCircuits } = this.#request;
    const { standardErrors, truncationError, largestBond } = result;
    if (standardErrors !== undefined) {
      this.#standardErrors ??= new Float64Array(numCircuits * standardErrors.length);
      setRow(this.#standardErrors, k, standardErrors);
    }
    if (truncationError === undefined || largestBond === undefined) return;
    this.#truncationErrors ??= new Float64Array(numCircuits);
    this.#truncationErrors[k] = truncationError;
    this.#largestBonds ??= new Float64Array(numCircuits);
    this.#largestBonds[k] = largestBond;
  }

  /** Sets the expectation values of circuit k and their derivatives. */
  setGradient(k: number, values: Float64Array, gradients: Float64Array): void {
    const { numCircuits } = this.#request;
    setRow(this.#resultsFor(0, 0).expectations, k, values);
    this.#gradients ??= new Float64Array(numCircuits * gradients.length);
    setRow(this.#gradients, k, gradients);
  }

  get outputs(): BatchRunOutputs {
    const longCounts = this.#longCounts;
    return {
      ...this.#results,
      ...(this.#gradients && { gradients: this.#gradients }),
      ...(this.#standardErrors && { standardErrors: this.#standardErrors }),
      ...(this.#truncationErrors && { truncationErrors: this.#truncationErrors }),
      ...(this.#largestBonds && { largestBonds: this.#largestBonds }),
      ...(longCounts.length > 0 && { longCounts }),
    };
  }

  #resultsFor(numBits: number, shots: number): BatchResults {
    this.#results ??= emptyResults(
      { numQubits: this.#numQubits, numBits },
      { ...this.#request, shots },
    );
    return this.#results;
  }
}

function setRow(
  to: Float64Array | undefined,
  k: number,
  numbers: ArrayLike<number> | undefined,
): void {
  if (numbers !== undefined) to?.set(numbers, k * numbers.length);
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

  /** Values of the observables for circuit k, and for each the derivatives by the numbers of its row. */
  async at(
    k: number,
    angles: Float64Array,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<{ readonly values: Float64Array; readonly gradients: Float64Array }> {
    const { engine, compiled, openAngles } = this.#compiled;
    const program = compiled.bind(Float64Array.from(openAngles, (angle) => angles[angle]!));
    await using executable = await engine.prepareGradient!(program);
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
    return { values: result.values, gradients };
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
  /** In the order of use, the oldest first. Few enough to look at each. */
  readonly #entries: GradientEntry[] = [];

  constructor(engine: Engine, compiler: Compiler) {
    this.#engine = engine;
    this.#compiler = compiler;
  }

  /** @throws what the compiler throws. */
  of(shape: Shape, { formulas, gradientInputs }: BatchRunRequest, rows: Rows): PreparedGradient {
    const angles = rows.row(0);
    const isOpen =
      formulas === undefined
        ? new Uint8Array(angles.length).fill(1)
        : dependentAngles(formulas, gradientInputs);
    if (!('shape' in shape)) return this.#compile(withAngles(shape, angles), isOpen);
    const place = this.#entries.findLastIndex((entry) =>
      isAlike(entry, shape.shape, isOpen, angles),
    );
    const [known] = place < 0 ? [] : this.#entries.splice(place, 1);
    const entry = known ?? {
      text: shape.shape,
      isOpen,
      angles: angles.slice(),
      gradient: this.#compile(readCircuit({ ...shape, angles: [...angles] }), isOpen),
    };
    this.#entries.push(entry);
    if (this.#entries.length > MAX_GRADIENTS) this.#entries.shift();
    return entry.gradient;
  }

  #compile(circuit: DynamicCircuit, isOpen: Uint8Array): PreparedGradient {
    if (!isStatic(circuit)) throw new OutputNeedsFinalStateError('A gradient');
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
