/**
 * The statements of OpenQASM 3 that circuit exporters write: declarations, gates and their
 * definitions, measurement, reset, barriers, and `if` on classical bits. The rest of the language
 * is named and refused.
 *
 * @see https://openqasm.com/versions/3.1/language/ (OpenQASM live specification, 3.1).
 */
import type { Bit, Condition } from '../circuit.ts';
import type { Operand, Register } from './registers.ts';
import type { ProgramReader } from './statements.ts';

/** Keywords that begin what is not supported. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  ...['angle', 'array', 'bool', 'box', 'break', 'cal', 'complex', 'const', 'continue', 'ctrl'],
  ...['def', 'defcal', 'defcalgrammar', 'delay', 'duration', 'else', 'end', 'extern', 'float'],
  ...['for', 'input', 'int', 'inv', 'let', 'negctrl', 'nop', 'opaque', 'output', 'pow', 'pragma'],
  ...['return', 'stretch', 'switch', 'uint', 'while'],
]);

type StatementReader = (program: ProgramReader) => void;

/** What the words that begin a statement lead to, where that may not stand under `if`. */
const STATEMENTS: ReadonlyMap<string, StatementReader> = new Map<string, StatementReader>([
  ['include', (program) => program.readInclude()],
  ['qreg', (program) => program.readOldRegister('qubit')],
  ['creg', (program) => program.readOldRegister('bit')],
  ['qubit', (program) => readDeclaration(program, 'qubit')],
  ['bit', (program) => readDeclaration(program, 'bit')],
  ['gate', (program) => program.gates.readDefinition()],
  ['if', readConditional],
]);

/** Reads one statement. */
export function readStatement3(program: ProgramReader): void {
  refuseUnsupported(program);
  const read = STATEMENTS.get(program.tokens.current.text);
  if (read === undefined) readOperation(program, undefined);
  else read(program);
}

function refuseUnsupported({ tokens }: ProgramReader): void {
  const { kind, text, offset } = tokens.current;
  if (kind === 'symbol' && (text === '@' || text === '#')) {
    throw tokens.unsupported(offset, text === '@' ? 'An annotation' : 'A pragma');
  }
  if (kind !== 'identifier') throw tokens.unexpected('a statement');
  if (UNSUPPORTED.has(text)) throw tokens.unsupported(offset, `"${text}" of OpenQASM 3`);
}

/** `qubit[4] q;`, `bit c;`, `bit[4] c = measure q;` */
function readDeclaration(program: ProgramReader, kind: Register['kind']): void {
  const { tokens } = program;
  tokens.next();
  const isScalar = !tokens.accept('[');
  const size = isScalar ? 1 : program.readSize();
  if (!isScalar) tokens.expect(']');
  const { text: name, offset } = tokens.expectWord("the register's name");
  const declared = program.declare({ kind, name, size, isScalar }, offset);
  if (kind === 'bit' && tokens.accept('=')) {
    readMeasured(program, (from) => program.measure(from, declared, undefined, offset));
  } else {
    tokens.expect(';');
  }
}

/** Reads what follows `=`, which is `measure q;`, and returns the bits it writes. */
function readMeasured(
  { tokens, registers }: ProgramReader,
  measure: (from: Operand) => readonly Bit[],
): readonly Bit[] {
  if (!tokens.isWord('measure')) {
    throw tokens.unsupported(tokens.current.offset, 'Assigning anything but a measurement');
  }
  tokens.next();
  const from = registers.readOperand('qubit');
  tokens.expect(';');
  return measure(from);
}

/**
 * A statement that may stand under `if`: a gate, measurement, reset or barrier.
 *
 * @returns The bits it writes.
 */
function readOperation(program: ProgramReader, condition: Condition | undefined): readonly Bit[] {
  const { tokens, registers } = program;
  const { text, offset } = tokens.current;
  switch (text) {
    case 'measure':
      return program.readMeasureArrow(condition);
    case 'reset':
      program.readReset(condition);
      return [];
    case 'barrier':
      program.readBarrier();
      return [];
  }
  if (!registers.isBit(text)) {
    program.readGateCall(condition);
    return [];
  }
  const to = registers.readOperand('bit');
  tokens.expect('=');
  return readMeasured(program, (from) => program.measure(from, to, condition, offset));
}

/** `if (c == 3) x q[0];` or `if (c[0]) { … }`. */
function readConditional(program: ProgramReader): void {
  const { tokens } = program;
  tokens.next();
  tokens.expect('(');
  const condition = readCondition(program);
  if (tokens.isSymbol('&&') || tokens.isSymbol('||')) {
    throw tokens.unsupported(tokens.current.offset, 'A condition of several comparisons');
  }
  tokens.expect(')');
  if (tokens.accept('{')) readBlock(program, condition);
  else readUnderCondition(program, condition);
  if (tokens.isWord('else')) {
    throw tokens.unsupported(tokens.current.offset, '"else" of OpenQASM 3');
  }
}

/** The statements of a block, each under the block's condition. */
function readBlock(program: ProgramReader, condition: Condition): void {
  const { tokens } = program;
  let hasChanged = false;
  while (!tokens.accept('}')) {
    const { offset } = tokens.current;
    // The circuit tests the condition anew at each operation; OpenQASM tests it once.
    if (hasChanged) {
      throw tokens.unsupported(offset, 'A block that goes on after writing the bits it is under');
    }
    const written = readUnderCondition(program, condition);
    hasChanged = written.some((bit) => condition.bits.includes(bit));
  }
}

function readUnderCondition(program: ProgramReader, condition: Condition): readonly Bit[] {
  const { tokens } = program;
  refuseUnsupported(program);
  if (tokens.isWord('if'))
    throw tokens.unsupported(tokens.current.offset, 'An "if" inside an "if"');
  if (STATEMENTS.has(tokens.current.text)) {
    throw tokens.unexpected('a gate, measure, reset or barrier');
  }
  return readOperation(program, condition);
}

/** `c == 3`, `c[0]`, `!c[0]`, `c[0] == true`, `c[0] != 1`. */
function readCondition(program: ProgramReader): Condition {
  const { tokens, registers } = program;
  const isNegated = tokens.accept('!');
  const { offset } = tokens.current;
  const operand = registers.readOperand('bit');
  const isUnequal = tokens.accept('!=');
  const isCompared = isUnequal || tokens.accept('==');
  if (operand.size !== undefined) {
    if (!isCompared || isUnequal || isNegated) {
      throw tokens.unsupported(offset, 'A condition on a register other than ==');
    }
    return program.registerCondition(operand, readValue(program), offset);
  }
  const value = isCompared ? readValue(program) : 1;
  if (value > 1) throw tokens.meaningless(offset, `A single bit never reads ${value}.`);
  return { bits: [operand.start], value: isNegated === isUnequal ? value : 1 - value };
}

function readValue({ tokens }: ProgramReader): number {
  if (tokens.isWord('true') || tokens.isWord('false')) return tokens.next().text === 'true' ? 1 : 0;
  return tokens.expectInteger('a whole number, true or false');
}
