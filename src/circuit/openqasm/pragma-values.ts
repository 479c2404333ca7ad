/** Values in pragmas: operands, numbers and matrices. */
import type { MatrixRows } from '../matrix-rows.ts';
import { ExpressionParser } from './expression-parser.ts';
import type { OperandSyntax } from './expressions.ts';
import type { TokenStream } from './token-stream.ts';

/** Reads operands, `q[0], $1`. */
export function readOperands(line: TokenStream): readonly OperandSyntax[] {
  const expressions = new ExpressionParser(line, 3);
  const operands = [expressions.operand('a quantum register')];
  while (line.accept(',')) operands.push(expressions.operand('a quantum register'));
  return operands;
}

/** Reads `[[1, 0], [0, 0.5 - 0.5im]]`. */
export function readMatrix(line: TokenStream): MatrixRows {
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
  for (;;) {
    const sign = readSign(line);
    const { kind } = line.current;
    if (kind !== 'integer' && kind !== 'real') {
      throw line.unexpected('a complex number, such as 0.5 - 0.5im');
    }
    const size = sign * Number(line.next().text.replaceAll('_', ''));
    const isImaginary = line.isWord('im');
    if (isImaginary) line.next();
    value[isImaginary ? 1 : 0] += size;
    if (!line.isSymbol('-') && !line.isSymbol('+')) return value;
  }
}

/** Takes signs; 1 or −1. */
export function readSign(line: TokenStream): number {
  let sign = 1;
  while (line.isSymbol('-') || line.isSymbol('+')) {
    if (line.next().text === '-') sign = -sign;
  }
  return sign;
}

/** Refuses text after the end of a pragma. */
export function atEnd(line: TokenStream): void {
  if (line.current.kind !== 'end') throw line.unexpected('the end of the line');
}
