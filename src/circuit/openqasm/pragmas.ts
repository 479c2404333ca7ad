/**
 * Pragmas: lines addressed to one tool.
 *
 * Amazon Braket's change the program: `unitary`, `noise` and `result` are statements here, and `verbatim` precedes a
 * box. Its other pragmas, and noise of other tools, are rejected. Unknown pragmas are ignored with a warning.
 *
 * @see https://docs.aws.amazon.com/braket/latest/developerguide/braket-openqasm-create-submit-task.html
 */
import type { MatrixRows } from '../matrix-rows.ts';
import { ExpressionParser } from './expression-parser.ts';
import type { OperandSyntax } from './expressions.ts';
import {
  atEnd,
  type NoisePragma,
  readMatrix,
  readNoise,
  readOperands,
  readSign,
} from './noise-pragmas.ts';
import { quoted, type TokenStream } from './token-stream.ts';

/** `#pragma braket unitary([[0, 1], [1, 0]]) q[0]` */
export interface UnitaryPragma {
  readonly kind: 'unitary';
  readonly rows: MatrixRows;
  /** The first operand is the most significant bit of an index of the matrix. */
  readonly operands: readonly OperandSyntax[];
  readonly offset: number;
}

/** One factor of an observable: a letter (`h` is (X + Z)/√2), or a Hermitian matrix. */
export interface ObservableFactor {
  readonly letter: 'i' | 'x' | 'y' | 'z' | 'h' | 'hermitian';
  /** Matrix of `hermitian`; the first operand is the most significant bit of an index. */
  readonly rows: MatrixRows | undefined;
  /** Undefined for `all`; a letter has one. */
  readonly operands: readonly OperandSyntax[] | undefined;
  readonly offset: number;
}

/** One term of an observable: `2 * x(q[0]) @ z(q[1])`. */
export interface ObservableTerm {
  readonly coefficient: number;
  readonly factors: readonly ObservableFactor[];
  readonly offset: number;
}

/** Results that are read off an observable. */
type ObservableResult = 'expectation' | 'variance' | 'sample';

/** `#pragma braket result expectation x(q[0]) @ z(q[1])` */
export type ResultPragma = { readonly kind: 'result'; readonly offset: number } & (
  | { readonly of: 'state_vector' }
  /** Operands; without any, the pragma means all qubits. */
  | { readonly of: 'probability' | 'density_matrix'; readonly operands: readonly OperandSyntax[] }
  /** Labels of basis states, qubit 0 leftmost. */
  | { readonly of: 'amplitude'; readonly labels: readonly string[] }
  | { readonly of: ObservableResult; readonly terms: readonly ObservableTerm[] }
  | {
      readonly of: 'adjoint_gradient';
      readonly terms: readonly ObservableTerm[];
      /** Names of inputs; undefined for all. */
      readonly inputs: readonly string[] | undefined;
    }
);

const OBSERVABLES: ReadonlySet<string> = new Set(['i', 'x', 'y', 'z', 'h', 'hermitian']);

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
 * @returns Undefined for `verbatim`, after which a box is next.
 * @throws {OpenQasmUnsupportedError} at pragmas that are not supported, naming them.
 */
export function readPragma(
  tokens: TokenStream,
): UnitaryPragma | NoisePragma | ResultPragma | undefined {
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
    case 'noise': {
      const noise = readNoise(line, offset);
      tokens.hold(noise.size, offset);
      return noise;
    }
    default:
      throw refused();
  }
}

function readResult(line: TokenStream, of: string, offset: number): ResultPragma {
  const shared = { kind: 'result', offset } as const;
  if (of === '') throw line.unexpected('a result, such as "probability"');
  line.next();
  const pragma = resultOf(line, of, offset);
  atEnd(line);
  return { ...shared, ...pragma };
}

function resultOf(line: TokenStream, of: string, offset: number) {
  switch (of) {
    case 'state_vector':
      return { of };
    case 'probability':
    case 'density_matrix': {
      const isAll = acceptWord(line, 'all');
      const operands = isAll || line.current.kind === 'end' ? [] : readOperands(line);
      return { of, operands };
    }
    case 'amplitude':
      return { of, labels: readLabels(line) };
    case 'expectation':
    case 'variance':
    case 'sample':
      return { of, terms: readObservable(line) };
    case 'adjoint_gradient': {
      if (!acceptWord(line, 'expectation')) throw line.unexpected('"expectation"');
      line.expect('(');
      const terms = readObservable(line);
      line.expect(')');
      return { of, terms, inputs: readInputs(line) };
    }
    default:
      throw line.unsupported(offset, `The result ${quoted(of)} of "#pragma braket result"`);
  }
}

/** `"00", "11"` */
function readLabels(line: TokenStream): readonly string[] {
  const labels: string[] = [];
  do {
    const { kind, text } = line.current;
    if (kind !== 'string' || !/^[01]+$/.test(text)) {
      throw line.unexpected('a basis state, such as "01"');
    }
    labels.push(line.next().text);
  } while (line.accept(','));
  return labels;
}

/** Names of inputs; undefined for `all`, or where there are none. */
function readInputs(line: TokenStream): readonly string[] | undefined {
  if (acceptWord(line, 'all') || line.current.kind === 'end') return undefined;
  const names: string[] = [];
  do names.push(line.expectWord('the name of an input').text);
  while (line.accept(','));
  return names;
}

/** Reads a sum of products: `2 * x(q[0]) @ z(q[1]) - y(q[2])`. */
function readObservable(line: TokenStream): readonly ObservableTerm[] {
  const terms: ObservableTerm[] = [];
  do {
    const { offset } = line.current;
    let coefficient = readSign(line);
    const { kind } = line.current;
    if (kind === 'integer' || kind === 'real') {
      coefficient *= Number(line.next().text.replaceAll('_', ''));
      if (!Number.isFinite(coefficient)) {
        throw line.invalid(
          offset,
          'The coefficient is too large for a number in double precision.',
        );
      }
      line.expect('*');
    }
    const factors = [readFactor(line)];
    while (line.accept('@')) factors.push(readFactor(line));
    terms.push({ coefficient, factors, offset });
  } while (line.isSymbol('+') || line.isSymbol('-'));
  return terms;
}

function readFactor(line: TokenStream): ObservableFactor {
  const { text, offset } = line.expectWord('an observable: x, y, z, h, i or hermitian');
  if (!isObservable(text)) {
    const construct = `The observable ${quoted(text)}, other than x, y, z, h, i and hermitian,`;
    throw line.unsupported(offset, construct);
  }
  if (text === 'hermitian') {
    line.expect('(');
    const rows = readMatrix(line);
    line.expect(')');
    const operands = acceptWord(line, 'all') ? undefined : readOperands(line);
    return { letter: text, rows, operands, offset };
  }
  if (acceptWord(line, 'all'))
    return { letter: text, rows: undefined, operands: undefined, offset };
  line.expect('(');
  const operands = [new ExpressionParser(line, 3).operand('a quantum register')];
  line.expect(')');
  return { letter: text, rows: undefined, operands, offset };
}

const isObservable = (text: string): text is ObservableFactor['letter'] => OBSERVABLES.has(text);

function acceptWord(line: TokenStream, word: string): boolean {
  if (!line.isWord(word)) return false;
  line.next();
  return true;
}
