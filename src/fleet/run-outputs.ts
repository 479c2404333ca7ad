/**
 * Outputs of runs as columns: one for each output, with an entry for each circuit of the run. A run of one circuit has
 * columns of one row.
 */
import type { BatchResult } from '../engine/batch-request.ts';
import type { Counts, CountsFinish, RunResult, SavedOutputs } from '../engine/engine.ts';

/** Bits of a register whose counts are listed for each of its values. */
export const MAX_LISTED_BITS = 12;

/** Outputs of a snapshot as columns. */
export type SavedColumns = Pick<
  RunOutputs,
  | 'statevectors'
  | 'probabilities'
  | 'expectations'
  | 'standardErrors'
  | 'densityMatrices'
  | 'amplitudes'
>;

/** Outputs of a run. Each column lists circuit after circuit. */
export interface RunOutputs extends BatchResult {
  /**
   * Replaces `counts` where a circuit ran by itself, or the register has more than 12 bits: the counts of each circuit.
   */
  readonly countsByRow?: readonly Counts[];
  /** As in `RunResult`. */
  readonly countsFinish?: readonly CountsFinish[];
  /** As in `RunResult`; lengths are those of one circuit times the circuits. */
  readonly amplitudes?: Float64Array;
  readonly densityMatrices?: Float64Array;
  readonly purities?: Float64Array;
  readonly referenceSamples?: Float64Array;
  /** For each circuit and observable, the derivative by each number of its row. */
  readonly gradients?: Float64Array;
  /** For each circuit and observable, the standard error of a value that is a mean over trajectories. */
  readonly standardErrors?: Float64Array;
  /** For each circuit, the weight that was cut of its matrix product state. */
  readonly truncationErrors?: Float64Array;
  /** For each circuit, the largest bond of its matrix product state. */
  readonly largestBonds?: Float64Array;
  /** The outputs of each snapshot, in the order of the circuit. */
  readonly saved?: readonly SavedColumns[];
  /** Tallies of the chunks of a run that counts errors, as `tallyOf` reads them. */
  readonly tallies?: Float64Array;
  /** A run of one circuit has these two, as `RunResult` tells. */
  readonly trajectories?: ArrayLike<number>;
  readonly statePasses?: ArrayLike<number>;
}

/** Durations of a run, milliseconds. */
export interface ExecutionTimes {
  /** Evolution and sampling of all circuits. */
  readonly executionMs: number;
  /** The part of sampling, where the run tells it apart. */
  readonly samplingMs?: number;
}

/** The counts of circuit k of a run. */
export function countsOfRow(
  { counts, countsByRow }: RunOutputs,
  k: number,
  numBits: number,
): Counts {
  const size = 2 ** numBits;
  return countsByRow?.[k] ?? countsOfValues(counts!.subarray(k * size, (k + 1) * size), numBits);
}

/**
 * Counts from the number of shots of each value of the register.
 *
 * @param shots - Number of all shots; the values after the last of them are not looked at.
 */
export function countsOfValues(
  values: Uint32Array,
  numBits: number,
  shots: number = Number.POSITIVE_INFINITY,
): Counts {
  const outcomes: number[] = [];
  const occurrences: number[] = [];
  let left = shots;
  for (let value = 0; value < values.length && left > 0; value++) {
    const times = values[value]!;
    if (times === 0) continue;
    outcomes.push(value);
    occurrences.push(times);
    left -= times;
  }
  return {
    numBits,
    wordsPerOutcome: 1,
    outcomes: Uint32Array.from(outcomes),
    occurrences: Uint32Array.from(occurrences),
  };
}

/** The number of shots of each value of the register, from counts of at most 12 bits. */
export function valuesOfCounts({ numBits, outcomes, occurrences }: Counts): Uint32Array {
  const values = new Uint32Array(2 ** numBits);
  for (let i = 0; i < outcomes.length; i++) values[outcomes[i]!] = occurrences[i]!;
  return values;
}

type Columns = { -readonly [K in keyof RunOutputs]: RunOutputs[K] };

/** The result of one circuit as columns. Its large arrays are the columns, not copied. */
export function outputsOf(run: RunResult): RunOutputs {
  const { counts, countsFinish, variances, purity, referenceSample, saved } = run;
  const { truncationError, largestBond, trajectories } = run;
  const columns: Columns = {
    countsByRow: [counts],
    statePasses: [run.statePasses],
    ...columnsOf(run),
  };
  if (countsFinish !== undefined) columns.countsFinish = [countsFinish];
  if (purity !== undefined) columns.purities = Float64Array.of(purity);
  if (referenceSample !== undefined) columns.referenceSamples = Float64Array.from(referenceSample);
  if (variances !== undefined) columns.variances = Float64Array.from(variances);
  if (saved !== undefined) columns.saved = saved.map(columnsOf);
  if (truncationError !== undefined) columns.truncationErrors = Float64Array.of(truncationError);
  if (largestBond !== undefined) columns.largestBonds = Float64Array.of(largestBond);
  if (trajectories !== undefined) columns.trajectories = [trajectories];
  return columns;
}

/** Outputs of a state of one circuit as columns. */
function columnsOf(state: SavedOutputs): SavedColumns {
  const { statevector, probabilities, expectations, standardErrors, densityMatrix, amplitudes } =
    state;
  return {
    ...(statevector && { statevectors: statevector }),
    ...(probabilities && { probabilities }),
    ...(expectations && { expectations: Float64Array.from(expectations) }),
    ...(standardErrors && { standardErrors: Float64Array.from(standardErrors) }),
    ...(densityMatrix && { densityMatrices: densityMatrix }),
    ...(amplitudes && { amplitudes }),
  };
}

/** Outputs of a state of circuit k; arrays are views of the columns. */
export function savedRow(columns: SavedColumns, numCircuits: number, k: number): SavedOutputs {
  const rowOf = (column: Float64Array) => {
    const length = column.length / numCircuits;
    return column.subarray(k * length, (k + 1) * length);
  };
  const { statevectors, probabilities, expectations, standardErrors } = columns;
  const { densityMatrices, amplitudes } = columns;
  return {
    ...(statevectors && { statevector: rowOf(statevectors) }),
    ...(probabilities && { probabilities: rowOf(probabilities) }),
    ...(expectations && { expectations: [...rowOf(expectations)] }),
    ...(standardErrors && { standardErrors: [...rowOf(standardErrors)] }),
    ...(densityMatrices && { densityMatrix: rowOf(densityMatrices) }),
    ...(amplitudes && { amplitudes: rowOf(amplitudes) }),
  };
}

/** Rows of a run's columns. */
interface Rows {
  readonly numBits: number;
  readonly numCircuits: number;
}

/** Circuit k of a run with counts as an engine's result. Its arrays are views of the columns; times are its share. */
export function runResultOf(
  { outputs, timing }: { readonly outputs: RunOutputs; readonly timing: ExecutionTimes },
  { numBits, numCircuits }: Rows,
  k = 0,
): RunResult {
  const rowOf = (column: Float64Array) => {
    const length = column.length / numCircuits;
    return column.subarray(k * length, (k + 1) * length);
  };
  const { countsFinish, variances, purities, referenceSamples, saved } = outputs;
  const { truncationErrors, largestBonds, trajectories, statePasses } = outputs;
  const { executionMs, samplingMs = 0 } = timing;
  return {
    counts: countsOfRow(outputs, k, numBits),
    ...(countsFinish && { countsFinish: countsFinish[k]! }),
    ...savedRow(outputs, numCircuits, k),
    ...(purities && { purity: purities[k]! }),
    ...(referenceSamples && { referenceSample: Uint32Array.from(rowOf(referenceSamples)) }),
    ...(variances && { variances: [...rowOf(variances)] }),
    ...(saved && { saved: saved.map((columns) => savedRow(columns, numCircuits, k)) }),
    ...(truncationErrors && { truncationError: truncationErrors[k]! }),
    ...(largestBonds && { largestBond: largestBonds[k]! }),
    ...(trajectories && { trajectories: trajectories[k]! }),
    statePasses: statePasses?.[k] ?? 0,
    timing: {
      evolutionMs: (executionMs - samplingMs) / numCircuits,
      samplingMs: samplingMs / numCircuits,
    },
  };
}

/** All typed arrays of a run's outputs. */
export function arraysOf(outputs: RunOutputs): readonly (Float64Array | Uint32Array)[] {
  const { countsByRow = [], saved = [], ...columns } = outputs;
  return [
    ...[columns, ...saved].flatMap((each) =>
      Object.values(each).filter((column) => ArrayBuffer.isView(column)),
    ),
    ...countsByRow.flatMap(({ outcomes, occurrences }) => [outcomes, occurrences]),
  ];
}

/** Columns of numbers, which are joined without changes; engines of a processor leave no circuit undecided. */
type NumberColumn = Exclude<
  keyof RunOutputs,
  'counts' | 'countsByRow' | 'countsFinish' | 'undecided' | 'saved'
>;

const JOINED: { readonly [K in NumberColumn]: true } = {
  statevectors: true,
  probabilities: true,
  amplitudes: true,
  densityMatrices: true,
  purities: true,
  referenceSamples: true,
  expectations: true,
  variances: true,
  gradients: true,
  standardErrors: true,
  truncationErrors: true,
  largestBonds: true,
  tallies: true,
  trajectories: true,
  statePasses: true,
};
// The cast is safe: these are its keys.
const NUMBER_COLUMNS = Object.keys(JOINED) as readonly NumberColumn[];

/** Outputs of some of the circuits at a time, put together. */
export class JoinedOutputs {
  readonly #numCircuits: number;
  readonly #numbers = new Map<NumberColumn, Float64Array>();
  readonly #countsByRow: Counts[] = [];
  /** By the number of the snapshot. */
  readonly #saved: JoinedOutputs[] = [];
  #counts: Uint32Array | undefined;
  #whole: RunOutputs | undefined;

  constructor(numCircuits: number) {
    this.#numCircuits = numCircuits;
  }

  /** Sets the outputs of circuits `from` … `to` − 1. Outputs of all circuits at once are kept without a copy. */
  set(from: number, to: number, chunk: RunOutputs): void {
    if (from === 0 && to === this.#numCircuits) {
      this.#whole = { ...this.#whole, ...chunk };
      return;
    }
    const each = (length: number) => length / (to - from);
    for (const name of NUMBER_COLUMNS) {
      const numbers = chunk[name];
      if (numbers === undefined) continue;
      const perCircuit = each(numbers.length);
      const all = this.#numbers.get(name) ?? new Float64Array(this.#numCircuits * perCircuit);
      this.#numbers.set(name, all);
      all.set(numbers, from * perCircuit);
    }
    const { counts, countsByRow = [], saved = [] } = chunk;
    for (const [number, columns] of saved.entries()) {
      this.#saved[number] ??= new JoinedOutputs(this.#numCircuits);
      this.#saved[number].set(from, to, columns);
    }
    if (counts !== undefined) {
      const perCircuit = each(counts.length);
      this.#counts ??= new Uint32Array(this.#numCircuits * perCircuit);
      this.#counts.set(counts, from * perCircuit);
    }
    for (const [k, own] of countsByRow.entries()) this.#countsByRow[from + k] = own;
  }

  get outputs(): RunOutputs {
    if (this.#whole !== undefined) return this.#whole;
    return {
      ...Object.fromEntries(this.#numbers),
      ...(this.#counts !== undefined && { counts: this.#counts }),
      ...(this.#countsByRow.length > 0 && { countsByRow: this.#countsByRow }),
      ...(this.#saved.length > 0 && { saved: this.#saved.map(({ outputs }) => outputs) }),
    };
  }
}
