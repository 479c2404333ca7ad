/** Numbers from the matrices of a program, by the formulas of its shape. */
import { describe, expect, test } from 'vitest';
import {
  type Complex,
  type Formula,
  imaginaryPart,
  isOne,
  negated,
  ONE,
  over,
  phaseOf,
  type Real,
  realPart,
  type TracedReal,
  times,
} from '../../../src/engine/complex.ts';
import { FormulaTape } from '../../../src/engine/formula-tape.ts';
import type { Trace } from '../../../src/engine/matrix-pool.ts';

const DOUBLE = { negligible: 1e-19, round: (x: number) => x };

/** Entries of a shape: e^{i·radians} for each. */
function entriesAt(radians: readonly number[]) {
  const leftOut = new Set<Formula>();
  const entries = radians.map((angle, index): Complex => {
    const formula = { kind: 'entry', index, isFragile: false, leftOut, place: index } as const;
    return { ...phaseOf(angle), formula };
  });
  return { entries, leftOut };
}

const matricesAt = (radians: readonly number[]) =>
  Float64Array.from(radians.flatMap((angle) => [Math.cos(angle), Math.sin(angle)]));

function tapeOf(
  numEntries: number,
  numbers: readonly Real[],
  leftOut: Set<Formula> = new Set(),
  segments: Trace['segments'] = [],
): FormulaTape {
  const traced = numbers.filter((x): x is TracedReal => typeof x !== 'number');
  return new FormulaTape(numEntries, traced, { segments, leftOut }, DOUBLE, 2 ** 20);
}

describe('a tape of formulas', () => {
  test('computes products, quotients, parts and negatives from other entries', () => {
    const { entries } = entriesAt([0.3, 0.5]);
    const [a, b] = [entries[0]!, entries[1]!];
    const number = over(times(times(a, b), phaseOf(0.2)), times(b, b));
    const numbers = [realPart(number), negated(imaginaryPart(number)), imaginaryPart(a)];
    const found = tapeOf(2, numbers).numbersOf(matricesAt([1.1, -0.4]))!;
    // a·e^{0.2i}/b
    const angle = 1.1 + 0.2 + 0.4;
    const expected = [Math.cos(angle), -Math.sin(angle), Math.sin(1.1)];
    for (const [i, x] of expected.entries()) expect(found[i]).toBeCloseTo(x, 14);
  });

  test('computes a product of very many factors', () => {
    const { entries } = entriesAt([1e-6]);
    let product = ONE;
    for (let i = 0; i < 200_000; i++) product = times(product, entries[0]!);
    const [found] = tapeOf(1, [imaginaryPart(product)]).numbersOf(matricesAt([2e-6]))!;
    expect(found).toBeCloseTo(Math.sin(0.4), 10);
  });

  test('has no numbers where one that was left out is not 1', () => {
    const { entries, leftOut } = entriesAt([0.3, -0.3]);
    expect(isOne(times(entries[0]!, entries[1]!))).toBe(true);
    const tape = tapeOf(2, [realPart(entries[0]!)], leftOut);
    expect(tape.numbersOf(matricesAt([0.7, -0.7]))).toHaveLength(1);
    expect(tape.numbersOf(matricesAt([0.7, -0.6]))).toBeUndefined();
  });

  test('has no numbers where a state could overflow, or where there are none', () => {
    const { entries, leftOut } = entriesAt([0.3, 0.4, 0.5, 0.6]);
    const form = { after: -1, before: -1 };
    const entriesOf = [0, 1, 2, 3] as const;
    const rotation = { entries: entriesOf, form, place: -1 };
    const common = { kind: 'rotation', rotation, isFragile: false, leftOut, place: -1 } as const;
    const formula: Formula = { ...common, part: 'tangent' };
    const tangent: Real = { value: 0.3, formula, isImaginary: false, sign: 1 };
    const tangents = Array.from({ length: 4 }, () => [tangent, tangent] as const);
    const tape = tapeOf(4, [realPart(entries[0]!)], leftOut, [{ constant: 2, tangents }]);
    const turnBy = (theta: number) => {
      const [c, s] = [Math.cos(theta), Math.sin(theta)];
      return Float64Array.of(c, 0, -s, 0, s, 0, c, 0);
    };
    // Four factors of 1/cos, and 2.
    const cosine = (2 / 2 ** 20) ** 0.25;
    expect(tape.numbersOf(turnBy(Math.acos(1.01 * cosine)))).toHaveLength(1);
    expect(tape.numbersOf(turnBy(Math.acos(0.99 * cosine)))).toBeUndefined();
    expect(tape.numbersOf(turnBy(Number.NaN))).toBeUndefined();
  });
});
