/**
 * Pragmas: lines addressed to one tool.
 *
 * Amazon Braket's change the program: `unitary` and `result` are statements here, and `verbatim` precedes a
 * box. Its other pragmas, and noise, are rejected. Unknown pragmas are ignored with a warning.
 *
 * @see https://docs.aws.amazon.com/braket/latest/developerguide/braket-openqasm-create-submit-task.html
 */
import type { MatrixRows } from '../gate-object.ts';
import { ExpressionParser } from './expression-parser.ts';
import type { OperandSyntax } from './expressions.ts';
import { quoted, type TokenStream } from './token-stream.ts';

/** `#pragma braket unitary([[0, 1], [1, 0]]) q[0]` */
export interface UnitaryPragma {
  readonly kind: 'unitary';
  readonly rows: MatrixRows;
  /** The first operand is the most significant bit of an index of the matrix. */
  readonly operands: readonly OperandSyntax[];
  readonly offset: number;
}

/** One factor of an observable; `h` is (X + Z)/√2. */
export interface ObservableFactor {
  readonly letter: string;
  /** Undefined for `all`. */
  readonly operand: OperandSyntax | undefined;
  readonly offset: number;
}

/** `#pragma braket result expectation x(q[0]) @ z(q[1])` */
export type ResultPragma = { readonly kind: 'result'; readonly offset: number } & (
  | { readonly of: 'state_vector' }
  /** Operands; without any, the pragma means all qubits. */
  | { readonly of: 'probability'; readonly operands: readonly OperandSyntax[] }
  | { readonly of: 'expectation'; readonly factors: readonly ObservableFactor[] }
);

const OBSERVABLES: ReadonlySet<string> = new Set(['i', 'x', 'y', 'z', 'h']);

/** Text after `pragma` on the current line; undefined where the line is not a pragma. */
function pragmaText(tokens: TokenStream): string | undefined {
  return /^(?:#\s*)?pragma\s(.*)$/s.exec(tokens.restOfLine())?.[1]?.trim();
}

/**
 * Skips annotations and unknown pragmas, with a warning for each.
 *
 * @param version - OpenQASM 2 has no annotations.
 */
export function skipIgnored(tokens: TokenStream, version: 2 | 3): void {
  for (;;) {
    const { kind, text: word, offset } = tokens.current;
    if (kind === 'identifier' && word !== 'pragma') return;
    if (version === 3 && tokens.isSymbol('@')) {
      const name = /^@\s*[^\s(]*/.exec(tokens.restOfLine())?.[0] ?? '@';
      tokens.warn(
        'CIRCUIT_ANNOTATION_IGNORED',
        offset,
        `The annotation ${quoted(name)} is ignored.`,
      );
    } else if (tokens.isSymbol('#') || tokens.isWord('pragma')) {
      const text = pragmaText(tokens);
      if (text !== undefined && (/^braket\b/.test(text) || /\bnoise\b/i.test(text))) return;
      const what = text === undefined ? quoted(tokens.restOfLine()) : `pragma ${quoted(text)}`;
      tokens.warn('CIRCUIT_PRAGMA_IGNORED', offset, `The ${what} is ignored.`);
    } else {
      return;
    }
    tokens.skipLine();
  }
}

/** Whether the current line is a pragma. Call it after `skipIgnored`. */
export function isPragma(tokens: TokenStream): boolean {
  return tokens.isSymbol('#') || (tokens.isWord('pragma') && pragmaText(tokens) !== undefined);
}

/**
 * Reads a pragma that changes the program.
 *
 * @returns Undefined for `verbatim`, which has no effect on the box after it.
 * @throws {OpenQasmUnsupportedError} at pragmas that are not supported, naming them.
 */
export function readPragma(tokens: TokenStream): UnitaryPragma | ResultPragma | undefined {
  const { offset } = tokens.current;
  const text = pragmaText(tokens) ?? '';
  const [vendor, kind, what] = text.split(/[^\w.]+/, 3);
  const refused = () => tokens.unsupported(offset, `The pragma ${quoted(text)}`);
  if (vendor !== 'braket') throw refused();
  const line = tokens.takeLine();
  line.accept('#');
  for (let i = 0; i < 3; i++) line.next();
  switch (kind) {
    case 'verbatim':
      atEnd(line);
      if (!tokens.isWord('box'))
        throw tokens.unexpected('"box" after the pragma "braket verbatim"');
      return undefined;
    case 'unitary': {
      line.expect('(');
      const rows = readMatrix(line);
      line.expect(')');
      tokens.hold(rows.length ** 2, offset);
      const operands = readOperands(line);
      atEnd(line);
      return { kind, rows, operands, offset };
    }
    case 'result':
      return readResult(line, what ?? '', offset);
    default:
      throw refused();
  }
}

function readResult(line: TokenStream, of: string, offset: number): ResultPragma {
  const shared = { kind: 'result', offset } as const;
  switch (of) {
    case 'state_vector':
      line.next();
      atEnd(line);
      return { ...shared, of };
    case 'probability': {
      line.next();
      const isAll = line.isWord('all');
      if (isAll) line.next();
      const operands = isAll || line.current.kind === 'end' ? [] : readOperands(line);
      atEnd(line);
      return { ...shared, of, operands };
    }
    case 'expectation': {
      line.next();
      const factors = [readFactor(line)];
      while (line.accept('@')) factors.push(readFactor(line));
      atEnd(line);
      return { ...shared, of, factors };
    }
    default:
      throw line.unsupported(offset, `The result ${quoted(of)} of "#pragma braket result"`);
  }
}

function readFactor(line: TokenStream): ObservableFactor {
  const { text: letter, offset } = line.expectWord('an observable: x, y, z, h or i');
  if (!OBSERVABLES.has(letter)) {
    const construct = `The observable ${quoted(letter)}, other than x, y, z, h and i,`;
    throw line.unsupported(offset, construct);
  }
  if (line.isWord('all')) {
    line.next();
    return { letter, operand: undefined, offset };
  }
  line.expect('(');
  const operand = new ExpressionParser(line, 3).operand('a quantum register');
  line.expect(')');
  return { letter, operand, offset };
}

function readOperands(line: TokenStream): readonly OperandSyntax[] {
  const expressions = new ExpressionParser(line, 3);
  const operands = [expressions.operand('a quantum register')];
  while (line.accept(',')) operands.push(expressions.operand('a quantum register'));
  return operands;
}

/** `[[1, 0], [0, 0.5 - 0.5im]]` */
function readMatrix(line: TokenStream): MatrixRows {
  const list = <T>(read: () => T): T[] => {
    line.expect('[');
    const entries = [read()];
    while (line.accept(',')) entries.push(read());
    line.expect(']');
    return entries;
  };
  return list(() => list(() => readComplex(line)));
}

/** Reads a sum of real and imaginary numbers: `1`, `-2.5im`, `0.5 + 0.5im`. */
function readComplex(line: TokenStream): readonly [number, number] {
  const value: [number, number] = [0, 0];
  let sign = 1;
  for (;;) {
    while (line.isSymbol('-') || line.isSymbol('+')) {
      if (line.next().text === '-') sign = -sign;
    }
    const { kind } = line.current;
    if (kind !== 'integer' && kind !== 'real') {
      throw line.unexpected('a complex number, such as 0.5 - 0.5im');
    }
    const size = sign * Number(line.next().text.replaceAll('_', ''));
    const isImaginary = line.isWord('im');
    if (isImaginary) line.next();
    value[isImaginary ? 1 : 0] += size;
    if (!line.isSymbol('-') && !line.isSymbol('+')) return value;
    sign = 1;
  }
}

function atEnd(line: TokenStream): void {
  if (line.current.kind !== 'end') throw line.unexpected('the end of the line');
}
