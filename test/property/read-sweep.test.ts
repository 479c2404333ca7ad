/** Circuits with inputs, read once for many points: at each point the circuit is the one that is read with its inputs. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AngleDerivatives, evaluateAngles } from '../../src/circuit/angle-formulas.ts';
import type { DynamicCircuit } from '../../src/circuit/circuit.ts';
import { circuitFromGateObjects } from '../../src/circuit/gate-objects.ts';
import { inputColumns, inputRows, inputsAt } from '../../src/circuit/input-columns.ts';
import { readOpenQasm } from '../../src/circuit/openqasm/parse-openqasm.ts';
import { readSweep, type Sweep } from '../../src/circuit/read-sweep.ts';
import { anglesOf } from '../../src/compiler/shape.ts';
import { CodedError } from '../../src/errors/coded-error.ts';
import { openInputs, openProgram } from '../support/open-programs.ts';
import { RandomStream } from '../support/random-stream.ts';
import { numCases, seeds, testSeeds } from '../support/seeds.ts';

const limits = { maxQubits: 8, maxGates: 20_000 };
const NUM_POINTS = 12;

/** The circuit without its angles. */
function shapeOf(circuit: DynamicCircuit): unknown {
  return JSON.parse(
    JSON.stringify(circuit, (key, value) => (key === 'angles' ? value.length : value)),
  );
}

function attempt<T>(read: () => T): T | CodedError {
  try {
    return read();
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}

/** Number and circuit of each point of a sweep, with the angles from its formulas. */
function* pointsOf({ inputs, groups }: Sweep) {
  for (const { circuit, formulas, points } of groups) {
    const count = points?.length ?? inputs.numPoints;
    const angles = evaluateAngles(formulas, inputRows(inputs, points, 0, count), count);
    for (let i = 0; i < count; i++) {
      const own = angles.subarray(i * formulas.numAngles, (i + 1) * formulas.numAngles);
      yield { point: points?.[i] ?? i, circuit, angles: [...own] };
    }
  }
}

describe('a random program with inputs', () => {
  let [numSwept, numRefused, numGroups, numOpen] = [0, 0, 0, 0];

  testSeeds(
    'has at every point the circuit of that point’s inputs, bit for bit',
    seeds(75),
    (seed) => {
      const stream = new RandomStream(7000 + seed);
      const text = openProgram(stream);
      const inputs = inputColumns(openInputs(stream, NUM_POINTS, 1000));
      const single = Array.from({ length: NUM_POINTS }, (_, point) =>
        attempt(() => readOpenQasm(text, limits, { inputs: inputsAt(inputs, point) })),
      );
      const sweep = attempt(() => readSweep({ qasm: text }, inputs, limits));
      const failed = single.find((each) => each instanceof CodedError);
      if (sweep instanceof CodedError) {
        expect(failed, `${text}\n${sweep.message}`).toBeInstanceOf(CodedError);
        numRefused++;
        return;
      }
      expect(failed?.message, text).toBeUndefined();
      numSwept++;
      numGroups += sweep.groups.length;
      const seen = new Set<number>();
      for (const { point, circuit, angles } of pointsOf(sweep)) {
        const expected = single[point]!;
        if (expected instanceof CodedError) throw expected;
        expect(shapeOf(circuit), text).toEqual(shapeOf(expected.circuit));
        const isSame = anglesOf(expected.circuit).every((angle, i) => Object.is(angle, angles[i]));
        expect(isSame, `point ${point} of ${text}`).toBe(true);
        seen.add(point);
      }
      expect(seen.size).toBe(NUM_POINTS);
      for (const { formulas } of sweep.groups) numOpen += formulas.operators.length;
    },
  );

  test('is one of many kinds', () => {
    // A generator whose programs are all refused, or read anew at each point, would show nothing.
    expect(numSwept).toBeGreaterThan(numCases(30));
    expect(numRefused).toBeGreaterThan(0);
    expect(numGroups / numSwept).toBeLessThan(0.9 * NUM_POINTS);
    expect(numOpen / numSwept).toBeGreaterThan(10);
  });

  testSeeds('has the derivatives of its angles', seeds(75), (seed) => {
    const stream = new RandomStream(9000 + seed);
    const text = openProgram(stream);
    const inputs = inputColumns(openInputs(stream, 4, 1.5));
    const sweep = attempt(() => readSweep({ qasm: text }, inputs, limits));
    if (sweep instanceof CodedError) return;
    const refused = new Set(sweep.derivativeFaults.map(({ input }) => input));
    for (const { formulas, points } of sweep.groups) {
      if (formulas.numAngles === 0) continue;
      const row = inputRows(inputs, points, 0, 1);
      const derivatives = new AngleDerivatives(formulas);
      derivatives.setRow(row);
      // A function of period 4π, as gates are: powers of gates reduce their angles.
      const angles = evaluateAngles(formulas, row, 1);
      const weights = angles.map(() => stream.uniform() - 0.5);
      const total = (of: Float64Array) =>
        weights.reduce((sum, weight, i) => sum + weight * Math.sin(of[i]! / 2), 0);
      const byAngle = weights.map((weight, i) => (weight * Math.cos(angles[i]! / 2)) / 2);
      const found = derivatives.toInputs(byAngle);
      // Twice, because the second must not see what the first left behind.
      expect(derivatives.toInputs(byAngle)).toEqual(found);
      for (let input = 0; input < formulas.numInputs; input++) {
        if (refused.has(input)) continue;
        const at = (step: number) => {
          const moved = row.slice();
          moved[input] = moved[input]! + step;
          return evaluateAngles(formulas, moved, 1);
        };
        const slope = (h: number) => (total(at(h)) - total(at(-h))) / (2 * h);
        const [coarse, fine] = [slope(1e-5), slope(5e-6)];
        // Where the two differ, the function is too steep for differences to tell anything.
        const size = Math.max(1, Math.abs(fine));
        if (!(Math.abs(coarse - fine) < 1e-5 * size)) continue;
        expect(Math.abs(found[input]! - fine), `input ${input} of ${text}`).toBeLessThan(
          1e-4 * size,
        );
        numCompared++;
      }
    }
  });

  let numCompared = 0;
  test('has derivatives that differences can be taken of', () => {
    expect(numCompared).toBeGreaterThan(numCases(50));
  });
});

describe('random gate objects with inputs', () => {
  const number = fc.double({ min: -10, max: 10, noNaN: true });
  const angle = fc.oneof(
    number,
    fc.record(
      { input: fc.constantFrom('a', 'b'), scale: fc.oneof(number, fc.constant(0)), offset: number },
      { requiredKeys: ['input'] },
    ),
  );
  const gate = fc.oneof(
    fc.record({ gate: fc.constant('RX'), qubit: fc.nat(2), theta: angle }),
    fc.record({
      gate: fc.constant('U'),
      qubit: fc.nat(2),
      theta: angle,
      phi: angle,
      lambda: angle,
    }),
    fc.constant({ gate: 'CX', control: 0, target: 1 }),
    fc.constant({ gate: 'RESET', qubit: 2 }),
  );
  const used = [
    { gate: 'RY', qubit: 0, theta: { input: 'a' } },
    { gate: 'RY', qubit: 0, theta: { input: 'b' } },
  ];

  test('have at every point the angles of that point’s inputs, bit for bit', () => {
    const column = fc.array(fc.oneof(number, fc.constantFrom(0, -0, 1e300)), {
      minLength: 3,
      maxLength: 3,
    });
    fc.assert(
      fc.property(fc.array(gate, { maxLength: 8 }), column, number, (gates, a, b) => {
        const circuit = [...used, ...gates];
        const inputs = inputColumns({ a, b });
        const sweep = readSweep({ circuit }, inputs, limits);
        for (const { point, angles } of pointsOf(sweep)) {
          const one = readSweep({ circuit }, inputColumns(inputsAt(inputs, point)), limits);
          const written = one.groups[0]!.circuit;
          expect(angles).toEqual(anglesOf(written));
          const plain = circuit.map((object) => withNumbers(object, { a: a[point]!, b }));
          expect(angles).toEqual(anglesOf(circuitFromGateObjects(plain, { limits })));
        }
      }),
      { seed: 71, numRuns: numCases(100) },
    );
  });
});

/** A gate object with numbers in place of inputs. */
function withNumbers<T extends object>(object: T, inputs: Readonly<Record<string, number>>): T {
  return Object.fromEntries(
    Object.entries(object).map(([field, value]) => {
      if (typeof value !== 'object' || value === null || !('input' in value)) return [field, value];
      const { input, scale = 1, offset } = value;
      const product = inputs[input]! * scale;
      return [field, offset ? product + offset : product];
    }),
  ) as T;
}

describe('a program with inputs', () => {
  const WORDS = [
    'a',
    'b',
    't',
    'n',
    'm',
    'f',
    'w',
    'w[0]',
    'c[0]',
    'c',
    'k',
    'int(a)',
    '2',
    '0.5',
    '-1',
    'pi',
    'list[n]',
    'bool(b)',
    'n + m',
    'n / 2',
    'a < b',
    'n << 1',
    'float(m)',
    'angle[4](t)',
    '(f ? 1)',
    'sin(m)',
    '-f',
    'popcount(m)',
    '!f',
    '~m',
  ];

  test('with other words in some places is read for many points as for one, or refused', () => {
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      put: fc.constantFrom(...WORDS),
    });
    let numRead = 0;
    fc.assert(
      fc.property(fc.nat(1000), fc.array(edit, { minLength: 1, maxLength: 3 }), (seed, edits) => {
        const stream = new RandomStream(seed);
        const text = edits.reduce(changed, openProgram(stream, 3));
        const inputs = inputColumns(openInputs(stream, 3, 10));
        const sweep = attempt(() => readSweep({ qasm: text }, inputs, limits));
        if (sweep instanceof CodedError) return;
        numRead++;
        for (const { point, circuit, angles } of pointsOf(sweep)) {
          const expected = readOpenQasm(text, limits, { inputs: inputsAt(inputs, point) }).circuit;
          expect(shapeOf(circuit), text).toEqual(shapeOf(expected));
          expect(
            anglesOf(expected).every((one, i) => Object.is(one, angles[i])),
            text,
          ).toBe(true);
        }
      }),
      { seed: 72, numRuns: numCases(200) },
    );
    expect(numRead).toBeGreaterThan(numCases(30));
  });
});

/** The text with another word in place of one that stands for a number. */
function changed(text: string, { at, put }: { readonly at: number; readonly put: string }): string {
  const statements = text.indexOf('list = ');
  const words = /(?<=[(*+\-/,={<>:] ?)(?:[abtnmk]|\d+(?:\.\d+)?|pi|tau)\b(?!\()/g;
  const places = [...text.matchAll(words)].filter(({ index }) => index > statements);
  const place = places[Math.floor(at * places.length)];
  if (place === undefined) return text;
  return text.slice(0, place.index) + put + text.slice(place.index + place[0].length);
}
