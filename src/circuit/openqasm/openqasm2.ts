/**
 * The statements of OpenQASM 2.0.
 *
 * @see Cross, Bishop, Smolin, Gambetta, "Open Quantum Assembly Language", arXiv:1707.03429.
 */
import type { Condition } from '../circuit.ts';
import type { ProgramReader } from './statements.ts';

type StatementReader = (program: ProgramReader) => void;

/** What the words that begin a statement lead to; any other word is a gate's name. */
const STATEMENTS: ReadonlyMap<string, StatementReader> = new Map<string, StatementReader>([
  ['include', (program) => program.readInclude()],
  ['qreg', (program) => program.readOldRegister('qubit')],
  ['creg', (program) => program.readOldRegister('bit')],
  ['gate', (program) => program.gates.readDefinition()],
  ['opaque', refuseOpaque],
  ['barrier', (program) => program.readBarrier()],
  ['if', readConditional],
]);

/** Reads one statement. */
export function readStatement2(program: ProgramReader): void {
  const { kind, text } = program.tokens.current;
  if (kind !== 'identifier') throw program.tokens.unexpected('a statement');
  const read = STATEMENTS.get(text);
  if (read === undefined) readQuantumOperation(program, undefined);
  else read(program);
}

function refuseOpaque({ tokens }: ProgramReader): void {
  const problem = '"opaque" declares a gate without saying what it does, and running one';
  throw tokens.unsupported(tokens.current.offset, problem);
}

/** What may stand after `if (…)`: a gate, a measurement or a reset. */
function readQuantumOperation(program: ProgramReader, condition: Condition | undefined): void {
  if (program.tokens.isWord('measure')) program.readMeasureArrow(condition);
  else if (program.tokens.isWord('reset')) program.readReset(condition);
  else program.readGateCall(condition);
}

/** `if (c == 3) x q[0];` */
function readConditional(program: ProgramReader): void {
  const { tokens, registers } = program;
  tokens.next();
  tokens.expect('(');
  const register = registers.readOperand('bit');
  tokens.expect('==');
  const { offset } = tokens.current;
  const value = tokens.expectInteger('a whole number');
  tokens.expect(')');
  const condition = program.registerCondition(register, value, offset);
  const { kind, text } = tokens.current;
  if (kind !== 'identifier' || STATEMENTS.has(text)) {
    throw tokens.unexpected('a gate, measure or reset');
  }
  readQuantumOperation(program, condition);
}
