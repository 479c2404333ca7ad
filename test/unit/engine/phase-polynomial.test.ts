import { describe, expect, test } from 'vitest';
import { type Complex, phaseOf } from '../../../src/engine/complex.ts';
import { monomialsOf, PhasePolynomial } from '../../../src/engine/phase-polynomial.ts';
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

const randomEntries = (stream: RandomStream, size: number): readonly Complex[] =>
  Array.from({ length: size }, () => phaseOf(stream.angle()));

function multiply(
  polynomial: PhasePolynomial,
  targets: readonly number[],
  controls: number,
  entries: readonly Complex[],
): void {
  for (const { mask, phase } of monomialsOf(targets, controls, entries)) {
    polynomial.multiply(mask, phase);
  }
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
      multiply(polynomial, qubits, controls, entries);
      for (const [index, z] of expected.entries()) {
        if ((index & controls) !== controls) continue;
        const j = qubits.reduce((sum, q, i) => sum | (((index >> q) & 1) << i), 0);
        const { re: c, im: s } = entries[j]!;
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
    const inverse = entries.map(({ re, im }) => ({ re, im: -im }));
    multiply(polynomial, [0, 1, 2], 0, entries);
    expect(polynomial.isEmpty).toBe(false);
    multiply(polynomial, [0, 1, 2], 0, inverse);
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
