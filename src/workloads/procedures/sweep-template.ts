/**
 * Templates of circuits: gate objects with angles such as "theta", "-theta" or "0.5*theta", or OpenQASM 3
 * with `input` declarations.
 *
 * A template is read once for all points that run the same gates: angles are formulas of the parameters. The inputs of
 * a program may determine anything, the number of loops included; then it is read for each combination of their values.
 */
import { z } from 'zod';
import { type Circuit, isNoisy, isStatic, withFinalMeasurement } from '../../circuit/circuit.ts';
import type { GateAngle, GateObject } from '../../circuit/gate-object.ts';
import { gateObject } from '../../circuit/gate-object-schema.ts';
import { withoutDelays, withoutIdleResets } from '../../circuit/idle-resets.ts';
import { type InputColumns, inputsAt } from '../../circuit/input-columns.ts';
import { parseOpenQasm } from '../../circuit/openqasm/parse-openqasm.ts';
import { readSweep, type SweepSource } from '../../circuit/read-sweep.ts';
import { CodedError, type Fault } from '../../errors/coded-error.ts';
import type { PointGroup } from '../algorithms/run-points.ts';
import { ProcedureInputError } from './errors.ts';
import { circuitFields, MAX_INPUT_GATES } from './input-fields.ts';

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

/** The circuits of an input for all points. */
export interface SweepTemplate {
  /** The circuit at the first point, with its measurements; without any, all its qubits are measured. */
  readonly firstCircuit: Circuit;
  /**
   * Reads the circuits of all points.
   *
   * @throws {ProcedureInputError} if the program is invalid at a point, or its registers change their size.
   */
  readonly groupsAt: (inputs: InputColumns) => readonly PointGroup[];
}

/**
 * Reads the template of an input at one point.
 *
 * @param first - Values of the parameters.
 * @throws {CodedError} listing every fault; an unused parameter is one.
 */
export function sweepTemplate(
  input: TemplateInput,
  first: InputColumns,
  maxQubits: number,
): SweepTemplate {
  const { circuit, qasm, qubits } = input;
  const limits = { maxQubits, maxGates: MAX_INPUT_GATES };
  if (qasm !== undefined) {
    if (circuit !== undefined) fail('qasm', 'Give either circuit or qasm, not both.');
    if (qubits !== undefined) fail('qubits', 'Only taken with circuit; qasm declares its own.');
    // Refuses requests for results, which a task takes from its input.
    const firstCircuit = parseOpenQasm(qasm, limits, { inputs: inputsAt(first, 0) });
    return templateOf({ qasm }, withFinalMeasurement(firstCircuit), limits);
  }
  if (circuit === undefined) return fail('circuit', 'Required: circuit, or qasm instead.');
  const faults: Fault[] = [];
  const objects = circuit.map((object, i) =>
    withInputs(object, `circuit[${i}]`, first.names, faults),
  );
  const source = { circuit: objects, qubits };
  const [group] = orFaults(() => readSweep(source, first, limits).groups, faults);
  if (group?.errorBoundAt !== undefined) {
    fail('circuit', 'A sweep here has no place for the error bound of a product formula.');
  }
  return templateOf(source, staticCircuit(group!.circuit), limits);
}

type Limits = Parameters<typeof readSweep>[2];

function templateOf(source: SweepSource, firstCircuit: Circuit, limits: Limits): SweepTemplate {
  const { numQubits, numBits } = firstCircuit;
  return {
    firstCircuit,
    groupsAt: (inputs) =>
      orFaults(() => readSweep(source, inputs, limits).groups, []).map((group) => {
        const circuit = staticCircuit(group.circuit);
        // Sizes were checked before the run, on the registers of the first point.
        if (circuit.numQubits !== numQubits || circuit.numBits !== numBits) {
          fail('qasm', 'The registers are not of the same size at every point.');
        }
        return { ...group, circuit };
      }),
  };
}

/** The circuit with its measurements, without idle resets. */
function staticCircuit(circuit: Parameters<typeof withFinalMeasurement>[0]): Circuit {
  const measured = withoutDelays(withoutIdleResets(withFinalMeasurement(circuit)));
  if (isStatic(measured)) return measured;
  if (isNoisy(measured)) return fail('circuit', 'A sweep takes circuits without noise.');
  return fail('qasm', 'A sweep takes no loops on measured bits, and no values computed from them.');
}

function fail(path: string, message: string): never {
  throw new ProcedureInputError([{ path, message }]);
}

/** Result of `read`. Throws all faults if there are any. */
function orFaults<T>(read: () => T, faults: readonly Fault[]): T {
  try {
    const value = read();
    if (faults.length === 0) return value;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const { code, message, faults: own } = error;
    const all = own.length > 0 ? own : [{ path: 'qasm', message, code }];
    throw new ProcedureInputError([...faults, ...all.map(ofParameter)]);
  }
  throw new ProcedureInputError(faults);
}

/** Inputs of the circuit are the parameters of the sweep. */
export function ofParameter(fault: Fault): Fault {
  return { ...fault, path: fault.path.replace(/^inputs\b/, 'parameters') };
}

const NAMED_ANGLE =
  /^\s*(?:([+-])\s*)?(?:(\d{1,15}(?:\.\d{1,15})?)\s*\*\s*)?([A-Za-z]\w{0,31})\s*$/;

/** Parses a text such as "-0.5*theta", or returns its fault. */
function namedAngle(text: string, names: readonly string[]): GateAngle | string {
  const match = NAMED_ANGLE.exec(text);
  if (match === null) {
    return `${JSON.stringify(text)} is no angle; write a number, or for example "theta", "-theta" or "0.5*theta".`;
  }
  const [, sign, factor = '1', input = ''] = match;
  if (!names.includes(input)) {
    return `There is no parameter ${input}; there are: ${names.join(', ')}.`;
  }
  return { input, scale: sign === '-' ? -Number(factor) : Number(factor) };
}

/** The gate object with inputs in place of named angles; 0 in place of one that has a fault. */
function withInputs(
  object: TemplateObject,
  path: string,
  names: readonly string[],
  faults: Fault[],
): GateObject {
  const angleOf = (field: 'theta' | 'phi' | 'lambda' | 'gamma' | 'beta') => {
    const value = object[field];
    if (typeof value !== 'string') return value;
    const angle = namedAngle(value, names);
    if (typeof angle !== 'string') return angle;
    faults.push({ path: `${path}.${field}`, message: angle });
    return 0;
  };
  return {
    ...object,
    theta: angleOf('theta'),
    phi: angleOf('phi'),
    lambda: angleOf('lambda'),
    gamma: angleOf('gamma'),
    beta: angleOf('beta'),
  };
}
