/** Runs the points of a range: asks for the circuits of each of its groups, and puts their results together. */
import { inputRows } from '../../circuit/input-columns.ts';
import { requestFor } from '../../circuit/outputs.ts';
import { anglesOf } from '../../compiler/shape.ts';
import { countsOfRow, type RunOutputs } from '../../fleet/run-outputs.ts';
import type { BatchRunRequest } from '../../fleet/schedule/scheduled-run.ts';
import type { JobPart } from '../../jobs/job.ts';
import { addToSeed } from '../../math/philox.ts';
import { methodRequestOf } from '../circuits/check-method.ts';
import { isEstimable, isEstimated } from '../circuits/check-outputs.ts';
import { type GroupPoints, type PointGroup, pointsIn } from '../circuits/point-groups.ts';
import { type CheckedProgram, numbersOf, type ResultName } from './batch-program.ts';
import type { Range } from './batch-ranges.ts';
import { countsBytes, numberBytes, resultsOf, seriesOf } from './batch-result.ts';
import type { RunShapes } from './circuit-runs.ts';
import type { Estimates } from './estimates.ts';

/** A program whose points are run. */
export interface RunningProgram {
  readonly program: CheckedProgram;
  /** Seed of its first point. */
  readonly seed: number;
  /** Undefined where none of its values is an estimate. */
  readonly estimates: Estimates | undefined;
}

/**
 * Runs the points of a range.
 *
 * @returns Their results.
 * @throws what `run` throws.
 */
export async function runRange(
  { program, seed, estimates }: RunningProgram,
  { program: index, from, to }: Range,
  run: RunShapes,
): Promise<readonly JobPart[]> {
  const results = new RangeResults(program, from, to - from);
  const groups = program.groups.flatMap((group) => {
    const points = pointsIn(group, from, to);
    if (points.length === 0) return [];
    const rows = inputRows(program.inputs, points.list, points.from, points.to);
    const seeds = () => Float64Array.from(points.indices(), (point) => addToSeed(seed, point));
    const request = exactRequest(program, group, { rows, numPoints: points.length, seeds });
    return [{ group, points, rows, seeds, request }];
  });
  const exact = groups.flatMap(({ group, points, request }) =>
    request === undefined ? [] : [{ points, circuit: group.circuit, request }],
  );
  const outputs = exact.length === 0 ? [] : await run(exact);
  for (const [i, { points }] of exact.entries()) results.set(points, outputs[i]!);
  if (estimates !== undefined) {
    for (const { group, points, rows, seeds } of groups) {
      results.setNumbers(points, await estimates.at(group, { rows, seeds: seeds() }, run));
    }
  }
  return results.parts(index);
}

/** Points whose results are exact, or counts. */
interface ExactPoints {
  readonly rows: Float64Array;
  readonly numPoints: number;
  readonly seeds: () => Float64Array;
}

/** Request for the counts and values of some points that are not estimated from counts; undefined where there are none. */
function exactRequest(
  program: CheckedProgram,
  { circuit, formulas }: PointGroup,
  { rows, numPoints, seeds }: ExactPoints,
): BatchRunRequest | undefined {
  const { observables, outputs, shots = 0, method } = program;
  const exact = outputs.filter((name) => !isEstimated(program) || !isEstimable(name));
  if (exact.length === 0) return undefined;
  return {
    numCircuits: numPoints,
    ...(formulas === undefined
      ? { angles: Float64Array.from(anglesOf(circuit)) }
      : { angles: rows, formulas }),
    countsOfSingles: true,
    ...methodRequestOf(program),
    ...((exact.includes('counts') || method === 'trajectories') && { shots, seeds: seeds() }),
    ...requestFor(exact, { observables }),
    ...(exact.includes('gradient') && { gradientInputs: program.gradientInputs }),
  };
}

/** Numbers of some points, by result. */
type NumberArrays = Readonly<
  Partial<Record<Exclude<ResultName, 'counts'>, Float64Array | undefined>>
>;

/** Results of consecutive points of a program. */
export class RangeResults {
  readonly #program: CheckedProgram;
  readonly #from: number;
  readonly #numPoints: number;
  readonly #counts: ReturnType<typeof countsOfRow>[] = [];
  readonly #numbers = new Map<ResultName, Float64Array>();

  constructor(program: CheckedProgram, from: number, numPoints: number) {
    this.#program = program;
    this.#from = from;
    this.#numPoints = numPoints;
  }

  /** Sets the results of some of the points. */
  set(points: GroupPoints, batch: RunOutputs): void {
    const { outputs, numBits } = this.#program;
    if (outputs.includes('counts')) {
      let row = 0;
      for (const point of points.indices()) {
        this.#counts[point - this.#from] = countsOfRow(batch, row++, numBits);
      }
    }
    const arrays: Required<NumberArrays> = {
      expectation: batch.expectations,
      standard_error: batch.standardErrors,
      variance: batch.variances,
      gradient: batch.gradients,
      probabilities: batch.probabilities,
      statevector: batch.statevectors,
      truncation_error: batch.truncationErrors,
      largest_bond: batch.largestBonds,
    };
    this.setNumbers(points, arrays);
  }

  /** Sets numbers of some of the points, those of gradients by all inputs. */
  setNumbers(points: GroupPoints, arrays: NumberArrays): void {
    for (const result of resultsOf(this.#program)) {
      const numbers = result === 'counts' ? undefined : arrays[result];
      if (numbers === undefined) continue;
      const wanted = result === 'gradient' ? this.#byInputsAsked(numbers) : numbers;
      this.#setNumbers(result, points, wanted);
    }
  }

  #setNumbers(result: ResultName, points: GroupPoints, numbers: Float64Array): void {
    if (points.length === this.#numPoints) {
      this.#numbers.set(result, numbers);
      return;
    }
    const each = numbersOf(this.#program, result);
    const out = this.#numbers.get(result) ?? new Float64Array(this.#numPoints * each);
    this.#numbers.set(result, out);
    let row = 0;
    for (const point of points.indices()) {
      out.set(numbers.subarray(row * each, (row + 1) * each), (point - this.#from) * each);
      row++;
    }
  }

  /** Derivatives by the inputs that were asked for, of derivatives by all. */
  #byInputsAsked(gradients: Float64Array): Float64Array {
    const { gradientInputs, inputs } = this.#program;
    const numInputs = inputs.names.length;
    const areAll = gradientInputs.length === numInputs;
    if (areAll && gradientInputs.every((input, i) => input === i)) return gradients;
    const numRows = gradients.length / numInputs;
    const picked = new Float64Array(numRows * gradientInputs.length);
    for (let row = 0, at = 0; row < numRows; row++) {
      for (const input of gradientInputs) picked[at++] = gradients[row * numInputs + input]!;
    }
    return picked;
  }

  /** The results as parts. */
  parts(program: number): readonly JobPart[] {
    const place = { from: this.#from, to: this.#from + this.#numPoints };
    return resultsOf(this.#program).map((result) => {
      const numbers = this.#numbers.get(result);
      const bytes =
        numbers === undefined ? countsBytes(this.#program, this.#counts) : numberBytes(numbers);
      return { series: seriesOf(program, result), ...place, bytes };
    });
  }
}
