/**
 * Templates of circuits: gate objects with angles such as "theta", "-theta" or "0.5*theta", or OpenQASM 3
 * with `input` declarations.
 *
 * Gate objects are parsed once; only their angles change from point to point. The inputs of a program may
 * determine anything, the number of loops included, so a program is parsed for each point.
 */
import { z } from 'zod';
import { type Circuit, withAngles, withFinalMeasurement } from '../../../circuit/circuit.ts';
import { PARAMETER_NAMES, type ParameterName } from '../../../circuit/gate-definition.ts';
import type { GateObject } from '../../../circuit/gate-object.ts';
import { gateObject } from '../../../circuit/gate-object-schema.ts';
import { circuitFromGateObjects } from '../../../circuit/gate-objects.ts';
import { findGate } from '../../../circuit/gates.ts';
import { parseOpenQasm } from '../../../circuit/openqasm/parse-openqasm.ts';
import { CodedError, type Fault } from '../../../errors/coded-error.ts';
import {
  type AngleForm,
  anglesOf,
  parametricCircuit,
} from '../../algorithms/training/parametric-circuit.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import { circuitFields, MAX_INPUT_GATES } from '../../procedures/input-fields.ts';

/** Syntax of a parameter's name. */
export const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;

const angle = z
  .union([z.number(), z.string().max(80)])
  .optional()
  .describe('Radians, or a parameter: "theta", "-theta", "0.5*theta"');

const templateObject = z.strictObject({
  ...gateObject.shape,
  theta: angle,
  phi: angle,
  lambda: angle,
  gamma: angle,
  beta: angle,
});
type TemplateObject = z.output<typeof templateObject>;

/** Input fields of a circuit with parameters. */
export const templateFields = {
  ...circuitFields,
  circuit: z
    .array(templateObject)
    .max(MAX_INPUT_GATES)
    .optional()
    .describe('Gate objects in order; an angle may be the name of a parameter'),
  qasm: circuitFields.qasm.describe(
    'OpenQASM 3 text; replaces `circuit`; its `input` declarations are the parameters',
  ),
} as const;

const templateInput = z.object(templateFields);
/** Parsed input with those fields. */
export type TemplateInput = z.output<typeof templateInput>;

/** Builds the circuit for given values of the parameters. */
export interface SweepTemplate {
  /**
   * The circuit at a point, with its measurements; without any, all its qubits are measured.
   *
   * @param point - One value per parameter, in the order of their names.
   * @throws {CodedError} if the program is invalid with these inputs.
   */
  readonly circuitAt: (point: readonly number[]) => Circuit;
}

/**
 * Reads the template of an input.
 *
 * @param names - Names of the parameters.
 * @throws {ProcedureInputError} listing every fault; an unused parameter is one.
 */
export function sweepTemplate(
  input: TemplateInput,
  names: readonly string[],
  maxQubits: number,
): SweepTemplate {
  const { circuit, qasm, qubits } = input;
  if (qasm !== undefined) {
    if (circuit !== undefined) fail('qasm', 'Give either circuit or qasm, not both.');
    if (qubits !== undefined) fail('qubits', 'Only taken with circuit; qasm declares its own.');
    return qasmTemplate(qasm, names, maxQubits);
  }
  if (circuit === undefined) return fail('circuit', 'Required: circuit, or qasm instead.');
  return objectsTemplate(circuit, qubits, names, maxQubits);
}

function fail(path: string, message: string): never {
  throw new ProcedureInputError([{ path, message }]);
}

function qasmTemplate(qasm: string, names: readonly string[], maxQubits: number): SweepTemplate {
  const limits = { maxQubits, maxGates: MAX_INPUT_GATES };
  let first: Circuit | undefined;
  return {
    circuitAt: (point) => {
      const inputs = Object.fromEntries(names.map((name, i) => [name, point[i]!]));
      const circuit = withFinalMeasurement(parseOpenQasm(qasm, limits, { inputs }));
      first ??= circuit;
      // Sizes were checked before the run, on the registers of the first point.
      if (circuit.numQubits !== first.numQubits || circuit.numBits !== first.numBits) {
        fail('qasm', 'The registers are not of the same size at every point.');
      }
      return circuit;
    },
  };
}

/** Angle fields of a gate object. */
type AngleForms = ReadonlyMap<ParameterName, AngleForm>;

function objectsTemplate(
  objects: readonly TemplateObject[],
  qubits: number | undefined,
  names: readonly string[],
  maxQubits: number,
): SweepTemplate {
  const faults: Fault[] = [];
  const numbered = new Map(names.map((name, i) => [name, i]));
  const forms = objects.map((object, i) => angleForms(object, `circuit[${i}]`, numbered, faults));
  const used = new Set(forms.flatMap((of) => [...of.values()].flatMap(({ terms }) => terms)));
  for (const [name, number] of numbered) {
    if ([...used].some(({ parameter }) => parameter === number)) continue;
    faults.push({ path: `parameters.${name}`, message: 'No angle of the circuit names it.' });
  }
  const limits = { maxQubits, maxGates: MAX_INPUT_GATES };
  const width = qubits === undefined ? {} : { numQubits: qubits };
  const plain = objects.map((object, i) => withNumbers(object, forms[i]!));
  const circuit = orFaults(() => circuitFromGateObjects(plain, { limits, ...width }), faults);
  const shape = withFinalMeasurement(circuit);
  // In the order of the circuit's angles: parsing leaves out no gate.
  const angles = objects.flatMap(({ gate }, i) =>
    (findGate(gate)?.parameters ?? []).map((field) => forms[i]!.get(field) ?? fixed(0)),
  );
  const numParameters = names.length;
  const parametric = parametricCircuit({ shape, numParameters, numFeatures: 0, angles });
  return { circuitAt: (point) => withAngles(shape, anglesOf(parametric, point, [])) };
}

/** The circuit that `read` returns. Throws all faults if there are any. */
function orFaults(read: () => Circuit, faults: readonly Fault[]): Circuit {
  try {
    const circuit = read();
    if (faults.length === 0) return circuit;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    throw new ProcedureInputError([...faults, ...error.faults]);
  }
  throw new ProcedureInputError(faults);
}

function angleForms(
  object: TemplateObject,
  path: string,
  numbered: ReadonlyMap<string, number>,
  faults: Fault[],
): AngleForms {
  const forms = new Map<ParameterName, AngleForm>();
  for (const field of PARAMETER_NAMES) {
    const value = object[field];
    if (value === undefined) continue;
    const form = typeof value === 'number' ? fixed(value) : namedAngle(value, numbered);
    if (typeof form === 'string') faults.push({ path: `${path}.${field}`, message: form });
    else forms.set(field, form);
  }
  return forms;
}

function fixed(offset: number): AngleForm {
  return { offset, terms: [] };
}

const NAMED_ANGLE =
  /^\s*(?:([+-])\s*)?(?:(\d{1,15}(?:\.\d{1,15})?)\s*\*\s*)?([A-Za-z]\w{0,31})\s*$/;

/** Parses a text such as "-0.5*theta", or returns its fault. */
function namedAngle(text: string, numbered: ReadonlyMap<string, number>): AngleForm | string {
  const match = NAMED_ANGLE.exec(text);
  if (match === null) {
    return `${JSON.stringify(text)} is no angle; write a number, or for example "theta", "-theta" or "0.5*theta".`;
  }
  const [, sign, factor = '1', name = ''] = match;
  const parameter = numbered.get(name);
  if (parameter === undefined) {
    const known = [...numbered.keys()].join(', ');
    return `There is no parameter ${name}; there are: ${known}.`;
  }
  const coefficient = sign === '-' ? -Number(factor) : Number(factor);
  return { offset: 0, terms: [{ coefficient, parameter }] };
}

/** The gate object with numeric angles: fixed ones, and 0 for each that has a parameter. */
function withNumbers(object: TemplateObject, forms: AngleForms): GateObject {
  const number = (field: ParameterName) =>
    object[field] === undefined ? undefined : (forms.get(field)?.offset ?? 0);
  return {
    ...object,
    theta: number('theta'),
    phi: number('phi'),
    lambda: number('lambda'),
    gamma: number('gamma'),
    beta: number('beta'),
  };
}
