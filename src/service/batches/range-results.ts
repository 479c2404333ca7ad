/** Results of consecutive points of a program, put together from those of its groups and written as parts. */
import { countsOfRow, type RunOutputs } from '../../fleet/run-outputs.ts';
import type { JobPart } from '../../jobs/job.ts';
import type { GroupPoints } from '../circuits/point-groups.ts';
import { type CheckedProgram, numbersOf, type ResultName } from './batch-program.ts';
import { countsBytes, numberBytes, resultsOf, seriesOf } from './batch-result.ts';

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
