/** Checks the requested outputs of a circuit, or of each circuit of a batch, against the table of outputs. */
import {
  type DynamicCircuit,
  isNoisy,
  type SaveOperation,
  savesOf,
} from '../../circuit/circuit.ts';
import { type FaultList, LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { ProgramResult } from '../../circuit/openqasm/results.ts';
import {
  factsOf,
  NEEDED_FIELDS,
  type OutputName,
  outputOfResult,
  outputsOf,
  RESULT_TYPES,
  type ResultType,
} from '../../circuit/outputs.ts';
import type { ProcessorSpec } from '../../fleet/processor.ts';
import { circuitWork, type RunMethod } from '../../fleet/schedule/scheduled-run.ts';
import type { SourceField } from './circuit-schema.ts';
import { savedNumbers } from './saved-outputs.ts';

/** All that is asked of a circuit. */
export interface Asked {
  /** Those of `return`. */
  readonly outputs: readonly OutputName[];
  /** Those that the program requests by pragmas. */
  readonly results: readonly ProgramResult[];
  /** Whether the state vector of `outputs` is kept for download. */
  readonly keepsState?: boolean;
  /** Those of its snapshots. */
  readonly saved?: readonly OutputName[];
  readonly shots?: number | undefined;
}

/** Names of all outputs that are asked for. */
export function namesOf({
  outputs,
  results,
  saved = [],
}: Pick<Asked, 'outputs' | 'results' | 'saved'>) {
  return [...outputs, ...results.map(({ type }) => outputOfResult(type)), ...saved];
}

/** Whether an output is estimated where shots are given and counts are not asked for. */
export const isEstimable = (name: OutputName): boolean => factsOf(name).devices === 'estimated';

/**
 * Whether a program of a batch asks for expectation values or gradients that are estimated from counts. Trajectories
 * have expectation values of their own, and a density matrix exact ones.
 */
export function isEstimated({
  shots,
  outputs,
  method,
}: Pick<Asked, 'outputs' | 'shots'> & { readonly method: RunMethod }): boolean {
  if (method !== 'statevector') return false;
  if (shots === undefined || outputs.includes('counts')) return false;
  return outputs.some(isEstimable);
}

/** Adds a fault if `shots` exceeds a processor's limit. */
export function checkShots(
  shots: number | undefined,
  spec: ProcessorSpec,
  faults: FaultList,
): void {
  if (shots === undefined || shots <= spec.maxShots) return;
  const problem = `${shots} shots; the limit max_shots of ${spec.id} is ${spec.maxShots}.`;
  faults.add('shots', problem, LIMIT_EXCEEDED);
}

/** Greatest number of outcome bits of all shots together: 32 MiB of memory. */
export const MAX_OUTCOME_BITS = 2 ** 28;

/** Adds a fault if the outcomes of all shots have too many bits. */
export function checkOutcomeBits(
  { numBits }: Pick<DynamicCircuit, 'numBits'>,
  shots: number | undefined,
  faults: FaultList,
): void {
  if (shots === undefined || numBits * shots <= MAX_OUTCOME_BITS) return;
  const most = Math.floor(MAX_OUTCOME_BITS / numBits);
  const problem = `${shots} shots of ${numBits} classical bits; the limit is ${most} shots (2^28 bits in all).`;
  faults.add('shots', problem, LIMIT_EXCEEDED);
}

/** Adds a fault at the line of a result's pragma. */
export function addResultFault(
  { line, type }: ProgramResult,
  problem: string,
  faults: FaultList,
  code?: string,
): void {
  faults.add('qasm', `OpenQASM line ${line}: The result "${type}" ${problem}`, code);
}

/**
 * Checks `return`: no output is named twice, and fields are given exactly with the outputs that need them. A text in Stim's
 * format has its parities itself.
 */
export function checkFields(
  form: 'circuit' | 'batch',
  outputs: readonly OutputName[],
  given: readonly string[],
  faults: FaultList,
  source: SourceField = 'circuit',
): void {
  for (const [i, name] of outputs.entries()) {
    if (outputs.indexOf(name) < i) faults.add(`return[${i}]`, `${name} is named twice.`);
  }
  for (const [need, fields] of Object.entries(NEEDED_FIELDS)) {
    const needing = outputsOf(form).filter((name) => factsOf(name).needs === need);
    const wanted = needing.find((name) => outputs.includes(name));
    const found = fields.filter((field) => given.includes(field));
    if (need === 'parities' && source === 'stim') {
      for (const field of found) faults.add(field, 'Not taken with stim: the text has its own.');
      continue;
    }
    if (wanted !== undefined && found.length === 0) {
      faults.add(fields[0], `Required: return has "${wanted}".`);
    }
    if (wanted !== undefined) continue;
    const where = needing.map((name) => `"${name}"`).join(' or ');
    for (const field of found) faults.add(field, `Only taken where return has ${where}.`);
  }
  for (const name of outputsOf(form)) {
    const { option } = factsOf(name);
    if (option === undefined || !given.includes(option) || outputs.includes(name)) continue;
    faults.add(option, `Only taken where return has "${name}".`);
  }
}

/**
 * Adds the outputs that a device does not give.
 *
 * Hardware gives counts. A batch estimates expectation values and gradients from them, unless it asks for counts, too.
 */
export function checkDeviceOutputs(
  form: 'circuit' | 'batch',
  { outputs, results, shots }: Asked,
  { id, device }: Pick<ProcessorSpec, 'id' | 'device'>,
  faults: FaultList,
): void {
  const isEmulated = device?.emulation !== undefined;
  const isGiven = (name: OutputName): boolean => {
    const { devices } = factsOf(name);
    if (isEmulated) return devices !== 'none';
    return devices === 'all' || (form === 'batch' && devices === 'estimated');
  };
  const check = (path: string, others: readonly string[], given: readonly string[]) => {
    if (others.length === 0) return;
    const problem = isEmulated
      ? `${id} does not give ${others.join(', ')}; qvm does. It gives ${given.join(', ')}.`
      : `${others.join(', ')} can be computed only by a simulator; ${id} gives counts.`;
    faults.add(path, problem);
  };
  const lacking = outputs.filter((name) => !isGiven(name));
  check('return', lacking, outputsOf(form).filter(isGiven));
  const isGivenResult = (type: ResultType) => isGiven(outputOfResult(type));
  const types = results.map(({ type }) => type);
  check(
    'qasm',
    types.filter((type) => !isGivenResult(type)),
    RESULT_TYPES.filter(isGivenResult),
  );
  if (isEmulated || lacking.length > 0) return;
  for (const name of outputs) {
    if (factsOf(name).devices === 'all') continue;
    if (shots === undefined) {
      faults.add('shots', `Required: ${id} gives counts, from which ${name} is estimated.`);
    } else if (outputs.includes('counts')) {
      const problem = `${name} beside counts is exact, which only a simulator can compute. Leave out counts to have it estimated from shots.`;
      faults.add('return', problem);
    }
  }
}

/** Checks that a method gives the requested outputs of a circuit, and that they fit an answer. */
export function checkAsked(
  circuit: DynamicCircuit,
  asked: Asked,
  method: RunMethod | undefined,
  faults: FaultList,
): void {
  const { outputs, results, shots = 0, keepsState = false } = asked;
  const { isBranching: branchesAtEnd } = circuitWork(circuit);
  const { numQubits, numBits } = circuit;
  const saves = savesOf(circuit);
  const sums = { 'basis states': 0, 'values of samples': 0 };
  const check = (
    name: OutputName,
    add: (problem: string, code?: string) => void,
    {
      result,
      isBranching = branchesAtEnd,
      width = numBits,
      isSave = false,
      isKept = false,
    }: {
      readonly isKept?: boolean;
      readonly result?: ProgramResult;
      readonly isBranching?: boolean;
      readonly width?: number;
      readonly isSave?: boolean;
    } = {},
  ): void => {
    const { by, limit, needs } = factsOf(name);
    const given = by[method ?? 'statevector'];
    if (given === 'never') {
      // A missing method has been reported already.
      if (method !== undefined) add(whyNever(name, method, isNoisy(circuit)));
      return;
    }
    if (given === 'of one state' && isBranching) {
      const needed =
        'needs a circuit whose measurements are all last, without conditions and without resets of qubits in use';
      add(isSave ? AFTER_OUTCOMES : `${needed}. Leave those out, or ask for counts.`);
      return;
    }
    const isGradient = name === 'gradient' || name === 'adjoint_gradient';
    if (isGradient && saves.length > 0) {
      add('needs a circuit without SAVE, because it runs other circuits than this one.');
      return;
    }
    if (given === 'as a mean' && needs === 'observables' && shots === 1) {
      const why = 'for the spread of its values over trajectories';
      faults.add('shots', `At least 2 with ${name} and noise, ${why}.`);
    }
    if (limit === undefined) return;
    const { of, mostKept, advice } = limit;
    const most = isKept && mostKept !== undefined ? mostKept : limit.most;
    if (of === 'basis states' || of === 'values of samples') {
      // The schema limits the basis states of a request.
      sums[of] += result === undefined ? 0 : numbersOf(result, shots);
      if (sums[of] <= most) return;
      add(`brings the ${of} to ${sums[of]}; the limit is ${most}.`, LIMIT_EXCEEDED);
      return;
    }
    const size = { qubits: numQubits, 'measured bits': width, shots }[of];
    if (size <= most) return;
    const form = isKept && mostKept !== undefined ? 'a download' : 'a JSON answer';
    const problem = `of ${size} ${of}; the limit for ${form} is ${most}.`;
    // What is kept is asked for in `return`.
    const isOfReturn = !isSave && result === undefined;
    const isAdvised = advice !== undefined && (mostKept === undefined || (isOfReturn && !isKept));
    add(isAdvised ? `${problem} ${advice}` : problem, LIMIT_EXCEEDED);
  };
  for (const name of outputs) {
    const add = (problem: string, code?: string) =>
      faults.add('return', `${name} ${problem}`, code);
    check(name, add, { isKept: keepsState });
  }
  for (const result of results) {
    const add = (problem: string, code?: string) => addResultFault(result, problem, faults, code);
    check(outputOfResult(result.type), add, { result });
  }
  const branching = afterOutcomes(circuit);
  for (const save of saves) {
    const { output } = save;
    const add = (problem: string, code?: string) => addSaveFault(save, problem, faults, code);
    const width = output.what === 'probabilities' ? output.of.length : 0;
    check(output.what, add, { isBranching: branching.has(save), width, isSave: true });
  }
  const numbers = saves.reduce((sum, save) => sum + savedNumbers(save), 0);
  if (numbers > MAX_SAVED_NUMBERS) {
    const problem = `The snapshots have ${numbers} numbers; the limit is ${MAX_SAVED_NUMBERS}. Save fewer, or smaller ones.`;
    faults.add('circuit', problem, LIMIT_EXCEEDED);
  }
}

/** Adds a fault of the output of a snapshot. */
export function addSaveFault(
  { label, index, output }: SaveOperation,
  problem: string,
  faults: FaultList,
  code?: string,
): void {
  faults.add(`circuit[${index}]`, `SAVE "${label}": ${output.what} ${problem}`, code);
}

const AFTER_OUTCOMES =
  'comes after a measurement, a reset or a condition, so that shots may have different states there. Save before these; means over shots are saved by the method density_matrix.';

/** Numbers of all snapshots of a circuit: 16 MiB. */
const MAX_SAVED_NUMBERS = 2 ** 21;

/** The snapshots that come after a measurement, a reset or a condition, so that shots may save different states. */
function afterOutcomes({ operations }: DynamicCircuit): ReadonlySet<SaveOperation> {
  const found = new Set<SaveOperation>();
  let mayDiffer = false;
  for (const operation of operations) {
    if (operation.kind === 'save') {
      if (mayDiffer) found.add(operation);
    } else if (operation.kind !== 'barrier' && operation.kind !== 'noise') {
      mayDiffer ||=
        ['measure', 'reset', 'while', 'repeat'].includes(operation.kind) ||
        operation.condition !== undefined;
    }
  }
  return found;
}

/** Refuses snapshots where nothing can save them. */
export function checkSavesTaken(circuit: DynamicCircuit, why: string, faults: FaultList): void {
  for (const { index, label } of savesOf(circuit)) {
    faults.add(`circuit[${index}].gate`, `SAVE "${label}" is not taken: ${why}`);
  }
}

function whyNever(name: OutputName, method: RunMethod, hasNoise: boolean): string {
  const { by, instead } = factsOf(name);
  if (by.density_matrix === 'always') {
    return 'needs the method density_matrix, which qvm has for circuits that are narrow enough.';
  }
  const why = hasNoise ? 'with noise the state is mixed' : `the method ${method} has none`;
  return [`needs a pure state; ${why}.`, ...(instead === undefined ? [] : [instead])].join(' ');
}

/** Basis states of a result, or the values that its samples have. */
function numbersOf(result: ProgramResult, shots: number): number {
  if (result.type === 'amplitude') return result.states.length;
  return result.type === 'sample' ? shots * result.observables.length : 0;
}
