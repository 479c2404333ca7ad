/** ⟨Z₀⟩ of rows, exact or estimated from counts, as every inference does. */
import { angleRows, type ParametricCircuit } from '../../algorithms/training/parametric-circuit.ts';
import type { Runner } from '../../procedures/procedure-context.ts';
import { OBSERVABLE } from './reuploading-ansatz.ts';

/** Shots of each row, and the seed that each row draws with. */
export interface RowDraws {
  readonly shots: number;
  readonly seeds: readonly number[];
}

/**
 * ⟨Z₀⟩ of each row.
 *
 * @param draws - Estimates the values from shots; without it, or with 0 shots, they are exact.
 */
export async function expectationsOf(
  circuit: ParametricCircuit,
  theta: ArrayLike<number>,
  rows: readonly ArrayLike<number>[],
  circuits: Runner,
  { shots, seeds }: RowDraws = { shots: 0, seeds: [] },
): Promise<Float64Array> {
  const request = { numCircuits: rows.length, angles: angleRows(circuit, theta, rows) };
  if (shots === 0) {
    const exact = await circuits.run(circuit.shape, { ...request, observables: [OBSERVABLE] });
    if (exact.expectations === undefined) throw new Error('unreachable: no expectations came back');
    return exact.expectations;
  }
  const { counts } = await circuits.run(circuit.shape, { ...request, shots, seeds });
  if (counts === undefined) throw new Error('unreachable: shots without counts');
  const size = 2 ** circuit.shape.numBits;
  return Float64Array.from(rows, (_, k) =>
    sampledExpectation(timesBitZeroClear(counts.subarray(k * size, (k + 1) * size)), shots),
  );
}

/** Number of shots whose outcome has bit 0 clear. */
export function timesBitZeroClear(counts: ArrayLike<number>): number {
  let times = 0;
  for (let outcome = 0; outcome < counts.length; outcome += 2) times += counts[outcome]!;
  return times;
}

/** Estimate of ⟨Z₀⟩ from the number of shots with bit 0 clear. */
export function sampledExpectation(timesClear: number, shots: number): number {
  // One division, so that 96 of 100 is 0.92 and not a digit off.
  return (2 * timesClear - shots) / shots;
}

/**
 * Binomial standard error of an estimate of ⟨Z₀⟩.
 *
 * If all shots agree, the plain estimate of the error would be 0; half a shot is then counted for the
 * other outcome.
 *
 * @param timesClear - Shots with bit 0 clear, 0 … shots.
 * @see Wilson, "Probable inference, the law of succession, and statistical inference" (1927), on why the
 *   plain error fails at the ends.
 */
export function standardError(timesClear: number, shots: number): number {
  const isCertain = timesClear === 0 || timesClear === shots;
  const p = isCertain ? 0.5 / (shots + 1) : timesClear / shots;
  return 2 * Math.sqrt((p * (1 - p)) / shots);
}

/** Distance between an estimate and a threshold in standard errors; not negative. */
export function marginInShotNoise(timesClear: number, shots: number, threshold: number): number {
  const distance = Math.abs(sampledExpectation(timesClear, shots) - threshold);
  return distance / standardError(timesClear, shots);
}
