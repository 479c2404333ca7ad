/** Means over the shots of the outputs that are read off the final states of their trajectories. */
import type { RunRequest, RunResult } from './engine.ts';
import { misreadDistribution, planBeforeMisreads } from './final-misreads.ts';
import type { FinalStateOutputs } from './run-outputs.ts';
import type { RunPlan } from './run-plan.ts';

/** Running mean of a number, and the sum of squared deviations from it. */
interface Moments {
  mean: number;
  squares: number;
}

/** Collects the outputs of trajectories. */
export class TrajectoryMeans {
  /** Plan by which outputs are read: of bits that are misread, the register before that. */
  readonly plan: RunPlan;
  readonly #whole: RunPlan;
  readonly #expectations: Moments[];
  readonly #variances: number[] | undefined;
  #probabilities: Float64Array | undefined;
  #numShots = 0;

  constructor(plan: RunPlan, { observables = [], variances = false }: RunRequest) {
    this.#whole = plan;
    this.plan = planBeforeMisreads(plan);
    this.#expectations = observables.map(() => ({ mean: 0, squares: 0 }));
    this.#variances = variances ? observables.map(() => 0) : undefined;
  }

  /**
   * Adds a trajectory.
   *
   * @param norm - ‖ψ‖² of its final state.
   * @param numShots - Shots that took it.
   */
  add(
    { expectations, variances, probabilities }: FinalStateOutputs,
    norm: number,
    numShots: number,
  ): void {
    this.#numShots += numShots;
    const share = numShots / this.#numShots;
    for (const [i, moments] of this.#expectations.entries()) {
      const value = expectations![i]! / norm;
      const deviation = value - moments.mean;
      moments.mean += share * deviation;
      moments.squares += numShots * deviation * (value - moments.mean);
      const variance = variances?.[i];
      if (variance !== undefined && this.#variances !== undefined) {
        this.#variances[i]! += share * (variance - this.#variances[i]!);
      }
    }
    if (probabilities === undefined) return;
    this.#probabilities ??= new Float64Array(probabilities.length);
    const sums = this.#probabilities;
    for (let i = 0; i < sums.length; i++) sums[i]! += (numShots / norm) * probabilities[i]!;
  }

  /** The means. Variances are those of the mixture of all trajectories. */
  finish(): Pick<RunResult, 'expectations' | 'standardErrors' | 'variances' | 'probabilities'> {
    const numShots = this.#numShots;
    const hasObservables = this.#expectations.length > 0;
    const spread = this.#expectations.map(({ squares }) => squares / (numShots - 1));
    return {
      ...(hasObservables && {
        expectations: this.#expectations.map(({ mean }) => mean),
        standardErrors: spread.map((square) => Math.sqrt(square / numShots)),
      }),
      ...(this.#variances !== undefined && {
        // The mean of the variances, and the variance of the means.
        variances: this.#variances.map((mean, i) => mean + (numShots > 1 ? spread[i]! : 0)),
      }),
      ...(this.#probabilities !== undefined && {
        probabilities: misreadDistribution(
          this.#probabilities.map((sum) => sum / numShots),
          this.#whole,
        ),
      }),
    };
  }
}

/** The result of a range of shots. */
export interface RangeResult {
  /** At least 1. */
  readonly numShots: number;
  readonly result: RunResult;
}

/** The means over all shots, from those over ranges of them. */
export function joinedMeans(
  ranges: readonly RangeResult[],
): Pick<RunResult, 'expectations' | 'standardErrors' | 'variances' | 'probabilities'> {
  const { expectations, variances, probabilities } = ranges[0]!.result;
  const total = ranges.reduce((sum, { numShots }) => sum + numShots, 0);
  const meanOf = (each: (result: RunResult) => number) =>
    ranges.reduce((sum, { numShots, result }) => sum + (numShots / total) * each(result), 0);
  const moments = expectations?.map((_, i) => {
    const mean = meanOf((result) => result.expectations![i]!);
    let squares = 0;
    for (const { numShots, result } of ranges) {
      squares += squaresOf(result.standardErrors![i]!, numShots);
      squares += numShots * (result.expectations![i]! - mean) ** 2;
    }
    return { mean, spread: squares / (total - 1) };
  });
  return {
    ...(moments && {
      expectations: moments.map(({ mean }) => mean),
      standardErrors: moments.map(({ spread }) => Math.sqrt(spread / total)),
    }),
    ...(variances && {
      variances: variances.map((_, i) => {
        // Variances of the trajectories without the variance of their means.
        const within = ranges.reduce((sum, { numShots, result }) => {
          const squares = squaresOf(result.standardErrors![i]!, numShots);
          const spread = numShots > 1 ? squares / (numShots - 1) : 0;
          return sum + (numShots / total) * (result.variances![i]! - spread);
        }, 0);
        return within + (total > 1 ? moments![i]!.spread : 0);
      }),
    }),
    ...(probabilities && {
      probabilities: probabilities.map((_, i) => meanOf((result) => result.probabilities![i]!)),
    }),
  };
}

/** Sum of squared deviations from a mean, from its standard error. */
function squaresOf(standardError: number, numShots: number): number {
  return numShots > 1 ? standardError ** 2 * numShots * (numShots - 1) : 0;
}
