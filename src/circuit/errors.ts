/**
 * Errors of the circuit layer: an input is not a valid circuit, or exceeds a limit. `FaultList` collects the faults of
 * an input, so that one answer lists them all.
 */
import { CodedError, coded, type Fault, firstOf, MAX_FAULTS } from '../errors/coded-error.ts';
import { faultSentence } from '../errors/fault-path.ts';
import type { SourcePosition } from '../errors/text-position.ts';

/** Code of a fault that exceeds a limit; the message names the limit and its value. */
export const LIMIT_EXCEEDED = 'CIRCUIT_LIMIT_EXCEEDED';

/** Gate objects or observables are invalid. `numFaults` is the number of all faults, if it is more than were passed. */
export class InvalidCircuitError extends coded(
  'CIRCUIT_INVALID',
  (faults: readonly Fault[], numFaults: number = faults.length) => {
    const where = faultSentence(firstOf(faults));
    const message =
      numFaults === 1
        ? `The circuit has a fault: ${where}`
        : `The circuit has ${numFaults} faults; the first: ${where}`;
    return { message, faults, numFaults };
  },
) {}

/** Longest problem that a message quotes. Names in a text may have any length. */
const MAX_PROBLEM_LENGTH = 300;

/** An OpenQASM program is rejected; the subclasses say why. */
export abstract class OpenQasmError extends CodedError {
  readonly line: number;
  readonly column: number;

  constructor(position: SourcePosition, problem: string, code: string) {
    const shown =
      problem.length > MAX_PROBLEM_LENGTH ? `${problem.slice(0, MAX_PROBLEM_LENGTH)}…` : problem;
    const message = `OpenQASM line ${position.line}, column ${position.column}: ${shown}`;
    super(message, [{ path: 'qasm', message, code }]);
    this.line = position.line;
    this.column = position.column;
  }
}

/** The text breaks the grammar. */
export class OpenQasmSyntaxError extends OpenQasmError {
  readonly code = 'CIRCUIT_OPENQASM_SYNTAX';
  /** Tokens that the grammar allows at that place. */
  readonly expected: string;

  constructor(position: SourcePosition, expected: string, found: string) {
    super(position, `expected ${expected}, found ${found}.`, 'CIRCUIT_OPENQASM_SYNTAX');
    this.expected = expected;
  }
}

/** The grammar is kept, but the program is invalid: an unknown name, an index out of range. */
export class OpenQasmMeaningError extends OpenQasmError {
  readonly code = 'CIRCUIT_OPENQASM_INVALID';

  constructor(position: SourcePosition, problem: string) {
    super(position, problem, 'CIRCUIT_OPENQASM_INVALID');
  }
}

/** The program uses a part of OpenQASM that this service does not run. */
export class OpenQasmUnsupportedError extends OpenQasmError {
  readonly code = 'CIRCUIT_OPENQASM_UNSUPPORTED';

  constructor(position: SourcePosition, construct: string) {
    super(position, `${construct} is not supported.`, 'CIRCUIT_OPENQASM_UNSUPPORTED');
  }
}

/** The program exceeds a limit. */
export class OpenQasmLimitError extends OpenQasmError {
  readonly code = LIMIT_EXCEEDED;

  constructor(position: SourcePosition, problem: string) {
    super(position, problem, LIMIT_EXCEEDED);
  }
}

/** Values for a program's inputs are missing, unknown, or of a wrong type; each fault has the path of an input. */
export class OpenQasmInputError extends coded(
  'CIRCUIT_OPENQASM_INPUT',
  (faults: readonly Fault[]) => ({
    message: firstOf(faults).message,
    faults: faults.map((fault) => ({ ...fault, code: 'CIRCUIT_OPENQASM_INPUT' })),
  }),
) {}

/**
 * Inputs that are invalid by themselves or with the circuit, at some point. `numFaults` is the number of all faults, if
 * it is more than were passed.
 */
export class InvalidInputsError extends coded(
  'CIRCUIT_INPUTS_INVALID',
  (faults: readonly Fault[], numFaults: number = faults.length, options?: ErrorOptions) => ({
    message: faultSentence(firstOf(faults)),
    faults,
    numFaults,
    ...options,
  }),
) {}

/** A text in Stim's format is rejected, or exceeds a limit, which is the code of its fault then. */
export class StimTextError extends coded(
  'CIRCUIT_STIM_INVALID',
  ({ line, column }: SourcePosition, problem: string, code?: string) => {
    const message = `Stim line ${line}, column ${column}: ${problem}`;
    const fault = { path: 'stim', message, code: code ?? 'CIRCUIT_STIM_INVALID' };
    return { message, faults: [fault], line, column };
  },
) {}

/** A program in QIR is rejected, or exceeds a limit, which is the code of its fault then. `where` is a place in words. */
export class QirError extends coded(
  'CIRCUIT_QIR_INVALID',
  (where: string, problem: string, code?: string) => {
    const shown =
      problem.length > MAX_PROBLEM_LENGTH ? `${problem.slice(0, MAX_PROBLEM_LENGTH)}…` : problem;
    const message = `QIR${where === '' ? '' : ` ${where}`}: ${shown}`;
    return { message, faults: [{ path: 'qir', message, code: code ?? 'CIRCUIT_QIR_INVALID' }] };
  },
) {}

/**
 * A version of OpenQASM cannot express the circuit. `what` names the operation and the part of it that cannot be
 * expressed; `why` is a sentence on what that version can express, and what to do.
 */
export class OpenQasmUnprintableError extends coded(
  'CIRCUIT_OPENQASM_UNPRINTABLE',
  (what: string, why: string) => `${what}; ${why}`,
) {}

/** Stim's format cannot express the circuit. `what` names the operation and the part of it that cannot be expressed. */
export class StimUnprintableError extends coded(
  'CIRCUIT_STIM_UNPRINTABLE',
  (what: string) =>
    `${what}; Stim's format has Clifford gates, gates on one qubit, measurements into the next bit, resets, and Pauli gates under one bit. Ask for qasm3 or json.`,
) {}

/** The base profile of QIR cannot express the circuit. `what` names the operation and the part of it. */
export class QirUnprintableError extends coded(
  'CIRCUIT_QIR_UNPRINTABLE',
  (what: string) =>
    `${what}; the base profile of QIR has gates of its instruction set, and measurements that come last, one into each bit. Ask for qasm3 or json.`,
) {}

/** Counts every fault and keeps the first 20. */
export class FaultList {
  readonly #kept: Fault[] = [];
  #count = 0;

  /** Adds a fault. `code` is left out where the kind of input implies it. */
  add(path: string, message: string, code?: string): void {
    this.#count++;
    if (this.isFull) return;
    this.#kept.push(code === undefined ? { path, message } : { path, message, code });
  }

  /** First faults, at most 20. */
  get kept(): readonly Fault[] {
    return this.#kept;
  }

  /** Number of faults added. */
  get count(): number {
    return this.#count;
  }

  /** Whether further faults are only counted, so that costly messages need not be built. */
  get isFull(): boolean {
    return this.#kept.length >= MAX_FAULTS;
  }
}

/** A count with its noun: "1 qubit", "2 qubits". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
