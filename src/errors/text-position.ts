/** Lines of a text. LF, CR, and both together end a line, in every reader and in every message. */

const LINE_END = /\r\n|[\r\n]/g;

/** A position in a text; both count from 1, columns in UTF-16 units. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** Offset of the next end of a line at or after `offset`; the length of the text if there is none. */
export function lineEndAt(text: string, offset: number): number {
  LINE_END.lastIndex = offset;
  return LINE_END.exec(text)?.index ?? text.length;
}

/** Line and column of an offset. */
export function positionAt(text: string, offset: number): SourcePosition {
  let line = 1;
  let lineStart = 0;
  LINE_END.lastIndex = 0;
  while (LINE_END.test(text) && LINE_END.lastIndex <= offset) {
    line++;
    lineStart = LINE_END.lastIndex;
  }
  return { line, column: offset - lineStart + 1 };
}
