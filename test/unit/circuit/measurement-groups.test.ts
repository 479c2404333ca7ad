import { describe, expect, test } from 'vitest';
import type { Circuit } from '../../../src/circuit/circuit.ts';
import { estimateExpectations } from '../../../src/circuit/expectation-estimates.ts';
import { measuredIn, measurementGroups } from '../../../src/circuit/measurement-groups.ts';
import type { PauliFactor, PauliSum } from '../../../src/circuit/observable.ts';
import { openReferenceEngine } from '../../../src/engine/reference/reference-engine.ts';
import { runCircuit } from '../../support/engine-runs.ts';
import { gate, randomGates } from '../../support/random-circuits.ts';
import { randomSum } from '../../support/random-observables.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { waterHamiltonian } from '../../support/water.ts';

const string = (text: string): readonly PauliFactor[] =>
  [...text].flatMap((pauli, qubit) =>
    pauli === 'X' || pauli === 'Y' || pauli === 'Z' ? [{ pauli, qubit }] : [],
  );
const sum = (...terms: readonly (readonly [number, string])[]): PauliSum =>
  terms.map(([coefficient, text]) => ({ coefficient, factors: string(text) }));

describe('measurement groups', () => {
  test('hold strings that agree where they meet', () => {
    const { groups } = measurementGroups([sum([1, 'ZI'], [1, 'XX'], [1, 'IX'], [1, 'IZ'])]);
    const letters = groups.map(({ basis }) => basis.map(({ pauli }) => pauli).join(''));
    expect(letters).toEqual(['XX', 'ZZ']);
    expect(groups.map(({ strings }) => strings.length)).toEqual([2, 2]);
  });

  test('hold a string of several observables once', () => {
    const observables = [sum([2, 'ZZ'], [1, 'II']), sum([3, 'ZZ'], [1, 'ZZ'], [-4, 'II'])];
    const { groups, offsets } = measurementGroups(observables);
    expect(offsets).toEqual([1, -4]);
    expect(groups).toHaveLength(1);
    expect(groups[0]!.strings).toEqual([
      { bits: Uint32Array.of(3), observables: [0, 1], coefficients: [2, 4] },
    ]);
  });

  test('of the identity alone are none', () => {
    const grouped = measurementGroups([sum([5, 'III']), []]);
    expect(grouped.groups).toEqual([]);
    expect(estimateExpectations(grouped, [])).toEqual([
      { value: 5, standardError: 0 },
      { value: 0, standardError: 0 },
    ]);
  });

  test('of water are 219 for 1,085 strings, each of which fits its basis', () => {
    const water = waterHamiltonian();
    const { groups } = measurementGroups([water]);
    expect(groups).toHaveLength(219);
    expect(groups.flatMap(({ strings }) => strings)).toHaveLength(1085);
  });

  test.each([6, 40])(
    'of %i qubits are those of a comparison with one group at a time',
    (numQubits) => {
      const random = new RandomStream(numQubits);
      const letters = () => Array.from({ length: numQubits }, () => random.pick([...'IXYZ']));
      const distinct = [...new Set(Array.from({ length: 300 }, () => letters().join('')))];
      const { groups } = measurementGroups([sum(...distinct.map((text) => [1, text] as const))]);

      const expected: Map<number, string>[] = [];
      const mostFirst = distinct.map(string).sort((a, b) => b.length - a.length);
      for (const factors of mostFirst) {
        const isFit = (group: Map<number, string>) =>
          factors.every(({ pauli, qubit }) => (group.get(qubit) ?? pauli) === pauli);
        const group = expected.find(isFit) ?? new Map<number, string>();
        if (group.size === 0) expected.push(group);
        for (const { pauli, qubit } of factors) group.set(qubit, pauli);
      }
      expect(expected.length).toBeGreaterThan(64);
      const bases = groups.map(({ basis }) => new Map(basis.map((f) => [f.qubit, f.pauli])));
      expect(bases).toEqual(expected);
    },
  );

  test('take qubits beyond a word of bits', () => {
    const wide: PauliSum = [0, 31, 32, 63, 70].map((qubit) => ({
      coefficient: qubit + 1,
      factors: [{ pauli: 'Z', qubit }],
    }));
    const clash: PauliSum = [{ coefficient: 1, factors: [{ pauli: 'X', qubit: 32 }] }];
    const grouped = measurementGroups([wide, clash]);
    expect(grouped.groups.map(({ basis }) => basis.map(({ qubit }) => qubit))).toEqual([
      [0, 31, 32, 63, 70],
      [32],
    ]);
    const counts = [
      { wordsPerOutcome: 1, outcomes: [0b10100], occurrences: [8] },
      { wordsPerOutcome: 1, outcomes: [1, 0], occurrences: [2, 6] },
    ];
    const [ofWide, ofClash] = estimateExpectations(grouped, counts);
    expect(ofWide).toEqual({ value: 1 + 32 - 33 + 64 - 71, standardError: 0 });
    expect(ofClash!.value).toBe(0.5);
    // Values 1 and −1, six and two times: variance 6/8 · 8/7 of a shot.
    expect(ofClash!.standardError).toBeCloseTo(Math.sqrt(6 / 7 / 8), 14);
  });
});

describe('a group’s circuit', () => {
  test('turns its basis and measures its qubits in order, in place of the circuit’s measurements', () => {
    const circuit: Circuit = {
      numQubits: 4,
      numBits: 1,
      operations: [gate('H', [0]), { kind: 'measure', qubits: [0], bits: [0] }],
    };
    const { groups } = measurementGroups([sum([1, 'XIYZ'])]);
    const { numBits, operations } = measuredIn(circuit, groups[0]!);
    expect(numBits).toBe(3);
    expect(operations).toEqual([
      gate('H', [0]),
      gate('H', [0]),
      gate('SDG', [2]),
      gate('H', [2]),
      { kind: 'measure', qubits: [0, 2, 3], bits: [0, 1, 2] },
    ]);
  });
});

test('estimates of several observables are unbiased, and their errors are what they say', async () => {
  const stream = new RandomStream(31);
  const circuit: Circuit = { numQubits: 4, numBits: 0, operations: randomGates(stream, 4, 25, 2) };
  const observables = [
    randomSum(stream, 4, 12),
    // Strings of one group, whose covariances count.
    sum([1, 'ZIII'], [1, 'ZZII'], [0.5, 'IZII'], [2, 'IIII'], [1.5, 'IIXX'], [1, 'IIIX']),
  ];
  const engine = openReferenceEngine({ maxQubits: 4 });
  const { expectations } = await runCircuit(engine, circuit, { observables });
  const grouped = measurementGroups(observables);
  const [numRuns, shots] = [150, 200];
  const pulls = observables.map((): number[] => []);
  for (let run = 0; run < numRuns; run++) {
    const counts = [];
    for (const [g, group] of grouped.groups.entries()) {
      const seed = 1000 * run + g;
      counts.push((await runCircuit(engine, measuredIn(circuit, group), { shots, seed })).counts);
    }
    for (const [i, { value, standardError }] of estimateExpectations(grouped, counts).entries()) {
      pulls[i]!.push((value - expectations![i]!) / standardError);
    }
  }
  for (const own of pulls) {
    const mean = own.reduce((total, pull) => total + pull, 0) / numRuns;
    const meanSquare = own.reduce((total, pull) => total + pull ** 2, 0) / numRuns;
    // Four standard deviations of the mean, and of the mean square, of 150 normal draws.
    expect(Math.abs(mean)).toBeLessThan(4 / Math.sqrt(numRuns));
    expect(Math.abs(meanSquare - 1)).toBeLessThan(4 * Math.sqrt(2 / numRuns));
  }
  await engine.close();
});
