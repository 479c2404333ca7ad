/** A shape with angles put in gives the results of the circuit with these angles, on every target. */
import { describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../src/circuit/circuit.ts';
import { DEFAULT_COSTS } from '../../src/compiler/cost-model.ts';
import { angleKinds } from '../../src/compiler/parametric.ts';
import type { TargetProfile } from '../../src/compiler/program.ts';
import { anglesOf, compileShape } from '../../src/compiler/shape.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { countsByLabel, runProgram, worstAmplitude } from '../support/engine-runs.ts';
import { profile, TINY_TILE } from '../support/profiles.ts';
import { gate, randomDynamicCircuit, randomGates } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { redundantGates } from '../support/redundant-circuits.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { withValues } from '../support/shaped-programs.ts';
import { exactOutcomes, finalAmplitudes } from '../support/state-oracle.ts';

const engine = openReferenceEngine({ maxQubits: 8 });
const NUM_QUBITS = 4;
const SEEDS = seeds(20);
const TARGETS: readonly [string, TargetProfile][] = [
  ['a tile of three qubits', TINY_TILE],
  ['a tile larger than the circuit', profile()],
  ['an engine that rotates pairs', { ...TINY_TILE, costs: { ...DEFAULT_COSTS, pair: 2 } }],
];

/** Many gates on few pairs, with parameters between Clifford gates, as ansatz circuits have them. */
function ansatzGates(stream: RandomStream): readonly Operation[] {
  const operations: Operation[] = [];
  for (let i = 0; i < 12; i++) {
    const [a, b] = stream.distinct(2, NUM_QUBITS) as [number, number];
    const pauli = ['RXX', 'RYY', 'RZZ'][stream.below(3)]!;
    const one = ['RX', 'RY', 'RZ', 'P'][stream.below(4)]!;
    const clifford = ['H', 'S', 'SX', 'X'][stream.below(4)]!;
    const evolution = [
      gate('CX', [b], [a]),
      gate('RZ', [b], [], [stream.angle()]),
      gate('CX', [b], [a]),
    ];
    const pair = [gate(pauli, [a, b], [], [stream.angle()]), gate(pauli, [b, a], [], [0.5])];
    operations.push(
      gate(clifford, [a]),
      ...(stream.below(2) === 0 ? evolution : pair),
      gate(one, [stream.below(2) === 0 ? a : b], [], [stream.angle()]),
    );
  }
  return operations;
}

function circuitOf(seed: number): Circuit {
  const stream = new RandomStream(4400 + seed);
  const gates = [
    () => randomGates(stream, NUM_QUBITS, 30, 2),
    () => redundantGates(stream, NUM_QUBITS, 40),
    () => ansatzGates(stream),
    () => [...ansatzGates(stream), ...randomGates(stream, NUM_QUBITS, 10, 2)],
  ][seed % 4]!();
  const measured = stream.distinct(1 + stream.below(NUM_QUBITS), NUM_QUBITS);
  const bits = measured.map((_, i) => i);
  const measurement: Operation = { kind: 'measure', qubits: measured, bits };
  return { numQubits: NUM_QUBITS, numBits: bits.length, operations: [...gates, measurement] };
}

/** Its own angles; others, special ones among them; and special ones alone. */
function valuesToTry(stream: RandomStream, own: readonly number[]): readonly (readonly number[])[] {
  const special = [0, Math.PI, -Math.PI, Math.PI / 2, Math.PI - 1e-9, 2 * Math.PI, 0.3, 0.3];
  const some = () => special[stream.below(special.length)]!;
  return [
    own,
    own.map(() => stream.angle()),
    own.map(() => (stream.below(3) === 0 ? some() : stream.angle())),
    own.map(some),
  ];
}

describe.each(TARGETS)('for %s', (_, target) => {
  const ofAll = { bound: 0, tried: 0 };

  testSeeds('shapes keep the states', SEEDS, async (seed) => {
    const circuit = circuitOf(seed);
    const { slots, values: own } = angleKinds(anglesOf(circuit));
    const shape = compileShape(circuit, { slots }, target);
    for (const values of valuesToTry(new RandomStream(seed), own)) {
      const program = shape.bind(values);
      ofAll.tried++;
      if (program === undefined) continue;
      ofAll.bound++;
      const { statevector } = await runProgram(engine, program, { statevector: true });
      const exact = finalAmplitudes(withValues(circuit, slots, values));
      expect(worstAmplitude(statevector!, exact)).toBeLessThan(1e-12);
    }
  });

  test('almost no angles need a program of another form', () => {
    expect(ofAll.bound).toBeGreaterThan(0.95 * ofAll.tried);
  });

  testSeeds('shapes keep the distributions for counts alone', SEEDS, async (seed) => {
    const circuit = circuitOf(seed);
    const { slots, values: own } = angleKinds(anglesOf(circuit));
    const shape = compileShape(circuit, { slots }, target, { keepState: false });
    for (const values of valuesToTry(new RandomStream(seed), own)) {
      const program = shape.bind(values);
      if (program === undefined) continue;
      const { probabilities } = await runProgram(engine, program, { probabilities: true });
      const exact = exactOutcomes(withValues(circuit, slots, values));
      for (const [value, probability] of probabilities!.entries()) {
        const label = value.toString(2).padStart(circuit.numBits, '0');
        expect(Math.abs(probability - (exact.get(label) ?? 0))).toBeLessThan(1e-12);
      }
    }
  });
});

test('parts of canonical forms that are equal at the angles of a shape may differ at others', async () => {
  const operations = [
    gate('RX', [1], [], [-4.97802389127849]),
    gate('CRX', [1], [0], [0.7]),
    gate('CRX', [2], [0], [0.3]),
    gate('RZZ', [2, 1], [], [1.1]),
    gate('RY', [1], [], [5.569180979392131]),
    gate('CX', [1], [2]),
    gate('RX', [1], [], [3.1]),
    gate('U', [2], [], [-2.398272263390507, -3.300702769435152, 3.15]),
    gate('RX', [0], [], [3.1]),
    gate('RY', [2], [], [1.098992041570612]),
    gate('RYY', [0, 1], [], [0.31178930018746953]),
    gate('H', [0]),
    gate('RXX', [1, 0], [], [0.6693554685580889]),
    gate('RY', [0], [], [0.3]),
  ];
  const circuit: Circuit = { numQubits: 3, numBits: 0, operations };
  const { slots, values } = angleKinds(anglesOf(circuit));
  const costs = { dense: [0, 3.3, 27, 56], pair: 3.3, diagonal: 0.7, permutation: 2, kernel: 0.1 };
  const program = compileShape(circuit, { slots }, profile({ costs })).bind(values);
  const { statevector } = await runProgram(engine, program!, { statevector: true });
  expect(worstAmplitude(statevector!, finalAmplitudes(circuit))).toBeLessThan(1e-12);
});

testSeeds('a shape gives the same program whatever it was bound to before', SEEDS, (seed) => {
  const circuit = circuitOf(seed);
  const { slots, values: own } = angleKinds(anglesOf(circuit));
  const all = valuesToTry(new RandomStream(seed), own);
  const alone = all.map((values) => compileShape(circuit, { slots }, TINY_TILE).bind(values)?.hash);
  const shape = compileShape(circuit, { slots }, TINY_TILE);
  const inTurn = all.map((values) => shape.bind(values)?.hash);
  const backwards = all.toReversed().map((values) => shape.bind(values)?.hash);
  expect(inTurn).toEqual(alone);
  expect(backwards.toReversed()).toEqual(alone);
});

testSeeds(
  'shapes with measurements and conditions keep the counts of a seed',
  SEEDS,
  async (seed) => {
    const circuit = randomDynamicCircuit(new RandomStream(4500 + seed), 4, 4, 25);
    const { slots, values } = angleKinds(anglesOf(circuit));
    const countsOn = async (target: TargetProfile) => {
      const program = compileShape(circuit, { slots }, target, { keepState: false }).bind(values);
      return countsByLabel((await runProgram(engine, program!, { shots: 200, seed })).counts);
    };
    const [first, ...others] = await Promise.all(TARGETS.map(([, target]) => countsOn(target)));
    for (const other of others) expect(other).toEqual(first);
  },
);
