/**
 * Measures observables of folded circuits under a noise model, with readout errors and with these inverted.
 *
 * The strings of the observables are measured in groups. A circuit measures all qubits; the gates that change the basis
 * of a group are no part of the circuit that is folded, and have no noise. Without shots the exact distribution of the
 * outcome that is read takes the place of counts, so that both follow the same way.
 */
import type { Circuit, DynamicCircuit, Operation, Qubit } from '../../../circuit/circuit.ts';
import {
  type ExpectationEstimate,
  estimateExpectations,
  type OutcomeCounts,
} from '../../../circuit/expectation-estimates.ts';
import {
  basisChange,
  type MeasurementGroup,
  measurementGroups,
} from '../../../circuit/measurement-groups.ts';
import { readoutErrorsOf } from '../../../circuit/noise/apply-noise.ts';
import type { NoiseModel } from '../../../circuit/noise/read-noise-model.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import { cheaperForCounts } from '../../../fleet/choose-method.ts';
import { countsOfRow } from '../../../fleet/run-outputs.ts';
import { circuitWork, type RunMethod } from '../../../fleet/schedule/scheduled-run.ts';
import { withNoise } from '../../procedures/noise-fields.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { Chance } from '../chance.ts';
import { readingMap } from '../noise/misread-observable.ts';
import { inTurns } from '../run-points.ts';
import { type FoldedCircuit, withNoiseOfInverses } from './fold-circuit.ts';

/** Circuits to measure, and how. */
export interface MitigationRuns {
  /** The circuit as it was given. */
  readonly circuit: Circuit;
  readonly folded: readonly FoldedCircuit[];
  readonly model: NoiseModel;
  readonly observables: readonly PauliSum[];
  /** Shots of each circuit; undefined for exact values. */
  readonly shots: number | undefined;
  readonly seed: number;
}

/** Values of an observable at one scale factor. */
export interface MeasuredValues {
  /** With readout errors. */
  readonly raw: ExpectationEstimate;
  /** With readout errors inverted. */
  readonly inverted: ExpectationEstimate;
}

/** Method of a circuit's run. Exact values need a density matrix, for which the circuit is narrow enough. */
export function methodOfRun(
  circuit: DynamicCircuit,
  shots: number | undefined,
  maxNoisyQubits: number,
): RunMethod {
  if (shots === undefined) return 'density_matrix';
  const work = circuitWork(circuit);
  if (work.noise === undefined) return 'statevector';
  return 2 * circuit.numQubits <= maxNoisyQubits ? cheaperForCounts(work, shots) : 'trajectories';
}

/** A group without strings: all qubits are measured in the Z basis. */
export const PLAIN_MEASUREMENT: MeasurementGroup = { basis: [], strings: [] };

/**
 * The circuits that measure the groups of one folded circuit, with noise.
 *
 * @throws {ProcedureInputError} if a channel has no form for one of the gates, or the noise is too much.
 */
export function noisyMeasurements(
  { circuit, model }: Pick<MitigationRuns, 'circuit' | 'model'>,
  { circuit: folded }: FoldedCircuit,
  groups: readonly MeasurementGroup[],
): readonly DynamicCircuit[] {
  const { numQubits, operations } = folded;
  const all = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const ownModel = withNoiseOfInverses(model, circuit);
  return groups.map((group) => {
    // Bits of a group are those of its basis, in that order.
    const basis = group.basis.map(({ qubit }) => qubit);
    const qubits = [...basis, ...all.filter((qubit) => !basis.includes(qubit))];
    const measure: Operation = { kind: 'measure', qubits, bits: all };
    const measured = { numQubits, numBits: numQubits, operations: [...operations, measure] };
    const noisy = withNoise(measured, ownModel);
    const at = noisy.operations.findIndex(({ kind }) => kind === 'measure');
    return { ...noisy, operations: noisy.operations.toSpliced(at, 0, ...basisChange(group)) };
  });
}

/**
 * Measures all folded circuits.
 *
 * @returns For each of them, the values of all observables.
 * @throws the signal's reason once it aborts; the errors of running circuits.
 */
export async function measureFolded(
  runs: MitigationRuns,
  context: Pick<ProcedureContext, 'circuits' | 'countUnits' | 'signal'>,
  onProgress: (fraction: number) => void,
): Promise<readonly (readonly MeasuredValues[])[]> {
  const { folded, model, observables, shots, seed } = runs;
  const { circuits, countUnits, signal } = context;
  const grouped = measurementGroups(observables);
  const measured = folded.map((each) => noisyMeasurements(runs, each, grouped.groups));
  const chance = new Chance(seed, 0);
  const all = measured.flat().map((circuit) => ({ circuit, seed: chance.seed() }));
  let numDone = 0;
  const run = async (each: (typeof all)[number]): Promise<OutcomeCounts> => {
    signal.throwIfAborted();
    const method = methodOfRun(each.circuit, shots, circuits.maxNoisyQubits);
    const outputs = shots === undefined ? { probabilities: true } : { shots, seed: each.seed };
    const found = await circuits.run(each.circuit, { ...outputs, method });
    countUnits(1);
    onProgress(++numDone / all.length);
    if (found.probabilities !== undefined) return exactCounts(found.probabilities);
    return countsOfRow(found, 0, each.circuit.numBits);
  };
  const counts = await inTurns(2 * runs.circuit.numQubits, all, run);
  const readingOf = (qubit: Qubit) => readingMap(readoutErrorsOf(model, qubit));
  return folded.map((_, i) => {
    const own = counts.slice(i * grouped.groups.length, (i + 1) * grouped.groups.length);
    const raw = estimateExpectations(grouped, own);
    const inverted = estimateExpectations(grouped, own, readingOf);
    const error = (standardError: number) => (shots === undefined ? 0 : standardError);
    return observables.map((__, o) => ({
      raw: { value: raw[o]!.value, standardError: error(raw[o]!.standardError) },
      inverted: { value: inverted[o]!.value, standardError: error(inverted[o]!.standardError) },
    }));
  });
}

/** A distribution in place of counts. */
function exactCounts(probabilities: Float64Array): OutcomeCounts {
  return {
    wordsPerOutcome: 1,
    outcomes: Array.from(probabilities.keys()),
    occurrences: probabilities,
  };
}
