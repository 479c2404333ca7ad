/** Estimates expectation values from counts, a group of terms at a time, as on a device. */
import type { Circuit } from '../../../circuit/circuit.ts';
import {
  estimateExpectations,
  type OutcomeCounts,
} from '../../../circuit/expectation-estimates.ts';
import { measuredIn, measurementGroups } from '../../../circuit/measurement-groups.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import { uniformDraw } from '../../../math/philox.ts';
import type { Runner } from '../../procedures/procedure-context.ts';

/** Estimates with their standard errors, circuit after circuit. */
export interface SampledEnergies {
  readonly values: Float64Array;
  readonly standardErrors: Float64Array;
}

/** Estimates of one observable in many circuits of a shape without measurements. */
export type EnergySampler = (
  shape: Circuit,
  angles: Float64Array,
  numCircuits: number,
) => Promise<SampledEnergies>;

/** Separates seeds of samples from other draws with the same seed. */
const SAMPLE_SEEDS = 0x5a3b1e;

/**
 * Makes a sampler of an observable; each call draws anew.
 *
 * @param shots - Number of shots of each circuit in each basis.
 */
export function energySampler(
  circuits: Runner,
  observable: PauliSum,
  shots: number,
  seed: number,
): EnergySampler {
  const grouped = measurementGroups([observable]);
  const { groups } = grouped;
  const shapes = new Map<Circuit, readonly Circuit[]>();
  let numCalls = 0;
  return async (shape, angles, numCircuits) => {
    const measured = shapes.get(shape) ?? groups.map((group) => measuredIn(shape, group));
    shapes.set(shape, measured);
    const call = numCalls++;
    const countsOfGroups: Uint32Array[] = [];
    for (const [g, circuit] of measured.entries()) {
      const seeds = Float64Array.from({ length: numCircuits }, (_, i) =>
        Math.floor(uniformDraw(seed, call, SAMPLE_SEEDS + g, i) * 2 ** 52),
      );
      const request = { numCircuits, angles, shots, seeds };
      const { counts } = await circuits.run(circuit, request);
      if (counts === undefined) throw new Error('unreachable: no counts came back');
      countsOfGroups.push(counts);
    }
    const values = new Float64Array(numCircuits);
    const standardErrors = new Float64Array(numCircuits);
    for (let circuit = 0; circuit < numCircuits; circuit++) {
      const own = countsOfGroups.map((counts) => countsOf(counts, circuit, numCircuits));
      const { value, standardError } = estimateExpectations(grouped, own)[0]!;
      values[circuit] = value;
      standardErrors[circuit] = standardError;
    }
    return { values, standardErrors };
  };
}

/** Number of circuits per estimate: one for each measurement basis. */
export function numBases(observable: PauliSum): number {
  return measurementGroups([observable]).groups.length;
}

/** The outcomes of one circuit that occurred. */
function countsOf(counts: Uint32Array, circuit: number, numCircuits: number): OutcomeCounts {
  const numOutcomes = counts.length / numCircuits;
  const all = counts.subarray(circuit * numOutcomes, (circuit + 1) * numOutcomes);
  const outcomes = [...all.keys()].filter((outcome) => all[outcome]! > 0);
  return { wordsPerOutcome: 1, outcomes, occurrences: outcomes.map((outcome) => all[outcome]!) };
}
