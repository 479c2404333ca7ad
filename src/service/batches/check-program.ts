/** Checks one program of a batch: its form, its circuit at all points, and its requested outputs. */

import { z } from 'zod';
import { savesOf, withFinalMeasurement } from '../../circuit/circuit.ts';
import type { CircuitLimits } from '../../circuit/circuit-limits.ts';
import { type FaultList, LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import { type InputColumns, inputColumns, inputPath } from '../../circuit/input-columns.ts';
import type { NoiseModel } from '../../circuit/noise/read-noise-model.ts';
import { givesMeans } from '../../circuit/outputs.ts';
import {
  readSweep,
  type Sweep,
  type SweepGroup,
  type SweepSource,
} from '../../circuit/read-sweep.ts';
import { FIELD_ADVICE } from '../../errors/form-faults.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import { foundText } from '../../errors/wrong-values.ts';
import { isJsonObject } from '../../workloads/procedures/json.ts';
import { emulatedDeviceOf, readNoise } from '../circuits/caller-device.ts';
import { checkLossLabels } from '../circuits/check-loss.ts';
import { type ChosenMethod, warningsUnder } from '../circuits/check-method.ts';
import { type Asked, checkFields, checkShots, isEstimated } from '../circuits/check-outputs.ts';
import {
  attempt,
  checkProgram,
  checkSource,
  type ProgramContext,
  type ProgramQuestion,
} from '../circuits/check-program.ts';
import { begunIn, type InitialState, readInitialState } from '../circuits/initial-state.ts';
import { checkResultsOfBatch, fieldsOf } from '../circuits/program-results.ts';
import { headOf, unreadState, walkedForm } from '../circuits/read-circuit.ts';
import { savedForm } from '../circuits/saved-outputs.ts';
import { readLimitsOf, type Target } from '../circuits/targets.ts';
import type { CheckedProgram } from './batch-program.ts';
import {
  BATCH_OUTPUTS,
  type BatchBody,
  type BatchOutput,
  type ProgramBody,
  programBody,
} from './batch-schema.ts';
import { unpackedInputs } from './packed-inputs.ts';

/** The fields of a batch that are of good form. */
export type BatchParts = { readonly [K in keyof BatchBody]?: BatchBody[K] | undefined };

/** Inputs are checked without a schema, which would walk a million numbers. */
const programHead = headOf(programBody).extend({
  ...unreadState,
  inputs: z.record(z.string(), z.unknown()).optional(),
});

/** Fields of a circuit that no program of a batch has. */
const OF_CIRCUITS: readonly string[] = [
  'basis_states',
  'statevector_format',
  'detectors',
  'logical_observables',
  'detector_error_model',
];
FIELD_ADVICE.add(programHead, {
  advise: (_, field) =>
    OF_CIRCUITS.includes(field)
      ? `Programs of a batch have no ${field}; circuits do, at POST /api/v1/quantum/circuits.`
      : undefined,
});

/** Context in which all programs of a batch are checked. */
interface BatchContext {
  /** Fields that hold for programs without their own. */
  readonly batch: BatchParts;
  readonly target: Target | undefined;
  readonly limits: CircuitLimits;
  /** Model of the batch; a program may have its own. */
  readonly noise: NoiseModel | undefined;
}

/** Checks one program of a batch; undefined if it has faults. */
export function checkBatchProgram(
  value: unknown,
  context: BatchContext,
  faults: FaultList,
): CheckedProgram | undefined {
  const { batch, target, limits } = context;
  if (!isJsonObject(value)) {
    faults.add('', `A program is a JSON object, not ${foundText(value)}.`);
    return undefined;
  }
  const form = walkedForm(value, programHead, limits.maxGates, ['inputs', 'initial_state']);
  for (const { path, message, code } of form.faults) faults.add(path, message, code);
  if (form.faults.length > 0) return undefined;
  // The cast is safe: the form has no faults, but inputs are still as they came.
  const program = { ...form.fields, ...form.lists } as ProgramParts;
  const sourceField = checkSource(form.given, faults);
  const given = unpackedInputs(program.inputs ?? {}, faults);
  const inputs = attempt(faults, () => inputColumns(given));
  const { initial_state } = program;
  const isStim = sourceField === 'stim';
  const start =
    initial_state === undefined ? undefined : readInitialState(initial_state, isStim, faults);
  const source = sourceOf(
    program.circuit && start ? { ...program, qubits: program.qubits ?? start.numQubits } : program,
  );
  if (inputs === undefined || source === undefined || faults.count > 0) return undefined;
  const noise =
    program.noise === undefined ? context.noise : readNoise(program.noise, target?.spec, faults);
  const readLimits = readLimitsOf(target, limits);
  const read = attempt(faults, () => readSweep(source, inputs, readLimits));
  const sweep = start === undefined ? read : read && begunSweep(read, start, faults);
  const fields = { ...defaultsOf(batch), ...program, source: sourceField };
  if (target?.available) checkShots(fields.shots, target.spec, faults);
  return sweep && checkSweep(fields, sweep, { target, limits, noise, purpose: 'run' }, faults);
}

/** A sweep whose circuits begin in a state; undefined after adding a fault. */
function begunSweep(sweep: Sweep, start: InitialState, faults: FaultList): Sweep | undefined {
  const groups: SweepGroup[] = [];
  for (const group of sweep.groups) {
    const circuit = begunIn(group.circuit, start, faults);
    if (circuit === undefined) return undefined;
    groups.push({ ...group, circuit });
  }
  return { ...sweep, groups };
}

/** Fields of a batch that hold for programs without their own. */
function defaultsOf({
  shots,
  return: outputs,
  method,
  noise,
  max_bond_dimension,
  truncation_threshold,
  approximate,
  max_terms,
  min_coefficient,
  max_weight,
  gradient_inputs,
  array_format,
  label_format,
}: BatchParts) {
  return {
    shots,
    return: outputs,
    method,
    noise,
    max_bond_dimension,
    truncation_threshold,
    approximate,
    max_terms,
    min_coefficient,
    max_weight,
    default_gradient_inputs: gradient_inputs,
    array_format,
    label_format,
  };
}

/** A program with the defaults of its batch. */
type ProgramFields = ReturnType<typeof defaultsOf> & ProgramParts & Pick<ProgramQuestion, 'source'>;

/** Checks a program that was read at all points. */
function checkSweep(
  fields: ProgramFields,
  sweep: Sweep,
  context: ProgramContext,
  faults: FaultList,
): CheckedProgram | undefined {
  const written = sweep.groups.map(({ circuit, formulas, points }) => ({
    circuit: withFinalMeasurement(circuit),
    formulas,
    points,
  }));
  const { circuit } = written[0]!;
  const { numQubits, numBits } = circuit;
  const uneven = written.find(
    (group) => group.circuit.numQubits !== numQubits || group.circuit.numBits !== numBits,
  );
  if (uneven !== undefined) {
    const point = uneven.points?.[0] ?? 0;
    const problem = `All points of a program have the same number of qubits and classical bits: point 0 has ${numQubits} and ${numBits}, point ${point} has ${uneven.circuit.numQubits} and ${uneven.circuit.numBits}.`;
    faults.add('inputs', problem);
    return undefined;
  }
  const { results } = sweep.groups[0]!;
  checkResultsOfBatch(results.results, numQubits, faults);
  const requested = [...(fields.observables ?? []), ...results.observables];
  const filled = fieldsOf(results.results, numQubits);
  const outputs = outputsOf(fields.return, filled, requested.length > 0, faults);
  const { shots } = fields;
  const asked = { outputs, results: [], shots };
  const checked = checkProgram(
    {
      ...fields,
      ...asked,
      form: 'batch',
      groups: written,
      inputs: sweep.inputs,
      qasm: fields.qasm,
      observables: requested,
    },
    context,
    faults,
  );
  if (checked?.observables === undefined) return undefined;
  const { groups, chosen = NO_METHOD, observables, measuredQubits, lossMarks } = checked;
  const { method } = chosen;
  checkShotsOf({ outputs, shots, method }, faults);
  const saves = savesOf(groups[0]!.circuit);
  if (saves.length > 0 && isEstimated({ ...asked, method })) {
    const problem =
      'Snapshots are exact, and expectation is estimated from shots here. Leave out shots, or ask for counts, too.';
    faults.add('shots', problem);
  }
  // A missing method has been reported already.
  const byAdjoint = method === 'statevector' && !isEstimated({ ...asked, method });
  if (outputs.includes('gradient') && byAdjoint && faults.count === 0) {
    const { target, limits } = context;
    const device = emulatedDeviceOf(target?.spec);
    const most = device?.emulation.maxUsedQubits ?? limits.maxQubits;
    checkGradientWidth(groups[0]!.circuit.numQubits, most - 1, faults);
  }
  if (lossMarks !== undefined) checkLossLabels(numBits, outputs, fields.label_format, faults);
  const gradientInputs = gradientInputsOf(fields, outputs, sweep, faults);
  if (faults.count > 0) return undefined;
  const { name, seed, array_format: arrayFormat = 'json', label_format = 'automatic' } = fields;
  return {
    ...(name !== undefined && { name }),
    ...chosen,
    groups,
    inputs: sweep.inputs,
    numQubits,
    numBits,
    ...(lossMarks !== undefined && { lossMarks }),
    measuredQubits,
    outputs,
    observables,
    gradientInputs,
    ...(saves.length > 0 && { saves: saves.map(savedForm) }),
    ...(shots !== undefined && { shots }),
    ...(seed !== undefined && { seed }),
    arrayFormat,
    labelFormat: arrayFormat === 'base64' ? 'automatic' : label_format,
    ...errorBoundsOf(sweep),
    warnings: warningsUnder(context.noise, sweep.warnings),
  };
}

/** Bounds on the error of product formulas at all points. */
function errorBoundsOf({ groups, inputs }: Sweep): Pick<CheckedProgram, 'errorBounds'> {
  if (groups.every(({ errorBoundAt }) => errorBoundAt === undefined)) return {};
  const errorBounds = new Float64Array(inputs.numPoints);
  for (const { points, errorBoundAt } of groups) {
    if (errorBoundAt === undefined) continue;
    const of = points ?? errorBounds.keys();
    for (const point of of) errorBounds[point] = errorBoundAt(point);
  }
  return { errorBounds };
}

/** Method of a program without a target, which has a fault. */
const NO_METHOD: ChosenMethod = { method: 'statevector', methodReason: '' };

/** Results that are asked for, in the order of the answer. */
function outputsOf(
  asked: readonly BatchOutput[] | undefined,
  ofText: readonly BatchOutput[],
  hasObservables: boolean,
  faults: FaultList,
): readonly BatchOutput[] {
  const byDefault: readonly BatchOutput[] = [hasObservables ? 'expectation' : 'counts'];
  const own = asked ?? (ofText.length > 0 ? [] : byDefault);
  const all = [...own, ...ofText.filter((name) => !own.includes(name))];
  checkFields('batch', all, hasObservables ? ['observables'] : [], faults);
  return BATCH_OUTPUTS.filter((name) => all.includes(name));
}

/** Adds a fault where results take shots that are not given, or more than are given. */
function checkShotsOf(
  { outputs, shots, method }: Pick<CheckedProgram, 'outputs' | 'method'> & Pick<Asked, 'shots'>,
  faults: FaultList,
): void {
  if (shots === undefined) {
    if (outputs.includes('counts')) faults.add('shots', 'Required: return has "counts".');
    else if (givesMeans(method)) {
      const problem = 'Required: with noise, values are means over the trajectories of shots.';
      faults.add('shots', problem);
    }
  } else if (isEstimated({ shots, outputs, method }) && shots < 2) {
    faults.add('shots', 'At least 2, for the standard error of an estimated expectation.');
  }
}

function checkGradientWidth(numQubits: number, most: number, faults: FaultList): void {
  if (numQubits <= most) return;
  const problem = `gradient of ${numQubits} qubits; it holds two states, so the limit is ${most}, one less than max_qubits.`;
  faults.add('return', problem, LIMIT_EXCEEDED);
}

function gradientInputsOf(
  fields: ProgramFields,
  outputs: readonly BatchOutput[],
  { inputs, derivativeFaults, groups }: Sweep,
  faults: FaultList,
): readonly number[] {
  if (!outputs.includes('gradient')) {
    if (fields.gradient_inputs !== undefined) {
      faults.add('gradient_inputs', 'Only taken where return has "gradient".');
    }
    return [];
  }
  const { names, columns } = inputs;
  const ofText = groups[0]?.results.results.find((result) => result.type === 'adjoint_gradient');
  const isOfText = fields.gradient_inputs === undefined && ofText?.inputs !== undefined;
  const asked = fields.gradient_inputs ?? ofText?.inputs ?? fields.default_gradient_inputs;
  const addAt = (i: number, problem: string) => {
    if (isOfText) faults.add('qasm', `OpenQASM line ${ofText.line}: ${problem}`);
    else faults.add(`gradient_inputs[${i}]`, problem);
  };
  const numeric = [...names.keys()].filter((i) => columns[i]?.kind === 'number');
  const chosen = asked === undefined ? numeric : chosenInputs(asked, inputs, addAt);
  if (asked === undefined && numeric.length === 0) {
    const problem =
      'gradient is by the inputs of a program, and this one has no numbers among its inputs.';
    faults.add('return', problem);
  }
  for (const { input, message } of derivativeFaults) {
    if (!chosen.includes(input)) continue;
    if (asked === undefined) {
      const problem = `${message} So there is no derivative by it, and gradient is by all numbers among the inputs, unless gradient_inputs names some.`;
      faults.add(inputPath(names[input]!), problem);
    } else {
      addAt(asked.indexOf(names[input]!), `${message} So there is no derivative by it.`);
    }
  }
  return chosen;
}

/**
 * Indices of inputs by their names.
 *
 * @param addAt - Adds the fault of a name by its index.
 */
function chosenInputs(
  asked: readonly string[],
  { names, columns }: InputColumns,
  addAt: (i: number, problem: string) => void,
): readonly number[] {
  const places = new Map(names.map((name, i) => [name, i]));
  const chosen = new Set<number>();
  for (const [i, name] of asked.entries()) {
    const input = places.get(name);
    if (input === undefined) {
      const known = didYouMean(name, names);
      addAt(i, `The program has no input ${JSON.stringify(name)}.${known}`);
    } else if (columns[input]!.kind !== 'number') {
      const { kind } = columns[input]!;
      addAt(i, `The input ${JSON.stringify(name)} is a ${kind}, not a number.`);
    } else if (chosen.has(input)) addAt(i, `${name} is named twice.`);
    else chosen.add(input);
  }
  return [...chosen];
}

/** A program of good form, with inputs as they came. */
type ProgramParts = Omit<ProgramBody, 'inputs'> & {
  readonly inputs?: Readonly<Record<string, unknown>>;
};

function sourceOf({ circuit, qasm, stim, qir, qubits }: ProgramParts): SweepSource | undefined {
  const width = qubits === undefined ? {} : { qubits };
  if (circuit !== undefined) return { circuit, ...width };
  if (qasm !== undefined) return { qasm, ...width };
  if (stim !== undefined) return { stim };
  return qir === undefined ? undefined : { qir, ...width };
}
