import { describe, expect, test } from 'vitest';
import type { Complex } from '../../../src/engine/phase-polynomial.ts';
import { type Rounding, rotationOf } from '../../../src/engine/rotation.ts';
import { randomUnitary } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { seeds, testSeeds } from '../../support/seeds.ts';

type Matrix = readonly [Complex, Complex, Complex, Complex];

const real = (re: number): Complex => ({ re, im: 0 });
const times = (a: Complex, b: Complex): Complex => ({
  re: a.re * b.re - a.im * b.im,
  im: a.re * b.im + a.im * b.re,
});
const product = (a: Matrix, b: Matrix): Matrix => {
  const entry = (row: number, column: number): Complex => {
    const x = times(a[2 * row]!, b[column]!);
    const y = times(a[2 * row + 1]!, b[2 + column]!);
    return { re: x.re + y.re, im: x.im + y.im };
  };
  return [entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)];
};
const diagonal = (phase: Complex): Matrix => [real(1), real(0), real(0), phase];

/** Multiplies the parts together, by the definition in rotation.ts. */
function multipliedOut({ scale, after, t, before, flips }: ReturnType<typeof rotationOf>): Matrix {
  const flip: Matrix = flips
    ? [real(0), real(1), real(1), real(0)]
    : [real(1), real(0), real(0), real(1)];
  const turn: Matrix = [real(1), real(-t), real(t), real(1)];
  const parts = product(diagonal(after), product(turn, product(diagonal(before), flip)));
  const scaled = (z: Complex) => times(scale, z);
  return [scaled(parts[0]), scaled(parts[1]), scaled(parts[2]), scaled(parts[3])];
}

function worstEntry(a: Matrix, b: Matrix): number {
  return Math.max(...a.map((z, i) => Math.hypot(z.re - b[i]!.re, z.im - b[i]!.im)));
}

function matrixOf(entries: Float64Array): Matrix {
  const at = (i: number): Complex => ({ re: entries[2 * i]!, im: entries[2 * i + 1]! });
  return [at(0), at(1), at(2), at(3)];
}

const EXACT: Rounding = { negligible: 0, round: (x) => x };
const SINGLE: Rounding = { negligible: 0, round: Math.fround };

describe('a unitary taken apart', () => {
  testSeeds('multiplies out again', seeds(5), (seed) => {
    const u = matrixOf(randomUnitary(new RandomStream(seed), 1));
    expect(worstEntry(multipliedOut(rotationOf(u, EXACT)), u)).toBeLessThan(1e-15);
  });

  test.each([
    ['close to a flip', Math.PI - 1e-3],
    ['a flip', Math.PI],
    ['next to nothing', 1e-7],
  ])('multiplies out again when it is %s', (_, theta) => {
    const [c, s] = [Math.cos(theta / 2), Math.sin(theta / 2)];
    const u: Matrix = [real(c), { re: 0, im: -s }, { re: 0, im: -s }, real(c)];
    const rotation = rotationOf(u, EXACT);
    expect(Math.abs(rotation.t)).toBeLessThan(64);
    expect(worstEntry(multipliedOut(rotation), u)).toBeLessThan(1e-15);
  });

  test('spares the phase before it for rotations about Y and for the Hadamard gate', () => {
    const h = Math.SQRT1_2;
    const hadamard: Matrix = [real(h), real(h), real(h), real(-h)];
    const ry: Matrix = [
      real(Math.cos(0.3)),
      real(-Math.sin(0.3)),
      real(Math.sin(0.3)),
      real(Math.cos(0.3)),
    ];
    for (const u of [hadamard, ry]) expect(rotationOf(u, EXACT).before.re).toBeCloseTo(1, 15);
  });

  test('keeps its length when the tangent is rounded', () => {
    const u = matrixOf(randomUnitary(new RandomStream(3), 1));
    const rounded = multipliedOut(rotationOf(u, SINGLE));
    for (const column of [0, 1]) {
      const norm = Math.hypot(
        rounded[column]!.re,
        rounded[column]!.im,
        rounded[2 + column]!.re,
        rounded[2 + column]!.im,
      );
      expect(Math.abs(norm - 1)).toBeLessThan(1e-15);
    }
    expect(worstEntry(rounded, u)).toBeLessThan(1e-7);
  });
});
