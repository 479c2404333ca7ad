/** The fields of an input that asks for a sweep, and what is wrong with them, for every procedure that takes one. */
import { z } from 'zod';
import { type InputColumns, inputColumns } from '../../../circuit/input-columns.ts';
import { type PauliSum, parseObservables } from '../../../circuit/observable.ts';
import { CodedError, type Fault } from '../../../errors/coded-error.ts';
import { seedField } from '../../procedures/input-fields.ts';
import { numPoints, pointAt, rangeValues, type SweepParameter } from './sweep-points.ts';
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

/** Cost of a draw, in amplitude updates. */
const UPDATES_PER_DRAW = 50;

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

/** Values of the parameters at all points of a sweep. */
export function sweepInputs({
  parameters,
  combination,
  numPoints: count,
}: SweepPlan): InputColumns {
  const columns = parameters.map(() => new Float64Array(count));
  for (let point = 0; point < count; point++) {
    for (const [i, value] of pointAt(parameters, combination, point).entries()) {
      columns[i]![point] = value;
    }
  }
  return inputColumns(Object.fromEntries(parameters.map(({ name }, i) => [name, columns[i]])));
}

/** Faults of a well-formed sweep input. */
export function sweepFaults(input: SweepInput): readonly Fault[] {
  const faults = [...parameterFaults(input), ...outputFaults(input)];
  if (faults.length > 0) return faults;
  try {
    return sizeFaults(input, sweepPlan(input));
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const path = input.qasm === undefined ? 'circuit' : 'qasm';
    if (error.faults.length === 0) return [{ path, message: error.message, code: error.code }];
    return error.faults.map(ofParameter);
  }
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
  const sizes: readonly (readonly [number, number, string])[] = [
    [count * perPoint, result_numbers, 'numbers in the result'],
    [work, amplitude_updates, 'amplitude updates and draws'],
  ];
  return sizes.flatMap(([size, most, what]) =>
    size <= most
      ? []
      : [
          {
            path: 'parameters',
            message: `${count} points come to ${size} ${what}; the limit is ${most}.`,
          },
        ],
  );
}
