/** Errors of the circuit layer: what a caller wrote is not a circuit, or not one within limits. */
import { CodedError, type Fault, MAX_FAULTS } from '../errors/coded-error.ts';
import { faultSentence } from '../errors/fault-path.ts';

/** The code of a fault that is a limit exceeded; its message names the limit and its value. */
export const LIMIT_EXCEEDED = 'CIRCUIT_LIMIT_EXCEEDED';

/** Gate objects (or observables) that do not make a circuit. */
export class InvalidCircuitError extends CodedError {
  readonly code = 'CIRCUIT_INVALID';
  /** All faults found, also those past the ones listed. */
  readonly numFaults: number;

  /**
   * @param faults - At least one; the first 20 are kept.
   * @param numFaults - How many there were, when more than were kept.
   */
  constructor(faults: readonly Fault[], numFaults: number = faults.length) {
    const first = faults[0];
    if (first === undefined) throw new Error('unreachable: an invalid circuit without a fault');
    const where = faultSentence(first);
    super(
      numFaults === 1
        ? `The circuit has a fault: ${where}`
        : `The circuit has ${numFaults} faults; the first: ${where}`,
      faults.slice(0, MAX_FAULTS),
    );
    this.numFaults = numFaults;
  }
}

/** A place in an OpenQASM text; both count from 1, columns in UTF-16 units. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** Names in a text may be of any length; a message that quotes them is cut here. */
const MAX_PROBLEM_LENGTH = 300;

/** An OpenQASM program that is not taken; the subclasses say why. */
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
  /** What the grammar allows at that place. */
  readonly expected: string;

  constructor(position: SourcePosition, expected: string, found: string) {
    super(position, `expected ${expected}, found ${found}.`, 'CIRCUIT_OPENQASM_SYNTAX');
    this.expected = expected;
  }
}

/** The grammar is kept, but the text means nothing: an unknown name, an index out of range. */
export class OpenQasmMeaningError extends OpenQasmError {
  readonly code = 'CIRCUIT_OPENQASM_INVALID';

  constructor(position: SourcePosition, problem: string) {
    super(position, problem, 'CIRCUIT_OPENQASM_INVALID');
  }
}

/** A part of OpenQASM that this service does not run. */
export class OpenQasmUnsupportedError extends OpenQasmError {
  readonly code = 'CIRCUIT_OPENQASM_UNSUPPORTED';

  constructor(position: SourcePosition, construct: string) {
    super(position, `${construct} is not supported.`, 'CIRCUIT_OPENQASM_UNSUPPORTED');
  }
}

/** The program is larger than a limit. */
export class OpenQasmLimitError extends OpenQasmError {
  readonly code = LIMIT_EXCEEDED;

  constructor(position: SourcePosition, problem: string) {
    super(position, problem, LIMIT_EXCEEDED);
  }
}

/** Values for the inputs of a program that are missing, unknown, or of another type. */
export class OpenQasmInputError extends CodedError {
  readonly code = 'CIRCUIT_OPENQASM_INPUT';

  /** @param faults - At least one, each with the path of an input; the first 20 are kept. */
  constructor(faults: readonly Fault[]) {
    const code = 'CIRCUIT_OPENQASM_INPUT';
    const first = faults[0];
    if (first === undefined) throw new Error('unreachable: an input error without a fault');
    super(
      first.message,
      faults.slice(0, MAX_FAULTS).map((fault) => ({ ...fault, code })),
    );
  }
}

/** A circuit that a version of OpenQASM has no words for. */
export class OpenQasmUnprintableError extends CodedError {
  readonly code = 'CIRCUIT_OPENQASM_UNPRINTABLE';

  /** @param what - The operation and what of it cannot be said. */
  constructor(what: string) {
    super(`${what}; OpenQASM 2 tests whole registers only. OpenQASM 3 can say it.`);
  }
}
