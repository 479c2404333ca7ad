/** Reads `include "qelib1.inc";` in both versions. */
import type { Gates } from './gate-definitions.ts';
import { quoted, type TokenStream } from './token-stream.ts';

/** Reads an include statement. Libraries are known by name; no file is opened. */
export function readInclude(tokens: TokenStream, gates: Gates): void {
  tokens.next();
  const { kind, text, offset } = tokens.current;
  if (kind !== 'string') throw tokens.unexpected('the name of a file in quotes');
  if (!gates.include(text)) {
    const known = 'only "qelib1.inc" and "stdgates.inc" are known, and including another file';
    throw tokens.unsupported(offset, `The file ${quoted(text)} is not there: ${known}`);
  }
  tokens.next();
  tokens.expect(';');
}
