/** Input fields of a sweep, its points, and its faults, for every procedure that takes one. */
import { z } from 'zod';
import { type InputColumns, inputColumns } from '../../circuit/input-columns.ts';
import { type PauliSum, parseObservables } from '../../circuit/observable.ts';
import type { Fault } from '../../errors/coded-error.ts';
import { faultsOf, seedField, UPDATES_PER_DRAW } from './input-fields.ts';
import {
  ofParameter,
  PARAMETER_NAME,
  type SweepTemplate,
  sweepTemplate,
  templateFields,
} from './sweep-template.ts';

/** Limits of a sweep. */
export const SWEEP_LIMITS = {
  qubits: 20,
  parameters: 8,
  points: 10_000,
  shots: 100_000,
  observables: 100,
  /** Most Pauli terms over all observables. */
  observable_terms: 1000,
  /** Most numbers in the result: points times the numbers of each point. */
  result_numbers: 100_000,
  /** Most work of all circuits together: gates times amplitudes, and draws. */
  amplitude_updates: 1e11,
} as const;

const value = z.number().min(-1e6).max(1e6);
const pauliTerm = z.strictObject({
  pauli: z.string().max(200).describe('Pauli string, such as "Z0 X1"; "I" is the identity'),
  coefficient: value.optional().describe('Default 1'),
});

/** Input fields of the outputs at each point. */
export const outputFields = {
  observables: z
    .array(z.union([pauliTerm, z.array(pauliTerm).min(1)]))
    .min(1)
    .max(SWEEP_LIMITS.observables)
    .optional()
    .describe(
      'Observables whose exact expectation values are returned: each a Pauli term, or a list of terms that are summed',
    ),
  probabilities: z
    .boolean()
    .default(false)
    .describe('Whether the result has exact probabilities; those below 1e-12 are left out'),
  shots: z
    .int()
    .min(1)
    .max(SWEEP_LIMITS.shots)
    .optional()
    .describe('Number of shots at each point, for counts; default none'),
  seed: seedField,
} as const;

/** Input fields of a sweep: circuit, parameters and outputs. */
export const sweepFields = {
  ...templateFields,
  parameters: z
    .record(
      z.string().regex(PARAMETER_NAME, 'Must begin with a letter, as theta or phi_1 do'),
      z.union([
        z.strictObject({
          from: value.describe('First value'),
          to: value.describe('Last value, included'),
          points: z
            .int()
            .min(1)
            .max(SWEEP_LIMITS.points)
            .describe('Number of evenly spaced values'),
        }),
        z.array(value).min(1).max(SWEEP_LIMITS.points),
      ]),
    )
    .describe('Values of each parameter, by name: a range or a list'),
  combine: z
    .enum(['grid', 'zip'])
    .default('grid')
    .describe(
      'grid: every combination, the last parameter changing fastest; zip: the first values together, then the second ones, and so on. Default grid',
    ),
  ...outputFields,
} as const;

const sweepInput = z.strictObject(sweepFields);
/** Parsed input of a sweep. */
export type SweepInput = z.output<typeof sweepInput>;

/** A valid sweep. */
export interface SweepPlan {
  readonly parameters: readonly SweepParameter[];
  readonly combination: SweepInput['combine'];
  readonly numPoints: number;
  readonly template: SweepTemplate;
  readonly observables: readonly PauliSum[];
}

/**
 * Reads the sweep of an input.
 *
 * @throws {CodedError} listing every fault of the circuit and the observables.
 */
export function sweepPlan(input: SweepInput): SweepPlan {
  const parameters = Object.entries(input.parameters).map(([name, range]) => ({
    name,
    values: rangeValues(range),
  }));
  const first = inputColumns(
    Object.fromEntries(parameters.map(({ name, values }) => [name, values[0]])),
  );
  const template = sweepTemplate(input, first, SWEEP_LIMITS.qubits);
  const { numQubits } = template.firstCircuit;
  return {
    parameters,
    combination: input.combine,
    numPoints: numPoints(parameters, input.combine),
    template,
    observables: parseObservables(input.observables ?? [], numQubits, 'observables'),
  };
}

/** Faults of a well-formed sweep input. */
export function sweepFaults(input: SweepInput): readonly Fault[] {
  const faults = [...parameterFaults(input), ...outputFaults(input)];
  if (faults.length > 0) return faults;
  const path = input.qasm === undefined ? 'circuit' : 'qasm';
  return faultsOf(() => sizeFaults(input, sweepPlan(input)), path).map(ofParameter);
}

function parameterFaults({ parameters, combine }: SweepInput): readonly Fault[] {
  const ranges = Object.entries(parameters);
  const { parameters: most, points } = SWEEP_LIMITS;
  if (ranges.length === 0 || ranges.length > most) {
    const message = `There are ${ranges.length} parameters; a sweep has 1 to ${most}.`;
    return [{ path: 'parameters', message }];
  }
  const swept = ranges.map(([name, range]) => ({ name, values: rangeValues(range) }));
  if (combine === 'zip') {
    const [first, ...others] = swept;
    return others.flatMap(({ name, values }) => {
      if (values.length === first!.values.length) return [];
      const message = `${values.length} values beside ${first!.values.length} of ${first!.name}; zip needs as many of each.`;
      return [{ path: `parameters.${name}`, message }];
    });
  }
  const count = numPoints(swept, combine);
  if (count <= points) return [];
  return [{ path: 'parameters', message: `The grid has ${count} points; the limit is ${points}.` }];
}

function outputFaults({ observables = [], probabilities, shots }: SweepInput): readonly Fault[] {
  if (observables.length === 0 && !probabilities && shots === undefined) {
    const message = 'Nothing is asked for: give observables, probabilities or shots.';
    return [{ path: 'observables', message }];
  }
  const terms = observables.reduce((sum, o) => sum + (Array.isArray(o) ? o.length : 1), 0);
  if (terms <= SWEEP_LIMITS.observable_terms) return [];
  const message = `${terms} terms; the limit over all observables is ${SWEEP_LIMITS.observable_terms}.`;
  return [{ path: 'observables', message }];
}

/**
 * Size faults of the first point's circuit. A program's circuits may grow from point to point; the
 * run checks them.
 */
function sizeFaults(input: SweepInput, plan: SweepPlan): readonly Fault[] {
  const { template, parameters, observables, numPoints: count } = plan;
  const { numQubits, numBits, operations } = template.firstCircuit;
  const { shots = 0, probabilities } = input;
  const outcomes = 2 ** numBits;
  const perPoint =
    parameters.length +
    observables.length +
    (probabilities ? outcomes : 0) +
    Math.min(shots, outcomes);
  const work = count * (operations.length * 2 ** numQubits + UPDATES_PER_DRAW * shots);
  const { result_numbers, amplitude_updates } = SWEEP_LIMITS;
  const faultOf = (size: number, most: number, what: string): readonly Fault[] => {
    if (size <= most) return [];
    const message = `${count} points come to ${size} ${what}; the limit is ${most}.`;
    return [{ path: 'parameters', message }];
  };
  return [
    ...faultOf(count * perPoint, result_numbers, 'numbers in the result'),
    ...faultOf(work, amplitude_updates, 'amplitude updates and draws'),
  ];
}

/** Values of one parameter: listed, or evenly spaced with both ends included. */
export type SweepRange =
  | { readonly from: number; readonly to: number; readonly points: number }
  | readonly number[];

/** A parameter by name. */
export interface SweepParameter {
  readonly name: string;
  readonly values: readonly number[];
}

/**
 * Combination of values: `grid` takes every combination, the last parameter fastest; `zip` takes the
 * k-th value of every parameter together.
 */
export type SweepCombination = 'grid' | 'zip';

/** The values of a range. */
export function rangeValues(range: SweepRange): readonly number[] {
  if (!('points' in range)) return range;
  const { from, to, points } = range;
  if (points === 1) return [from];
  // The last value equals the end exactly.
  return Array.from({ length: points }, (_, i) =>
    i === points - 1 ? to : from + ((to - from) * i) / (points - 1),
  );
}

/** Number of points; for `zip` the least number of values of any parameter. */
export function numPoints(
  parameters: readonly SweepParameter[],
  combination: SweepCombination,
): number {
  const lengths = parameters.map(({ values }) => values.length);
  if (lengths.length === 0) return 1;
  return combination === 'zip'
    ? Math.min(...lengths)
    : lengths.reduce((product, length) => product * length, 1);
}

/** Values of the parameters at a point, in the order of the parameters. */
export function pointAt(
  parameters: readonly SweepParameter[],
  combination: SweepCombination,
  index: number,
): readonly number[] {
  if (combination === 'zip') return parameters.map(({ values }) => values[index]!);
  const point = new Array<number>(parameters.length);
  let rest = index;
  for (let i = parameters.length - 1; i >= 0; i--) {
    const { values } = parameters[i]!;
    point[i] = values[rest % values.length]!;
    rest = Math.floor(rest / values.length);
  }
  return point;
}

/** Values of the parameters at all points of a sweep. */
export function sweepInputs(
  parameters: readonly SweepParameter[],
  combination: SweepCombination,
): InputColumns {
  const points = Array.from({ length: numPoints(parameters, combination) }, (_, index) =>
    pointAt(parameters, combination, index),
  );
  const columnOf = (i: number) => Float64Array.from(points, (point) => point[i]!);
  return inputColumns(Object.fromEntries(parameters.map(({ name }, i) => [name, columnOf(i)])));
}
