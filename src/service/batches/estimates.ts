/**
 * Expectation values and gradients of a program, estimated from shots.
 *
 * Each group of Pauli strings that one measurement serves has a circuit of its own, which runs all shots of a point.
 * Gradients follow from estimates at shifted angles, by the parameter-shift rule: each angle that depends on an input
 * is shifted by itself, and the chain rule does the rest.
 */
import { setImmediate } from 'node:timers/promises';
import { AngleDerivatives, dependentAngles } from '../../circuit/angle-formulas.ts';
import { type DynamicCircuit, withoutMeasurements } from '../../circuit/circuit.ts';
import { estimateExpectations } from '../../circuit/expectation-estimates.ts';
import {
  groupingSteps,
  type MeasurementGroups,
  measuredIn,
} from '../../circuit/measurement-groups.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import { angleShifts, shiftedAngles, shiftedGradient } from '../../compiler/gradient/shift-rule.ts';
import { countsOfRow } from '../../fleet/run-outputs.ts';
import { addToSeed } from '../../math/philox.ts';
import { anglesAt, openAnglesOf, type PointGroup } from '../circuits/point-groups.ts';
import type { CheckedProgram } from './batch-program.ts';
import type { RunShapes } from './circuit-runs.ts';

/** Seeds of the groups of a point are this far apart, further than a batch has points. */
const SEEDS_PER_GROUP = 2 ** 20;
/** Seeds of the shifted circuits of a point are this far apart, further than there are groups. */
const SEEDS_PER_SHIFT = 2 ** 34;
/** Other work runs after this much estimating. */
const ESTIMATING_MS = 5;
/** Angles of shifted circuits that are in memory at a time, about. */
const MAX_ANGLES = 2 ** 18;

/** Points to estimate: a row of inputs and a seed for each. */
interface Points {
  readonly rows: Float64Array;
  readonly seeds: Float64Array;
}

/** Estimates of some points. Each array lists point after point. */
interface Estimated {
  /** A value and its standard error for each observable. */
  readonly expectation: Float64Array;
  readonly standard_error: Float64Array;
  /** For each observable, the derivative by each number of a row. */
  readonly gradient?: Float64Array;
}

/** Estimates for one program. */
export class Estimates {
  readonly #program: CheckedProgram;
  readonly #measured: Promise<MeasurementGroups>;
  readonly #circuits = new Map<PointGroup, readonly DynamicCircuit[]>();

  constructor(program: CheckedProgram) {
    this.#program = program;
    this.#measured = groupedInTurns(program.observables);
  }

  /** @throws what `run` throws. */
  async at(group: PointGroup, { rows, seeds }: Points, run: RunShapes): Promise<Estimated> {
    const angles = anglesAt(group, rows, seeds.length);
    const { values, errors } = await this.#estimate(group, angles, seeds, run);
    const estimated = { expectation: values, standard_error: errors };
    if (!this.#program.outputs.includes('gradient')) return estimated;
    return { ...estimated, gradient: await this.#gradient(group, { rows, seeds }, angles, run) };
  }

  async #estimate(
    group: PointGroup,
    angles: Float64Array,
    seeds: Float64Array,
    run: RunShapes,
  ): Promise<{ readonly values: Float64Array; readonly errors: Float64Array }> {
    const { observables, shots = 0 } = this.#program;
    const numCircuits = seeds.length;
    const measured = await this.#measured;
    const circuits = this.#circuitsOf(group, measured);
    const outputs = await run(
      circuits.map((circuit, g) => {
        const own = seeds.map((seed) => addToSeed(seed, g * SEEDS_PER_GROUP));
        return { circuit, request: { numCircuits, angles, shots, seeds: own } };
      }),
    );
    const values = new Float64Array(numCircuits * observables.length);
    const errors = new Float64Array(values.length);
    let since = performance.now();
    for (let k = 0; k < numCircuits; k++) {
      if (performance.now() - since > ESTIMATING_MS) {
        await setImmediate();
        since = performance.now();
      }
      const counts = circuits.map(({ numBits }, g) => countsOfRow(outputs[g]!, k, numBits));
      for (const [o, estimate] of estimateExpectations(measured, counts).entries()) {
        values[k * observables.length + o] = estimate.value;
        errors[k * observables.length + o] = estimate.standardError;
      }
    }
    return { values, errors };
  }

  async #gradient(
    group: PointGroup,
    { rows, seeds }: Points,
    angles: Float64Array,
    run: RunShapes,
  ): Promise<Float64Array> {
    const { formulas } = group;
    if (formulas === undefined) throw new Error('unreachable: a gradient without formulas');
    const { numInputs, numAngles } = formulas;
    const numObservables = this.#program.observables.length;
    const isOpen = dependentAngles(formulas, this.#program.gradientInputs);
    const shifts = angleShifts(withoutMeasurements(group.circuit), (angle) => isOpen[angle] === 1);
    const derivatives = new AngleDerivatives(formulas);
    const gradients = new Float64Array(seeds.length * numObservables * numInputs);
    const perCall = Math.max(1, Math.floor(MAX_ANGLES / Math.max(1, shifts.length * numAngles)));
    for (let from = 0; from < seeds.length; from += perCall) {
      const own = seeds.slice(from, from + perCall);
      const shifted = shiftedAngles(angles, numAngles, from, own.length, shifts);
      const ownSeeds = Float64Array.from({ length: own.length * shifts.length }, (_, i) => {
        const seed = own[Math.floor(i / shifts.length)]!;
        return addToSeed(seed, (1 + (i % shifts.length)) * SEEDS_PER_SHIFT);
      });
      const { values } = await this.#estimate(group, shifted, ownSeeds, run);
      const byAngle = new Float64Array(numAngles);
      for (let k = 0; k < own.length; k++) {
        derivatives.setRow(rows, (from + k) * numInputs);
        for (let o = 0; o < numObservables; o++) {
          shiftedGradient(values, k, o, numObservables, shifts, byAngle);
          const at = ((from + k) * numObservables + o) * numInputs;
          gradients.set(derivatives.toInputs(byAngle), at);
        }
      }
    }
    return gradients;
  }

  /** The circuits that measure the groups of strings. */
  #circuitsOf(group: PointGroup, { groups }: MeasurementGroups): readonly DynamicCircuit[] {
    let circuits = this.#circuits.get(group);
    if (circuits === undefined) {
      const circuit = withoutMeasurements(group.circuit);
      circuits = groups.map((strings) => measuredIn(circuit, strings));
      this.#circuits.set(group, circuits);
    }
    return circuits;
  }
}

/**
 * Circuits from whose shots the values of a group's points are estimated, those of gradients counted.
 *
 * @param numMeasured - Groups of strings that one measurement serves.
 */
export function numEstimatedCircuits(
  { inputs, outputs, gradientInputs }: CheckedProgram,
  group: PointGroup,
  numMeasured: number,
): number {
  const isOpen = openAnglesOf(group, gradientInputs);
  const shifts = outputs.includes('gradient')
    ? angleShifts(withoutMeasurements(group.circuit), (angle) => isOpen[angle] === 1).length
    : 0;
  return (group.points?.length ?? inputs.numPoints) * numMeasured * (1 + shifts);
}

/** Groups the strings of observables, some at a turn of the event loop. */
export async function groupedInTurns(observables: readonly PauliSum[]): Promise<MeasurementGroups> {
  const steps = groupingSteps(observables);
  let since = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() - since < ESTIMATING_MS) continue;
    await setImmediate();
    since = performance.now();
  }
}
