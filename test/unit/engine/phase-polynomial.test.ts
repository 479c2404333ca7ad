import { describe, expect, test } from 'vitest';
import { type Complex, PhasePolynomial } from '../../../src/engine/phase-polynomial.ts';
import { RandomStream } from '../../support/random-stream.ts';

/** The entry for a basis index: the product of the monomials whose qubits are all 1. */
function entry(polynomial: PhasePolynomial, index: number): Complex {
  let [re, im] = [1, 0];
  for (const [mask, phase] of polynomial) {
    if ((index & mask) !== mask) continue;
    [re, im] = [re * phase.re - im * phase.im, re * phase.im + im * phase.re];
  }
  return { re, im };
}

const phases = (stream: RandomStream, count: number) =>
  Float64Array.from({ length: count }, () => stream.angle()).map((x) => x);

function randomEntries(stream: RandomStream, size: number): Float64Array {
  const out = new Float64Array(2 * size);
  for (const [i, angle] of phases(stream, size).entries()) {
    out[2 * i] = Math.cos(angle);
    out[2 * i + 1] = Math.sin(angle);
  }
  return out;
}

describe('a diagonal as a polynomial of phases', () => {
  test('has the entries of the diagonals multiplied into it, whatever qubits they share', () => {
    const stream = new RandomStream(5);
    const polynomial = new PhasePolynomial();
    const expected = Array.from({ length: 64 }, (): Complex => ({ re: 1, im: 0 }));
    const diagonals = [
      { qubits: [3, 0], controls: 0 },
      { qubits: [1, 2, 3], controls: 0b10000 },
      { qubits: [5], controls: 0b11 },
      { qubits: [], controls: 0 },
      { qubits: [0, 5, 4], controls: 0 },
    ];
    for (const { qubits, controls } of diagonals) {
      const entries = randomEntries(stream, 2 ** qubits.length);
      polynomial.multiplyDiagonal(
        qubits.map((q) => 1 << q),
        controls,
        entries,
        0,
      );
      for (const [index, z] of expected.entries()) {
        if ((index & controls) !== controls) continue;
        const j = qubits.reduce((sum, q, i) => sum | (((index >> q) & 1) << i), 0);
        const [c, s] = [entries[2 * j]!, entries[2 * j + 1]!];
        expected[index] = { re: z.re * c - z.im * s, im: z.re * s + z.im * c };
      }
    }
    for (const [index, z] of expected.entries()) {
      const found = entry(polynomial, index);
      expect(Math.hypot(found.re - z.re, found.im - z.im)).toBeLessThan(1e-13);
    }
  });

  test('is empty again when a diagonal meets its inverse', () => {
    const polynomial = new PhasePolynomial();
    const entries = randomEntries(new RandomStream(8), 8);
    const inverse = entries.map((x, i) => (i % 2 === 0 ? x : -x));
    polynomial.multiplyDiagonal([1, 2, 4], 0, entries, 0);
    expect(polynomial.isEmpty).toBe(false);
    polynomial.multiplyDiagonal([1, 2, 4], 0, inverse, 0);
    // What is left are roundings, which the code that is made of it leaves out.
    for (const [, { re, im }] of polynomial) expect(Math.hypot(re - 1, im)).toBeLessThan(1e-14);
  });

  test('knows the qubits that are left when monomials are taken out', () => {
    const polynomial = new PhasePolynomial();
    polynomial.multiply(0b011, { re: 0, im: 1 });
    polynomial.multiply(0b110, { re: -1, im: 0 });
    const taken = polynomial.take((mask) => (mask & 1) !== 0);
    expect([...taken]).toEqual([[0b011, { re: 0, im: 1 }]]);
    expect(polynomial.qubits).toBe(0b110);
  });
});
