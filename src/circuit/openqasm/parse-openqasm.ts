/**
 * OpenQASM text → Circuit.
 *
 * One pass, one token of lookahead, nothing kept but the circuit: time and memory are linear in
 * the text and in what it expands to. The version in the header picks the dialect.
 */
import type { Circuit } from '../circuit.ts';
import type { CircuitLimits } from '../circuit-limits.ts';
import { readStatement2 } from './openqasm2.ts';
import { readStatement3 } from './openqasm3.ts';
import { ProgramReader } from './statements.ts';
import { quoted, TokenStream } from './token-stream.ts';

/**
 * The circuit of an OpenQASM 2.0 program, or of an OpenQASM 3 program that keeps to gates,
 * measurement, reset and simple conditions.
 *
 * Registers are numbered in the order of their declaration. Gate definitions are expanded.
 *
 * @throws {OpenQasmSyntaxError} where the grammar is broken; says what was expected.
 * @throws {OpenQasmMeaningError} at unknown names, indices out of range and the like.
 * @throws {OpenQasmUnsupportedError} at constructs that are not run, naming them.
 * @throws {OpenQasmLimitError} when a limit is passed, naming it.
 */
export function parseOpenQasm(source: string, limits: CircuitLimits): Circuit {
  const tokens = new TokenStream(source);
  const version = readVersion(tokens);
  const program = new ProgramReader(version, tokens, limits);
  const readStatement = version === 2 ? readStatement2 : readStatement3;
  while (tokens.current.kind !== 'end') readStatement(program);
  return program.builder.circuit(tokens.current.offset);
}

/** `OPENQASM 2.0;` or `OPENQASM 3.0;`, which comes before all else. */
function readVersion(tokens: TokenStream): 2 | 3 {
  if (!tokens.isWord('OPENQASM')) throw tokens.unexpected('"OPENQASM 2.0;" or "OPENQASM 3.0;"');
  tokens.next();
  const { kind, text, offset } = tokens.current;
  if (kind !== 'integer' && kind !== 'real') throw tokens.unexpected('a version, 2.0 or 3.0');
  tokens.next();
  tokens.expect(';');
  if (/^2(\.0)?$/.test(text)) return 2;
  if (/^3(\.[01])?$/.test(text)) return 3;
  throw tokens.unsupported(
    offset,
    `OpenQASM version ${quoted(text)}, other than 2.0, 3.0 and 3.1,`,
  );
}
