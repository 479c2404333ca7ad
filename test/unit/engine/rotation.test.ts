import { describe, expect, test } from 'vitest';
import { type Complex, type Formula, plainReal } from '../../../src/engine/complex.ts';
import {
  factorInto,
  type Rotation,
  type Rounding,
  rotationOf,
} from '../../../src/engine/rotation.ts';
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
function multipliedOut({ scale, after, t: tangent, before, flips }: Rotation): Matrix {
  const t = plainReal(tangent);
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
    expect(Math.abs(plainReal(rotation.t))).toBeLessThan(64);
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

/** Entries of a shape, which have formulas. */
function traced(u: Matrix): Matrix {
  const leftOut = new Set<Formula>();
  const [a, b, c, d] = u.map((entry, index): Complex => {
    return { ...entry, formula: { kind: 'entry', index, isFragile: false, leftOut, place: index } };
  });
  return [a!, b!, c!, d!];
}

const phase = (radians: number): Complex => ({ re: Math.cos(radians), im: Math.sin(radians) });
const DOUBLE: Rounding = { negligible: 1e-19, round: (x) => x };

/** U = e^{iα}·diag(1, e^{iβ})·[[c, −s], [s, c]]·diag(1, e^{iγ}). */
function matrixAt([alpha, beta, gamma, theta]: readonly number[]): Matrix {
  const [c, s] = [Math.cos(theta!), Math.sin(theta!)];
  const turn: Matrix = [real(c), real(-s), real(s), real(c)];
  const parts = product(diagonal(phase(beta!)), product(turn, diagonal(phase(gamma!))));
  return parts.map((z) => times(phase(alpha!), z)) as unknown as Matrix;
}

const QUARTER = Math.PI / 2;
const FORMS: readonly (readonly [string, (angles: readonly number[]) => readonly number[]])[] = [
  ['any phases', ([a, b, c, t]) => [a!, b!, c!, t!]],
  ['no phase after', ([a, , c, t]) => [a!, 0, c!, t!]],
  ['i after', ([a, , c, t]) => [a!, QUARTER, c!, t!]],
  ['no phase before', ([a, b, , t]) => [a!, b!, 0, t!]],
  ['−i before', ([a, b, , t]) => [a!, b!, -QUARTER, t!]],
  ['no phases', ([a, , , t]) => [a!, 0, 0, t!]],
  ['a sign after', ([a, , , t]) => [a!, 2 * QUARTER, 0, t!]],
  ['−i after and i before', ([a, , , t]) => [a!, -QUARTER, QUARTER, t!]],
];

describe.each(FORMS)('the unitaries of a shape with %s', (_, own) => {
  const generic = traced(matrixAt(own([0.7, 0.4, 1.1, 0.5])));
  const { scale, after, t, before, flips } = rotationOf(generic, DOUBLE);
  if (typeof t === 'number' || t.formula.kind !== 'rotation') throw new Error('no rotation');
  const { rotation } = t.formula;

  test('multiply out again', () => {
    const plain = { scale, after, t: t.value, before, flips };
    expect(worstEntry(multipliedOut(plain), generic)).toBeLessThan(1e-15);
  });

  test.each([
    0,
    1e-300,
    1e-20,
    1e-9,
    0.1,
    QUARTER / 2,
    1,
    QUARTER - 1e-9,
    QUARTER - 1e-14,
    QUARTER,
    2,
    3,
    2 * QUARTER,
    -1,
    -QUARTER,
    7,
  ])('multiply out again where the angle is %f', (theta) => {
    const stream = new RandomStream(9);
    for (let i = 0; i < 20; i++) {
      const angles = own([stream.angle(), stream.angle(), stream.angle(), theta]);
      const u = matrixAt(angles);
      const values = new Float64Array(16);
      values.set(u.flatMap(({ re, im }) => [re, im]));
      const { form } = rotation;
      expect(factorInto(values, 0, 1, 2, 3, form.after, form.before, DOUBLE, 4)).toBe(true);
      const at = (place: number) => ({ re: values[2 * place]!, im: values[2 * place + 1]! });
      const parts = {
        scale: at(4),
        after: form.after < 0 ? at(5) : after,
        before: form.before < 0 ? at(6) : before,
        t: values[14]!,
        flips: false,
      };
      expect(values[15]).toBeCloseTo(Math.hypot(1, values[14]!), 12);
      expect(worstEntry(multipliedOut(parts), u)).toBeLessThan(2e-15);
    }
  });

  test('are told from others', () => {
    const values = new Float64Array(16);
    values.set(matrixAt([0.1, 0.2, 0.3, 0.4]).flatMap(({ re, im }) => [re, im]));
    const { after: p, before: q } = rotation.form;
    expect(factorInto(values, 0, 1, 2, 3, p, q, DOUBLE, 4)).toBe(p < 0 && q < 0);
  });
});
