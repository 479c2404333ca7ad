/** The canonical gate of two qubits, written out by blocks of parity. */
import type { ComplexMatrix } from '../../src/math/complex-matrix.ts';

/** exp(i(a·XX + b·YY + c·ZZ)), four rows. */
export function canonicalGate([a, b, c]: readonly [number, number, number]): ComplexMatrix {
  const matrix = new Float64Array(32);
  // XX and YY exchange the two states of a parity, with these signs; ZZ is the parity.
  for (const [first, second, turn, phase] of [
    [0, 3, a - b, c],
    [1, 2, a + b, -c],
  ] as const) {
    const [re, im] = [Math.cos(phase), Math.sin(phase)];
    for (const [row, column] of [
      [first, second],
      [second, first],
    ] as const) {
      matrix.set([re * Math.cos(turn), im * Math.cos(turn)], 2 * (4 * row + row));
      matrix.set([-im * Math.sin(turn), re * Math.sin(turn)], 2 * (4 * row + column));
    }
  }
  return matrix;
}
