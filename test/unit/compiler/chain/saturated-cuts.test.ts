/** The bound that holds for every order of a chain, beside the figures of circuits that are compiled. */
import { expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../../src/circuit/circuit.ts';
import { compileMatrixProduct } from '../../../../src/compiler/chain/compile-matrix-product.ts';
import { chainCost } from '../../../../src/compiler/chain/matrix-product-cost.ts';
import { saturatesEveryCut } from '../../../../src/compiler/chain/saturated-cuts.ts';
import { adjoint } from '../../../../src/math/complex-matrix.ts';
import { gate, randomUnitary } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { seeds, testSeeds } from '../../../support/seeds.ts';

const qubitsOf = (count: number) => Array.from({ length: count }, (_, q) => q);
const circuitOf = (numQubits: number, operations: readonly Operation[]): Circuit => ({
  numQubits,
  numBits: 0,
  operations: [...qubitsOf(numQubits).map((q) => gate('H', [q])), ...operations],
});

type Pair = (a: number, b: number, stream: RandomStream) => Operation;
const PAIRS: readonly Pair[] = [
  (a, b) => gate('X', [b], [a]),
  (a, b) => gate('Z', [b], [a]),
  (a, b) => gate('SWAP', [a, b]),
  (a, b, stream) => gate('RZZ', [a, b], [], [stream.angle()]),
  (a, b, stream) => gate('P', [b], [a], [stream.angle() / 40]),
  (a, b, stream) => unitary(a, b, randomUnitary(stream, 2)),
];

function unitary(a: number, b: number, matrix: Float64Array): Operation {
  return { kind: 'unitary', controls: [], targets: [a, b], matrix };
}

/** Layers of gates on random pairs, with rotations between some of them. */
function layersOf(
  stream: RandomStream,
  numQubits: number,
  numLayers: number,
  pairs: readonly Pair[],
): readonly Operation[] {
  return qubitsOf(numLayers).flatMap(() => {
    const order = stream.shuffled(qubitsOf(numQubits));
    const gates = qubitsOf(Math.floor(numQubits / 2)).map((i) =>
      stream.pick(pairs)(order[2 * i]!, order[2 * i + 1]!, stream),
    );
    const turned = stream.below(2) === 0 ? qubitsOf(numQubits) : [];
    return [...gates, ...turned.map((q) => gate('RY', [q], [], [stream.angle()]))];
  });
}

function inverseOf(operations: readonly Operation[]): readonly Operation[] {
  return operations.toReversed().map((operation) => {
    if (operation.kind === 'unitary') return { ...operation, matrix: adjoint(operation.matrix) };
    if (operation.kind !== 'gate') throw new Error('unreachable: gates alone');
    return { ...operation, angles: operation.angles.map((angle) => -angle) };
  });
}

testSeeds('says of no circuit what compiling it does not', seeds(200), (seed) => {
  const stream = new RandomStream(seed);
  const numQubits = 10 + stream.below(12);
  const pairs = [stream.pick(PAIRS), stream.pick(PAIRS)];
  const forth = layersOf(stream, numQubits, 2 + stream.below(14), pairs);
  const back = stream.below(3) === 0 ? inverseOf(forth) : [];
  const part = back.slice(0, stream.below(back.length + 1));
  const circuit = circuitOf(numQubits, [...forth, ...part]);
  if (!saturatesEveryCut(circuit)) return;
  const limit = 2 ** (Math.floor(numQubits / 2) - 1);
  const cost = chainCost(compileMatrixProduct(circuit, { maxBondDimension: limit }));
  expect(cost.bondBound).toBe(2 ** Math.floor(numQubits / 2));
  expect(cost.largestBond).toBeGreaterThan(limit / 4);
});

test('knows that eight layers of controlled gates on random pairs of 60 qubits entangle all', () => {
  const layers = layersOf(new RandomStream(1), 60, 8, [PAIRS[0]!]);
  expect(saturatesEveryCut(circuitOf(60, layers))).toBe(true);
});

test.each([0, 1, 5])(
  'knows that a circuit and its inverse entangle nothing, for pairs of kind %i',
  (kind) => {
    const layers = layersOf(new RandomStream(2), 20, 20, [PAIRS[kind]!]);
    expect(saturatesEveryCut(circuitOf(20, layers))).toBe(true);
    expect(saturatesEveryCut(circuitOf(20, [...layers, ...inverseOf(layers)]))).toBe(false);
  },
);

test('counts no gate whose inverse comes after gates that commute with it', () => {
  const stream = new RandomStream(3);
  const diagonal = qubitsOf(400).map(() => {
    const [a = 0, b = 1] = stream.distinct(2, 20);
    return gate('Z', [b], [a]);
  });
  expect(saturatesEveryCut(circuitOf(20, [...diagonal, ...diagonal]))).toBe(false);
});

test('follows qubits that change places', () => {
  const stream = new RandomStream(4);
  const swaps = layersOf(stream, 20, 40, [PAIRS[2]!]);
  expect(saturatesEveryCut(circuitOf(20, swaps))).toBe(false);
});

test('does not say that gates on neighbours, on qubits in the state 0, or under conditions entangle all', () => {
  const bonds = qubitsOf(19).map((q) => gate('X', [q + 1], [q]));
  const steps = qubitsOf(40).flatMap(() => [...bonds, ...qubitsOf(20).map((q) => gate('T', [q]))]);
  expect(saturatesEveryCut(circuitOf(20, steps))).toBe(false);
  const layers = layersOf(new RandomStream(5), 20, 20, [PAIRS[1]!]);
  const onZero = {
    numQubits: 20,
    numBits: 0,
    operations: layers.filter((o) => 'controls' in o && o.controls.length > 0),
  };
  expect(saturatesEveryCut(onZero)).toBe(false);
  const conditional = layers.map(
    (operation) => ({ ...operation, condition: { bits: [0], value: 1 } }) as Operation,
  );
  expect(saturatesEveryCut({ ...circuitOf(20, conditional), numBits: 1 })).toBe(false);
});
