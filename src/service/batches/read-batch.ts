/**
 * Reads a batch from a request body or from the text of a stored request, or lists every fault. Pure, with plain data
 * as input and output: small bodies are read in the main thread, large ones in another process.
 *
 * A program is read once, however many points it has: its angles are formulas of its inputs.
 */
import { z } from 'zod';
import type { AngleFormulas } from '../../circuit/angle-formulas.ts';
import {
  type DynamicCircuit,
  hasMidCircuitMeasurement,
  measuredQubits,
  type Qubit,
  withFinalMeasurement,
} from '../../circuit/circuit.ts';
import type { CircuitLimits } from '../../circuit/circuit-limits.ts';
import { LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import { FaultList } from '../../circuit/fault-list.ts';
import { type InputColumns, inputColumns, inputPath } from '../../circuit/input-columns.ts';
import { type PauliSum, parseObservables } from '../../circuit/observable.ts';
import type { ProgramWarning } from '../../circuit/openqasm/token-stream.ts';
import { readSweep, type Sweep, type SweepSource } from '../../circuit/read-sweep.ts';
import type { Fault } from '../../errors/coded-error.ts';
import { formFaults, sizeFaults } from '../../errors/form-faults.ts';
import { labelsOf } from '../../jobs/job.ts';
import {
  attempt,
  checkOutcomeBits,
  checkShots,
  checkSource,
  checkTarget,
  limitsOf,
  type Target,
} from '../circuits/check-circuit.ts';
import { headOf, walkedForm } from '../circuits/read-circuit.ts';
import { RequestInvalidError } from '../errors.ts';
import type { JobSubmission } from '../jobs/job-kind.ts';
import { decodeStored, storedFacts } from '../jobs/stored-request.ts';
import type { Tier } from '../keys/api-key.ts';
import type { Reading } from '../reading/reading.ts';
import {
  type ArrayFormat,
  BATCH_OUTPUTS,
  type BatchBody,
  type BatchOutput,
  batchBody,
  MAX_COUNTS_BYTES,
  MAX_INPUTS,
  MAX_NUMBERS,
  MAX_POINTS,
  MAX_PROGRAMS,
  type ProgramBody,
  packedArray,
  programBody,
} from '../schemas/batches.ts';
import { MAX_LISTED_QUBITS } from '../schemas/circuits.ts';

/** Points of a program that run the same gates. */
export interface ProgramGroup {
  /** The circuit with its final measurement; its own angles are those of the first point. */
  readonly circuit: DynamicCircuit;
  /** How the angles follow from a row of inputs. */
  readonly formulas: AngleFormulas;
  /** Indices of the points, ascending; undefined for all points in order. */
  readonly points: Uint32Array | undefined;
}

/** Program that its target accepts, as plain data. */
export interface CheckedProgram {
  readonly name?: string;
  readonly groups: readonly ProgramGroup[];
  readonly inputs: InputColumns;
  /** Same for all groups. */
  readonly numQubits: number;
  readonly numBits: number;
  /** The qubit measured into each classical bit; null for a bit that is never written. */
  readonly measuredQubits: readonly (Qubit | null)[];
  readonly outputs: readonly BatchOutput[];
  readonly observables: readonly PauliSum[];
  /** Indices of the inputs that gradients are taken by. */
  readonly gradientInputs: readonly number[];
  /** Absent where all values are exact. */
  readonly shots?: number;
  /** Seed of its first point, where the program has one of its own. */
  readonly seed?: number;
  readonly arrayFormat: ArrayFormat;
  readonly warnings: readonly ProgramWarning[];
}

/** Batch that will become a job. */
export interface BatchSubmission extends JobSubmission {
  readonly programs: readonly CheckedProgram[];
  readonly points: number;
  /** Body as it is stored and shown, JSON text. */
  readonly bodyJson: string;
}

/** Facts stored before the body of a batch. */
export interface BatchFacts {
  readonly points: number;
  readonly seed: number;
  /** Tier of the caller's key when it submitted. */
  readonly tier: Tier;
}

/** Processors that a batch is checked against. */
export interface BatchContext {
  readonly targets: readonly Target[];
}

/** CPU factor for a stored batch. It was read in time once, and must be read again on a busier machine. */
const STORED_CPU_FACTOR = 10;

/** Reading of the body of POST /quantum/batches in a process. */
export const BATCH_READING: Reading<BatchContext, BatchSubmission> = {
  name: 'batch',
  read: (body, { targets }) => readBatch(body, targets),
};

/** Reading of a stored request's programs in a process. */
export const STORED_BATCH_READING: Reading<BatchContext, readonly CheckedProgram[]> = {
  name: 'stored batch',
  cpuFactor: STORED_CPU_FACTOR,
  read: (text, { targets }) => checkedPrograms(storedBatch(String(text)), targets),
};

/**
 * Reads a JSON value as a batch to run.
 *
 * @param maxSteps - Limit of steps of each program; no limit unless given.
 * @throws {RequestInvalidError} listing every fault of form and meaning.
 * @throws {StepsSpentError} if a program takes more steps.
 */
export function readBatch(
  value: unknown,
  targets: readonly Target[],
  maxSteps?: number,
): BatchSubmission {
  const programs = checkedPrograms(value, targets, maxSteps);
  // The cast is safe: the body has been checked.
  const body = value as BatchBody;
  const points = programs.reduce((sum, { inputs }) => sum + inputs.numPoints, 0);
  return {
    target: body.target_processor,
    programs,
    points,
    ...(body.seed !== undefined && { seed: body.seed }),
    ...(body.priority !== undefined && { priority: body.priority }),
    ...labelsOf(body),
    facts: { points },
    bodyJson: JSON.stringify(value),
  };
}

/** Reads the facts of a stored request from the text or its beginning. */
export function batchFactsOf(text: string): BatchFacts {
  // The cast is safe: a request is stored with its facts.
  return storedFacts(text) as BatchFacts;
}

/** Reads the body of a stored request. */
export function storedBatch(text: string): unknown {
  return decodeStored(text).body;
}

const batchHead = batchBody.extend({ programs: z.array(z.unknown()).min(1) });
/** Inputs are checked without a schema, which would walk a million numbers. */
const programHead = headOf(programBody).extend({
  inputs: z.record(z.string(), z.unknown()).optional(),
});

/**
 * Checks a body.
 *
 * @param maxSteps - Limit of steps of each program; no limit unless given.
 * @throws {RequestInvalidError} listing every fault.
 * @throws {StepsSpentError} if a program takes more steps.
 */
export function checkedPrograms(
  value: unknown,
  targets: readonly Target[],
  maxSteps?: number,
): readonly CheckedProgram[] {
  const { body, programs: values, faults: formOfBatch } = batchForm(value);
  const faults = new FaultList();
  for (const { path, message, code } of formOfBatch) faults.add(path, message, code);
  const target = checkTarget(body.target_processor, targets, faults);
  const limits = { ...limitsOf(target, targets), ...(maxSteps !== undefined && { maxSteps }) };
  const programs: CheckedProgram[] = [];
  let points = 0;
  for (const [i, program] of values.entries()) {
    if (faults.isFull) break;
    const own = new FaultList();
    const checked = new ProgramCheck(body, target, limits, own).check(program);
    for (const { path, message, code } of own.kept) {
      faults.add(
        `programs[${i}]${path === '' || path.startsWith('[') ? '' : '.'}${path}`,
        message,
        code,
      );
    }
    if (checked === undefined) continue;
    programs.push(checked);
    points += checked.inputs.numPoints;
  }
  if (points > MAX_POINTS) {
    const problem = `${points} points in all; the limit is ${MAX_POINTS}.`;
    faults.add('programs', problem, LIMIT_EXCEEDED);
  }
  checkAnswerSize(programs, faults);
  if (faults.count > 0) throw new RequestInvalidError(faults.kept);
  return programs;
}

type BatchParts = { readonly [K in keyof BatchBody]?: BatchBody[K] | undefined };

/** Form of the batch without its programs. */
function batchForm(value: unknown): {
  readonly body: BatchParts;
  readonly programs: readonly unknown[];
  readonly faults: readonly Fault[];
} {
  const { programs, ...rest }: { readonly programs?: unknown } = isObject(value) ? value : {};
  const tooLong = sizeFaults(rest, MAX_INPUTS);
  if (tooLong.length > 0) return { body: {}, programs: [], faults: tooLong };
  const parsed = batchHead.safeParse(value);
  const faults = parsed.success ? [] : [...formFaults(parsed.error, batchHead, value)];
  const list = Array.isArray(programs) ? programs : [];
  if (list.length > MAX_PROGRAMS) {
    const message = `${list.length} programs; the limit is ${MAX_PROGRAMS}.`;
    faults.push({ path: 'programs', message, code: LIMIT_EXCEEDED });
    return { body: {}, programs: [], faults };
  }
  const good = Object.entries(rest).filter(([name, field]) => {
    const schema = new Map<string, z.ZodType>(Object.entries(batchHead.shape)).get(name);
    return schema?.safeParse(field).success;
  });
  // The cast is safe: the schema of each field has taken it.
  return { body: Object.fromEntries(good) as BatchParts, programs: list, faults };
}

/** Check of one program against the defaults of its batch and a target. */
class ProgramCheck {
  readonly #batch: BatchParts;
  readonly #target: Target | undefined;
  readonly #limits: CircuitLimits;
  readonly #faults: FaultList;

  constructor(
    batch: BatchParts,
    target: Target | undefined,
    limits: CircuitLimits,
    faults: FaultList,
  ) {
    this.#batch = batch;
    this.#target = target;
    this.#limits = limits;
    this.#faults = faults;
  }

  /** The program; undefined if it has faults. */
  check(value: unknown): CheckedProgram | undefined {
    const faults = this.#faults;
    const { maxGates } = this.#limits;
    const form = walkedForm(value, programHead, maxGates, ['inputs']);
    for (const { path, message, code } of form.faults) faults.add(path, message, code);
    if (form.faults.length > 0) return undefined;
    // The cast is safe: the form has no faults, but inputs are still as they came.
    const program = { ...form.fields, ...form.lists } as ProgramParts;
    checkSource(form.given, faults);
    const given = unpackedInputs(program.inputs ?? {}, faults);
    const inputs = attempt(faults, () => inputColumns(given));
    const source = sourceOf(program);
    if (inputs === undefined || source === undefined || faults.count > 0) return undefined;
    const sweep = attempt(faults, () => readSweep(source, inputs, this.#limits));
    return sweep === undefined ? undefined : this.#withSweep(program, sweep);
  }

  #withSweep(program: ProgramParts, sweep: Sweep): CheckedProgram | undefined {
    const faults = this.#faults;
    const groups = sweep.groups.map(({ circuit, formulas, points }) => ({
      circuit: withFinalMeasurement(circuit),
      formulas,
      points,
    }));
    const [{ circuit }] = groups as [ProgramGroup];
    const { numQubits, numBits } = circuit;
    const uneven = groups.find(
      (group) => group.circuit.numQubits !== numQubits || group.circuit.numBits !== numBits,
    );
    if (uneven !== undefined) {
      const point = uneven.points?.[0] ?? 0;
      const problem = `All points of a program have the same number of qubits and classical bits: point 0 has ${numQubits} and ${numBits}, point ${point} has ${uneven.circuit.numQubits} and ${uneven.circuit.numBits}.`;
      faults.add('inputs', problem);
      return undefined;
    }
    const { results } = sweep.groups[0]!;
    const observables = attempt(faults, () =>
      parseObservables(
        [...(program.observables ?? []), ...results.observables],
        numQubits,
        'observables',
      ),
    );
    if (observables === undefined) return undefined;
    const outputs = this.#outputs(program, results.outputs, observables);
    const shots = program.shots ?? this.#batch.shots;
    this.#checkShots(outputs, shots, circuit);
    for (const group of groups) this.#checkOutputLimits(group.circuit, outputs);
    const gradientInputs = outputs.includes('gradient')
      ? this.#gradientInputs(sweep, numQubits)
      : [];
    if (faults.count > 0) return undefined;
    const { name, seed } = program;
    return {
      ...(name !== undefined && { name }),
      groups,
      inputs: sweep.inputs,
      numQubits,
      numBits,
      measuredQubits: measuredQubits(circuit),
      outputs,
      observables,
      gradientInputs,
      ...(shots !== undefined && { shots }),
      ...(seed !== undefined && { seed }),
      arrayFormat: program.array_format ?? this.#batch.array_format ?? 'json',
      warnings: sweep.warnings,
    };
  }

  /** What is asked for, in the order of the answer. */
  #outputs(
    program: ProgramParts,
    ofText: readonly BatchOutput[],
    observables: readonly PauliSum[],
  ): readonly BatchOutput[] {
    const hasObservables = observables.length > 0;
    const byDefault: readonly BatchOutput[] = [hasObservables ? 'expectation' : 'counts'];
    const ofProgram = program.return ?? this.#batch.return;
    const asked = ofProgram ?? (ofText.length > 0 ? [] : byDefault);
    for (const [i, name] of asked.entries()) {
      if (asked.indexOf(name) < i) this.#faults.add(`return[${i}]`, `${name} is named twice.`);
    }
    const all = new Set([...asked, ...ofText]);
    const ofObservables = OF_OBSERVABLES.filter((name) => all.has(name));
    if (ofObservables.length > 0 && !hasObservables) {
      this.#faults.add('observables', `Required: return has "${ofObservables[0]}".`);
    }
    if (ofObservables.length === 0 && hasObservables) {
      const problem = 'Only taken where return has "expectation", "variance" or "gradient".';
      this.#faults.add('observables', problem);
    }
    return BATCH_OUTPUTS.filter((name) => all.has(name));
  }

  #checkShots(
    outputs: readonly BatchOutput[],
    shots: number | undefined,
    circuit: DynamicCircuit,
  ): void {
    if (shots === undefined) {
      if (outputs.includes('counts')) this.#faults.add('shots', 'Required: return has "counts".');
      return;
    }
    if (isEstimated({ shots, outputs }) && shots < 2) {
      this.#faults.add('shots', 'At least 2, for the standard error of an estimated expectation.');
    }
    if (this.#target?.available) checkShots(shots, this.#target.spec, this.#faults);
    checkOutcomeBits(circuit, shots, this.#faults);
  }

  #checkOutputLimits(circuit: DynamicCircuit, outputs: readonly BatchOutput[]): void {
    const faults = this.#faults;
    const { numQubits, numBits } = circuit;
    const others = outputs.filter((name) => name !== 'counts');
    if (others.length > 0 && hasMidCircuitMeasurement(circuit)) {
      const problem = `${others[0]} needs a circuit whose measurements are all last, without conditions and without resets of qubits in use. Leave those out, or ask for counts.`;
      faults.add('return', problem);
    }
    const limit = `the limit is ${MAX_LISTED_QUBITS}`;
    if (outputs.includes('statevector') && numQubits > MAX_LISTED_QUBITS) {
      faults.add('return', `statevector of ${numQubits} qubits; ${limit}.`, LIMIT_EXCEEDED);
    }
    if (outputs.includes('probabilities') && numBits > MAX_LISTED_QUBITS) {
      const problem = `probabilities of ${numBits} measured bits; ${limit}.`;
      faults.add('return', problem, LIMIT_EXCEEDED);
    }
  }

  #gradientInputs({ inputs, derivativeFaults }: Sweep, numQubits: number): readonly number[] {
    const { names, columns } = inputs;
    const most = this.#limits.maxQubits - 1;
    if (numQubits > most) {
      const problem = `gradient of ${numQubits} qubits; it holds two states, so the limit is ${most}, one less than max_qubits.`;
      this.#faults.add('return', problem, LIMIT_EXCEEDED);
    }
    const numeric = [...names.keys()].filter((i) => columns[i]?.isBoolean === false);
    if (numeric.length === 0) {
      const problem =
        'gradient is by the inputs of a program, and this one has no numbers among its inputs.';
      this.#faults.add('return', problem);
    }
    for (const { input, message } of derivativeFaults) {
      if (!numeric.includes(input)) continue;
      const problem = `${message} So there is no derivative by it, and gradient is by all numbers among the inputs.`;
      this.#faults.add(`inputs.${names[input]}`, problem);
    }
    return numeric;
  }
}

/** Results that are read off observables. */
const OF_OBSERVABLES: readonly BatchOutput[] = ['expectation', 'variance', 'gradient'];

/** A program of good form, with inputs as they came. */
type ProgramParts = Omit<ProgramBody, 'inputs'> & {
  readonly inputs?: Readonly<Record<string, unknown>>;
};

function sourceOf({ circuit, qasm, qubits }: ProgramParts): SweepSource | undefined {
  const width = qubits === undefined ? {} : { qubits };
  if (circuit !== undefined) return { circuit, ...width };
  return qasm === undefined ? undefined : { qasm, ...width };
}

/** Replaces arrays that came as text by their numbers, and lists those that are malformed. */
function unpackedInputs(
  inputs: Readonly<Record<string, unknown>>,
  faults: FaultList,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => {
      if (!isObject(value)) return [name, value];
      const numbers = unpacked(value);
      if (numbers === undefined) {
        const problem =
          'An input is a number, a boolean or an array of them, or {"dtype": "<f8", "shape": [P], "data": "…"} with the base64 of P numbers of 64 bits.';
        faults.add(inputPath(name), problem);
      }
      return [name, numbers ?? 0];
    }),
  );
}

/** The numbers of an array that came as text; undefined if it is malformed. */
function unpacked(value: unknown): Float64Array | undefined {
  const { success, data: array } = packedArray.safeParse(value);
  if (!success || array.shape.length !== 1) return undefined;
  const { shape, data } = array;
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length !== Float64Array.BYTES_PER_ELEMENT * shape[0]!) return undefined;
  // Other characters than those of base64 would have been passed over.
  const numSymbols = data.replace(/={1,2}$/, '').length;
  if (numSymbols !== Math.ceil((4 * bytes.length) / 3)) return undefined;
  return new Float64Array(Uint8Array.from(bytes).buffer);
}

/** Numbers of one result that a point has. */
export function numbersOf(program: CheckedProgram, output: BatchOutput | 'standard_error'): number {
  const { numQubits, numBits, observables, gradientInputs } = program;
  switch (output) {
    case 'counts':
      return 0;
    case 'probabilities':
      return 2 ** numBits;
    case 'expectation':
    case 'standard_error':
    case 'variance':
      return observables.length;
    case 'gradient':
      return observables.length * gradientInputs.length;
    case 'statevector':
      return 2 * 2 ** numQubits;
  }
}

/** Whether expectation values or gradients are asked for and estimated from shots. */
export function isEstimated({
  shots,
  outputs,
}: Pick<CheckedProgram, 'shots' | 'outputs'>): boolean {
  if (shots === undefined || outputs.includes('counts')) return false;
  return outputs.includes('expectation') || outputs.includes('gradient');
}

/** Bytes of an entry of counts without its label and its number: quotes, colon and comma. */
const ENTRY_BYTES = 4;

/** Refuses a batch whose answer would be too large, whatever its circuits do. */
function checkAnswerSize(programs: readonly CheckedProgram[], faults: FaultList): void {
  let [numbers, countsBytes] = [0, 0];
  for (const program of programs) {
    const { inputs, outputs, numBits, shots = 0 } = program;
    const { numPoints } = inputs;
    for (const output of outputs) numbers += numPoints * numbersOf(program, output);
    if (isEstimated(program) && outputs.includes('expectation')) {
      numbers += numPoints * numbersOf(program, 'standard_error');
    }
    if (!outputs.includes('counts')) continue;
    const entries = Math.min(shots, 2 ** numBits);
    const digits = String(Math.ceil(shots / entries)).length;
    countsBytes += numPoints * (2 + entries * (numBits + ENTRY_BYTES + digits));
  }
  if (numbers > MAX_NUMBERS) {
    const problem = `The answer would have ${numbers} numbers; the limit is ${MAX_NUMBERS}. Send fewer points, or ask for less.`;
    faults.add('programs', problem, LIMIT_EXCEEDED);
  }
  if (countsBytes > MAX_COUNTS_BYTES) {
    const problem = `The answer may have ${countsBytes} bytes of counts; the limit is ${MAX_COUNTS_BYTES}. Send fewer points or shots.`;
    faults.add('programs', problem, LIMIT_EXCEEDED);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
