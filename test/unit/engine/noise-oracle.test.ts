/** The oracle of noise against closed forms, and against the oracle of states where nothing is noisy. */
import { describe, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../../src/circuit/circuit.ts';
import type { PauliChannel } from '../../../src/circuit/noise/channel.ts';
import type { PauliSum } from '../../../src/circuit/observable.ts';
import { densityExpectation, densityVariance, purityOf } from '../../support/density-matrix.ts';
import { densityBeforeReadout, exactRun, krausOf } from '../../support/noise-oracle.ts';
import { CHANNELS, noise } from '../../support/noisy-circuits.ts';
import { gate, randomDynamicCircuit, randomLoopCircuit } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { exactOutcomes } from '../../support/state-oracle.ts';
import {
  amplitudeDamping,
  channelOf,
  choiMatrix,
  depolarizing,
  pauli,
  resetTo,
  thermalRelaxation,
} from '../../support/textbook-channels.ts';

const circuitOf = (numQubits: number, ...operations: readonly DynamicOperation[]) => ({
  numQubits,
  numBits: 0,
  operations,
});
const z = (qubit: number): PauliSum => [{ coefficient: 1, factors: [{ pauli: 'Z', qubit }] }];
const x = (qubit: number): PauliSum => [{ coefficient: 1, factors: [{ pauli: 'X', qubit }] }];

/** ⟨O⟩ at the end of a circuit. */
const expected = (circuit: DynamicCircuit, observable: PauliSum) =>
  densityExpectation(exactRun(circuit).density, observable);

describe('without noise the oracle has the outcomes of the oracle of states', () => {
  test.each([0, 1, 2, 3])('for random circuit %i', (seed) => {
    const circuit = randomDynamicCircuit(new RandomStream(seed), 3, 4, 25);
    expectSame(exactRun(circuit).outcomes, exactOutcomes(circuit));
  });

  test.each([0, 1])('for random loops %i', (seed) => {
    const circuit = randomLoopCircuit(new RandomStream(40 + seed), 3);
    expectSame(exactRun(circuit).outcomes, exactOutcomes(circuit));
  });
});

function expectSame(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>) {
  for (const label of new Set([...a.keys(), ...b.keys()])) {
    expect(a.get(label) ?? 0, label).toBeCloseTo(b.get(label) ?? 0, 7);
  }
}

test.each(CHANNELS)('the Kraus matrices of $name are complete', ({ kraus }) => {
  const size = kraus[0]!.length;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      let [re, im] = [0, 0];
      for (const matrix of kraus) {
        for (const row of matrix) {
          re += row[i]![0] * row[j]![0] + row[i]![1] * row[j]![1];
          im += row[i]![0] * row[j]![1] - row[i]![1] * row[j]![0];
        }
      }
      expect(re).toBeCloseTo(i === j ? 1 : 0, 12);
      expect(im).toBeCloseTo(0, 12);
    }
  }
});

describe('closed forms', () => {
  test('depolarizing at (4^k − 1)/4^k leaves nothing of the state', () => {
    const bell = [gate('H', [1]), gate('CX', [0], [1])];
    const circuit = circuitOf(2, ...bell, noise(depolarizing(15 / 16, 2), 1, 0));
    const { density } = exactRun(circuit);
    for (let i = 0; i < 16; i++) expect(density[2 * i]).toBeCloseTo(i % 5 === 0 ? 0.25 : 0, 12);
    expect(purityOf(density)).toBeCloseTo(0.25, 12);
  });

  test('damping empties |1⟩ by γ and scales coherences by √(1 − γ)', () => {
    const excited = circuitOf(1, gate('X', [0]), noise(amplitudeDamping(0.3), 0));
    expect(expected(excited, z(0))).toBeCloseTo(0.3 - 0.7, 12);
    const even = circuitOf(1, gate('H', [0]), noise(amplitudeDamping(0.3), 0));
    expect(expected(even, x(0))).toBeCloseTo(Math.sqrt(0.7), 12);
  });

  test('relaxation takes populations with T1 to their end and coherences with T2 to nothing', () => {
    const relaxation = noise(thermalRelaxation(50, 70, 30_000, 0.1), 0);
    const [one, plus] = [gate('X', [0]), gate('H', [0])];
    const population = 0.1 + 0.9 * Math.exp(-30 / 50);
    expect(expected(circuitOf(1, one, relaxation), z(0))).toBeCloseTo(1 - 2 * population, 12);
    expect(expected(circuitOf(1, plus, relaxation), x(0))).toBeCloseTo(Math.exp(-30 / 70), 12);
  });

  test('without pure dephasing T2 is twice T1', () => {
    const relaxed = choiMatrix(thermalRelaxation(40, 80, 10_000, 0).kraus);
    const damped = choiMatrix(amplitudeDamping(1 - Math.exp(-10 / 40)).kraus);
    for (const [i, part] of relaxed.entries()) expect(part).toBeCloseTo(damped[i]!, 12);
  });

  test('the leftmost letter of a Pauli string acts on the last operand', () => {
    const circuit = circuitOf(3, noise(pauli({ XI: 0.2 }), 2, 0));
    expect([0, 1, 2].map((qubit) => expected(circuit, z(qubit)))).toEqual([
      expect.closeTo(0.6, 12),
      expect.closeTo(1, 12),
      expect.closeTo(1, 12),
    ]);
  });

  test('masks of a Pauli channel name the letters of its first operand in their lowest bits', () => {
    const channel: PauliChannel = {
      kind: 'pauli',
      numQubits: 2,
      errors: [
        { flips: 1, signs: 3, probability: 0.1 },
        { flips: 2, signs: 0, probability: 0.2 },
      ],
    };
    const found = choiMatrix(krausOf(channel));
    const wanted = choiMatrix(pauli({ ZY: 0.1, XI: 0.2 }).kraus);
    for (const [i, part] of found.entries()) expect(part).toBeCloseTo(wanted[i]!, 12);
  });

  test.each(CHANNELS)('$name is the same in a circuit', (channel) => {
    const found = choiMatrix(krausOf(channelOf(channel)));
    for (const [i, part] of choiMatrix(channel.kraus).entries()) {
      expect(found[i]).toBeCloseTo(part, 12);
    }
  });

  test('a reset of half a Bell pair leaves the other half mixed', () => {
    const circuit = circuitOf(2, gate('H', [0]), gate('CX', [1], [0]), noise(resetTo(1, 1), 0));
    const { density } = exactRun(circuit);
    expect([0, 1, 2, 3].map((i) => density[2 * 5 * i])).toEqual(
      [0, 0.5, 0, 0.5].map((chance) => expect.closeTo(chance, 12)),
    );
  });

  test('bits are misread one by one, and conditions see what was read', () => {
    const circuit: DynamicCircuit = {
      numQubits: 2,
      numBits: 2,
      operations: [
        gate('X', [0]),
        { kind: 'measure', qubits: [0], bits: [0] },
        { kind: 'misread', bits: [0], p1Given0: 0, p0Given1: 0.3 },
        { ...gate('X', [1]), condition: { bits: [0], value: 0 } },
        { kind: 'measure', qubits: [1], bits: [1] },
        { kind: 'misread', bits: [1], p1Given0: 0.1, p0Given1: 0.2 },
      ],
    };
    const { outcomes } = exactRun(circuit);
    expect(outcomes.get('10')).toBeCloseTo(0.3 * 0.8, 12);
    expect(outcomes.get('00')).toBeCloseTo(0.3 * 0.2, 12);
    expect(outcomes.get('11')).toBeCloseTo(0.7 * 0.1, 12);
    expect(outcomes.get('01')).toBeCloseTo(0.7 * 0.9, 12);
  });

  test('a measurement that ends the circuit does not disturb the state before it', () => {
    const measured: DynamicCircuit = {
      numQubits: 1,
      numBits: 1,
      operations: [gate('H', [0]), { kind: 'measure', qubits: [0], bits: [0] }],
    };
    expect(densityExpectation(densityBeforeReadout(measured), x(0))).toBeCloseTo(1, 12);
    expect(densityExpectation(exactRun(measured).density, x(0))).toBeCloseTo(0, 12);
  });

  test('the variance of a sum takes products of its terms into account', () => {
    const { density } = exactRun(circuitOf(1, gate('H', [0])));
    const sum = [...z(0), { coefficient: 2, factors: x(0)[0]!.factors }];
    // ⟨(Z + 2X)²⟩ = 5, ⟨Z + 2X⟩ = 2 in |+⟩.
    expect(densityVariance(density, sum)).toBeCloseTo(1, 12);
  });
});
