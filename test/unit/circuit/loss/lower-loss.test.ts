import { describe, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../../../src/circuit/circuit.ts';
import { hasLoss, withoutLoss } from '../../../../src/circuit/loss/loss-facts.ts';
import type { LossRule } from '../../../../src/circuit/loss/loss-rule.ts';
import { lowerLoss } from '../../../../src/circuit/loss/lower-loss.ts';
import { depolarizing, loss } from '../../../../src/circuit/noise/named-channels.ts';
import { channelObject } from '../../../../src/circuit/noise/write-channel.ts';
import { compileStabilizer } from '../../../../src/compiler/clifford/compile-stabilizer.ts';
import { compileDensity } from '../../../../src/compiler/noise/compile-density.ts';
import { compileTrajectories } from '../../../../src/compiler/noise/compile-trajectories.ts';
import { openReferenceEngine } from '../../../../src/engine/reference/reference-engine.ts';
import { writeCircuit } from '../../../../src/fleet/workers/sent-circuit.ts';
import { purityOf } from '../../../support/density-matrix.ts';
import { labelWithLoss } from '../../../support/loss-oracle.ts';
import { exactRun } from '../../../support/noise-oracle.ts';
import { gate } from '../../../support/random-circuits.ts';

const lost = (qubit: number, probability: number): DynamicOperation => ({
  kind: 'noise',
  qubits: [qubit],
  channel: loss(probability)!,
});
const measure = (qubits: readonly number[], bits = qubits): DynamicOperation => ({
  kind: 'measure',
  qubits,
  bits,
});
const reset = (qubit: number): DynamicOperation => ({ kind: 'reset', qubits: [qubit] });
const circuitOf = (
  numQubits: number,
  numBits: number,
  ...operations: readonly DynamicOperation[]
): DynamicCircuit => ({ numQubits, numBits, operations });

const ruled = (names: string, rule: LossRule['rule']): LossRule => ({
  names: new Set([names]),
  rule,
});

function lowered(
  circuit: DynamicCircuit,
  rules: readonly LossRule[] = [],
  readsState = false,
): DynamicCircuit {
  return lowerLoss(circuit, { rules, readsState });
}

/** Outcomes that are possible, with their probabilities to 12 digits. */
function outcomes(circuit: DynamicCircuit, rules: readonly LossRule[] = []) {
  const found = lowered(circuit, rules);
  const entries = [...exactRun(found).outcomes]
    .filter(([, probability]) => probability > 1e-12)
    .map(([label, probability]) => [
      labelWithLoss(label, found.lossMarks ?? []),
      Number(probability.toFixed(12)),
    ]);
  return Object.fromEntries(entries);
}

const BELL = [gate('H', [0]), gate('CX', [1], [0])];

test('a circuit without loss is left as it is', () => {
  const circuit = circuitOf(2, 2, ...BELL, measure([0, 1]));
  expect(lowered(circuit)).toBe(circuit);
});

test('gates on several qubits after the first loss have the condition that none is lost', () => {
  const circuit = circuitOf(2, 2, ...BELL, lost(0, 0.1), ...BELL, gate('X', [1]), measure([0, 1]));
  const { operations, numBits, lossMarks, control } = lowered(circuit);
  expect({ numBits, lossMarks, control }).toMatchObject({
    numBits: 3,
    lossMarks: [0],
    control: { numScratchBits: 1 },
  });
  const conditions = operations.flatMap((operation) =>
    operation.kind === 'gate' ? [[operation.gate, operation.condition]] : [],
  );
  const present = { bits: [3], value: 0 };
  expect(conditions).toEqual([
    ['H', undefined],
    ['CX', undefined],
    ['H', undefined],
    ['CX', present],
    ['X', undefined],
  ]);
});

test('a gate under a condition has both conditions', () => {
  const cz = { ...gate('CZ', [1], [0]), condition: { bits: [0, 1], value: 2 } };
  const { operations } = lowered(circuitOf(2, 2, lost(0, 0.1), cz));
  expect(operations).toContainEqual({ ...cz, condition: { bits: [0, 1, 2], value: 2 } });
});

describe('outcomes', () => {
  test('of a lost qubit are 2, and its partner is as if it had been traced out', () => {
    const circuit = circuitOf(2, 2, ...BELL, lost(0, 1), gate('H', [1]), measure([0, 1]));
    expect(outcomes(circuit)).toEqual({ '02': 0.5, '12': 0.5 });
  });

  test('are those of the qubits that are left of a GHZ state whose ancilla is lost', () => {
    const parity = [gate('CX', [2], [0]), gate('CX', [2], [1])];
    const circuit = circuitOf(3, 3, ...BELL, lost(2, 0.25), ...parity, measure([0, 1, 2]));
    expect(outcomes(circuit)).toEqual({ '000': 0.375, '011': 0.375, '200': 0.125, '211': 0.125 });
  });

  test('of a qubit that a reset loads again are those of |0⟩', () => {
    const circuit = circuitOf(
      1,
      2,
      gate('X', [0]),
      lost(0, 1),
      measure([0], [0]),
      reset(0),
      measure([0], [1]),
    );
    expect(outcomes(circuit)).toEqual({ '02': 1 });
  });

  test('of a lost qubit are not misread', () => {
    const misread = { kind: 'misread', bits: [0], p1Given0: 0.5, p0Given1: 0.5 } as const;
    expect(outcomes(circuitOf(1, 1, lost(0, 1), measure([0]), misread))).toEqual({ '2': 1 });
  });

  test('read 0 in a condition where the qubit is lost', () => {
    const x = { ...gate('X', [1]), condition: { bits: [0], value: 0 } };
    const circuit = circuitOf(2, 2, gate('X', [0]), lost(0, 0.5), measure([0]), x, measure([1]));
    expect(outcomes(circuit)).toEqual({ '01': 0.5, '12': 0.5 });
  });

  test('that are measured again have the mark of the last measurement', () => {
    const circuit = circuitOf(
      2,
      1,
      gate('X', [1]),
      lost(0, 1),
      measure([0], [0]),
      measure([1], [0]),
    );
    expect(outcomes(circuit)).toEqual({ '1': 1 });
  });

  test('tell that a qubit is lost, where a measurement asks for it', () => {
    const asks = { kind: 'measure', qubits: [0, 1], bits: [0, 1], readsLoss: true } as const;
    expect(outcomes(circuitOf(2, 2, lost(0, 0.25), asks))).toEqual({ '00': 0.75, '01': 0.25 });
  });

  test('follow loss through the rounds of a loop', () => {
    // Measures |1⟩ until the bit reads 0, which it does once the qubit is lost.
    const round = [lost(0, 0.5), gate('X', [1]), measure([0], [0])];
    const loop: DynamicOperation = {
      kind: 'while',
      condition: { bits: [0], value: 1 },
      body: round,
    };
    const circuit: DynamicCircuit = {
      ...circuitOf(2, 2, gate('X', [0]), measure([0], [0]), loop, measure([1], [1])),
      control: { numScratchBits: 0, maxRounds: 100 },
    };
    const found = outcomes(circuit);
    // Lost in an odd round with probability 1/2 + 1/8 + … = 2/3.
    expect(found['12']).toBeCloseTo(2 / 3, 9);
    expect(found['02']).toBeCloseTo(1 / 3, 9);
  });
});

describe('a gate of which a qubit is lost', () => {
  const partner = (...gates: readonly DynamicOperation[]) =>
    circuitOf(2, 2, gate('H', [1]), lost(0, 1), ...gates, gate('H', [1]), measure([0, 1]));
  const cz = gate('CZ', [1], [0]);

  test('is left out', () => {
    expect(outcomes(partner(cz))).toEqual({ '02': 1 });
  });

  test('loses its partner by the rule propagate', () => {
    expect(outcomes(partner(cz), [ruled('CZ', 'propagate')])).toEqual({ '22': 1 });
  });

  test('leaves nothing of its partner by the rule depolarize', () => {
    expect(outcomes(partner(cz), [ruled('*2', 'depolarize')])).toEqual({ '02': 0.5, '12': 0.5 });
  });

  test('exchanges what is there and what is lost by the rule exchange', () => {
    const circuit = circuitOf(
      2,
      2,
      gate('X', [1]),
      lost(0, 1),
      gate('SWAP', [0, 1]),
      measure([0, 1]),
    );
    expect(outcomes(circuit, [ruled('SWAP', 'exchange')])).toEqual({ '21': 1 });
    expect(outcomes(circuit)).toEqual({ '12': 1 });
  });

  test('has the first rule that names it', () => {
    const rules = [ruled('CX', 'propagate'), ruled('*', 'skip'), ruled('CZ', 'propagate')];
    expect(outcomes(partner(cz), rules)).toEqual({ '02': 1 });
  });

  test('has no rule where its condition does not hold', () => {
    const never = { ...cz, condition: { bits: [0], value: 1 } };
    for (const rule of ['propagate', 'depolarize'] as const) {
      expect(outcomes(partner(never), [ruled('CZ', rule)])).toEqual({ '02': 1 });
    }
  });
});

test('noise on several qubits of which one is lost is left out, noise on one acts on those that are left', () => {
  const both: DynamicOperation = {
    kind: 'noise',
    qubits: [0, 1],
    channel: depolarizing(2, 15 / 16)!,
  };
  const own: DynamicOperation = { kind: 'noise', qubits: [1], channel: depolarizing(1, 0.75)! };
  expect(outcomes(circuitOf(2, 2, lost(0, 1), both, measure([0, 1])))).toEqual({ '02': 1 });
  expect(outcomes(circuitOf(2, 2, lost(0, 1), own, measure([0, 1])))).toEqual({
    '02': 0.5,
    '12': 0.5,
  });
});

test('a lost qubit is fully mixed where states are read', () => {
  const circuit = circuitOf(2, 0, ...BELL, lost(0, 1));
  expect(purityOf(exactRun(lowered(circuit, [], true)).density)).toBeCloseTo(0.25, 12);
});

test('the circuit without its losses keeps its other noise', () => {
  const noise: DynamicOperation = { kind: 'noise', qubits: [0], channel: depolarizing(1, 0.1)! };
  const asks = { kind: 'measure', qubits: [0], bits: [0], readsLoss: true } as const;
  const kept = withoutLoss(circuitOf(1, 1, lost(0, 0.1), noise, asks));
  expect(kept.operations).toEqual([noise]);
  expect(hasLoss(kept)).toBe(false);
});

test('a loss is written as the channel that it was read from', () => {
  expect(channelObject(loss(0.1)!)).toEqual({ type: 'loss', probability: 0.1 });
});

describe('a loss that was not lowered is not compiled', () => {
  const circuit = circuitOf(1, 1, lost(0, 0.1), measure([0]));
  const { target } = openReferenceEngine({ maxQubits: 4 });
  test.each([
    ['to stabilizers', () => compileStabilizer(circuit)],
    ['to trajectories', () => compileTrajectories(circuit, target)],
    ['to density matrices', () => compileDensity(circuit, target)],
  ])('%s', (_, compiled) => {
    expect(compiled).toThrow('unreachable: a loss that was not lowered');
  });

  test('and a measurement of it is not sent to a worker', () => {
    const asks = { kind: 'measure', qubits: [0], bits: [0], readsLoss: true } as const;
    expect(() => writeCircuit(circuitOf(1, 1, asks))).toThrow('was not lowered');
  });
});
