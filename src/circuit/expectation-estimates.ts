/**
 * Estimates of expectation values from the shots of measurement groups. A group's part of an observable is a mean over
 * shots, whose error includes the covariances of its strings. Groups are measured apart, so that their errors add up as
 * variances. Readout errors can be inverted.
 */
import type { Qubit } from './circuit.ts';
import type { MeasurementGroup, MeasurementGroups } from './measurement-groups.ts';

/** Distinct outcomes of the shots of one circuit, and how often each occurred. */
export interface OutcomeCounts {
  /** 32-bit words of an outcome; bit 0 of word 0 is classical bit 0. */
  readonly wordsPerOutcome: number;
  readonly outcomes: ArrayLike<number>;
  readonly occurrences: ArrayLike<number>;
}

/** Estimate of an expectation value. */
export interface ExpectationEstimate {
  readonly value: number;
  /** Standard deviation of the value, estimated from the same shots; NaN if a circuit had one shot. */
  readonly standardError: number;
}

/** Mean of the reading of a qubit's Pauli P, ±1, under readout errors: offset + slope · ⟨P⟩. */
export interface ReadingMap {
  readonly offset: number;
  /** 0 where a reading says nothing. */
  readonly slope: number;
}

/**
 * Estimates the observables.
 *
 * @param counts - Of each group's circuit, which may have different numbers of shots, at least one. Exact probabilities
 *   in place of occurrences give exact values; standard errors then have no meaning.
 * @param readingOf - Readout errors of each qubit, which are inverted: a reading ±1 counts as (±1 − offset)/slope, so
 *   that the estimates have no bias. Their errors are those of the larger numbers. Slopes are not 0.
 */
export function estimateExpectations(
  { groups, offsets }: MeasurementGroups,
  counts: readonly OutcomeCounts[],
  readingOf?: (qubit: Qubit) => ReadingMap,
): readonly ExpectationEstimate[] {
  const values = Float64Array.from(offsets);
  const variances = new Float64Array(offsets.length);
  for (const [g, group] of groups.entries()) {
    const readings = readingOf && group.basis.map(({ qubit }) => readingOf(qubit));
    addGroup(group, counts[g]!, readings, values, variances);
  }
  return offsets.map((_, i) => ({ value: values[i]!, standardError: Math.sqrt(variances[i]!) }));
}

/** Adds a group's means to the values, and the variances of those means to the variances. */
function addGroup(
  { strings }: MeasurementGroup,
  counts: OutcomeCounts,
  readings: readonly ReadingMap[] | undefined,
  values: Float64Array,
  variances: Float64Array,
): void {
  const { occurrences } = counts;
  let shots = 0;
  for (let i = 0; i < occurrences.length; i++) shots += occurrences[i]!;
  const involved = [...new Set(strings.flatMap(({ observables }) => observables))];
  const place = new Map(involved.map((observable, i) => [observable, i]));
  // By outcome and involved observable.
  const parts = new Float64Array(involved.length * occurrences.length);
  for (const { bits, observables, coefficients } of strings) {
    const places = observables.map((observable) => place.get(observable)!);
    for (let i = 0; i < occurrences.length; i++) {
      const read = readings ? inverted(bits, counts, i, readings) : isOdd(bits, counts, i) ? -1 : 1;
      for (let k = 0; k < places.length; k++) {
        parts[i * involved.length + places[k]!]! += read * coefficients[k]!;
      }
    }
  }
  for (const [k, observable] of involved.entries()) {
    let sum = 0;
    for (let i = 0; i < occurrences.length; i++) {
      sum += occurrences[i]! * parts[i * involved.length + k]!;
    }
    const mean = sum / shots;
    let squares = 0;
    for (let i = 0; i < occurrences.length; i++) {
      squares += occurrences[i]! * (parts[i * involved.length + k]! - mean) ** 2;
    }
    values[observable]! += mean;
    variances[observable]! += squares / (shots - 1) / shots;
  }
}

/** Product of the readings of those bits, each with its errors inverted. */
function inverted(
  bits: Uint32Array,
  { outcomes, wordsPerOutcome }: OutcomeCounts,
  outcome: number,
  readings: readonly ReadingMap[],
): number {
  let product = 1;
  for (const [bit, { offset, slope }] of readings.entries()) {
    const [word, mask] = [bit >>> 5, 1 << (bit & 31)];
    if ((bits[word]! & mask) === 0) continue;
    const reading = (outcomes[outcome * wordsPerOutcome + word]! & mask) === 0 ? 1 : -1;
    product *= (reading - offset) / slope;
  }
  return product;
}

/** Whether an outcome has an odd number of those bits. */
function isOdd(
  bits: Uint32Array,
  { outcomes, wordsPerOutcome }: OutcomeCounts,
  outcome: number,
): boolean {
  let folded = 0;
  for (let word = 0; word < bits.length; word++) {
    folded ^= bits[word]! & outcomes[outcome * wordsPerOutcome + word]!;
  }
  folded ^= folded >>> 16;
  folded ^= folded >>> 8;
  folded ^= folded >>> 4;
  return ((0x6996 >>> (folded & 15)) & 1) === 1;
}
