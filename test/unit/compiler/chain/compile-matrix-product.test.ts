import { expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../../src/circuit/circuit.ts';
import type { Channel } from '../../../../src/circuit/noise/channel.ts';
import {
  compileMatrixProduct,
  compileMatrixProductTrajectories,
} from '../../../../src/compiler/chain/compile-matrix-product.ts';
import type { MatrixProductProgram } from '../../../../src/compiler/program.ts';
import { gate } from '../../../support/random-circuits.ts';

const qubitsOf = (count: number) => Array.from({ length: count }, (_, q) => q);

/** A circuit on qubits that are in superposition first, since gates on |0⟩ are simplified. */
function circuitOf(numQubits: number, operations: readonly Operation[]): Circuit {
  const tilts = qubitsOf(numQubits).map((q) => gate('RY', [q], [], [0.4 + q]));
  return { numQubits, numBits: numQubits, operations: [...tilts, ...operations] };
}

function gatesOf({ steps }: MatrixProductProgram) {
  return steps.flatMap((step) =>
    step.kind === 'sweep'
      ? step.kernels.map(({ targets }) => ({ site: targets.at(-1)!, numSites: targets.length }))
      : [],
  );
}

test('places the highest qubit first, so that counts follow the order of basis indices', () => {
  const { finalLayout } = compileMatrixProduct(circuitOf(4, [gate('CX', [1], [0])]));
  expect(finalLayout).toEqual([3, 2, 1, 0]);
});

test('fuses gates on one qubit, and on the same pair, into one', () => {
  const { steps } = compileMatrixProduct(
    circuitOf(2, [
      gate('H', [0]),
      gate('CX', [1], [0]),
      gate('RZ', [1], [], [0.3]),
      gate('CX', [1], [0]),
      gate('RX', [0], [], [0.2]),
    ]),
  );
  expect(steps).toMatchObject([{ kind: 'sweep', kernels: [{ targets: [1, 0] }] }]);
});

test('drops gates that cancel, and then those around them', () => {
  const gates = [gate('CX', [1], [0]), gate('CRY', [2], [1], [0.8])];
  const [cx, cry] = [gates[0]!, gates[1]!];
  const back = gate('CRY', [2], [1], [-0.8]);
  const program = compileMatrixProduct(
    circuitOf(3, [cx, cry, gate('H', [2]), cx, cx, gate('H', [2]), back, cx]),
  );
  expect(gatesOf(program).map(({ numSites }) => numSites)).toEqual([1, 1, 1]);
});

test('does not take qubits back that swaps have brought together', () => {
  const far = gate('RZZ', [0, 9], [], [0.4]);
  const program = compileMatrixProduct(
    circuitOf(10, [...qubitsOf(9).map((q) => gate('CX', [q + 1], [q])), far, far, far]),
  );
  const sites = [program.finalLayout[0]!, program.finalLayout[9]!];
  expect(Math.abs(sites[0]! - sites[1]!)).toBe(1);
  // Nine for the chain, at most eight swaps, and one for the three gates together.
  expect(gatesOf(program).length).toBeLessThanOrEqual(18);
});

test('orders the qubits so that gates act on neighbours, if the numbers are shuffled', () => {
  const path = [3, 0, 5, 1, 4, 2];
  const operations = path.slice(1).map((q, i) => gate('CX', [q], [path[i]!]));
  const program = compileMatrixProduct(circuitOf(6, operations));
  expect(gatesOf(program)).toHaveLength(5);
});

test('goes through a brickwork of gates without moving the centre far', () => {
  const layers = qubitsOf(10).flatMap((layer) =>
    qubitsOf(99)
      .filter((q) => q % 2 === layer % 2)
      .map((q) => gate('RXX', [q, q + 1], [], [0.1 + q + layer])),
  );
  const gates = gatesOf(compileMatrixProduct(circuitOf(100, layers)));
  const moved = gates.slice(1).map(({ site }, i) => Math.abs(site - gates[i]!.site));
  const sum = moved.reduce((total, distance) => total + distance, 0);
  expect(gates).toHaveLength(layers.length);
  // Layer by layer it would be 990.
  expect(sum).toBeLessThan(1100);
  expect(Math.max(...moved)).toBeLessThan(25);
});

test('ends a round of a loop with every qubit where it began', () => {
  const body = [gate('CX', [5], [0]), gate('CX', [3], [1])];
  const program = compileMatrixProduct({
    numQubits: 6,
    numBits: 1,
    control: { numScratchBits: 0, maxRounds: 10 },
    operations: [
      ...qubitsOf(6).map((q) => gate('H', [q])),
      // Often enough for the order of the qubits to follow them.
      ...qubitsOf(25).map((i) => gate('CX', [(i % 5) + 1], [i % 5])),
      { kind: 'while', condition: { bits: [0], value: 1 }, body },
      { kind: 'measure', qubits: [0], bits: [0] },
    ],
  });
  const { steps } = program;
  const head = steps.findIndex(({ kind }) => kind === 'loop');
  expect(steps[head]).toMatchObject({ kind: 'loop', end: steps.length });
  expect(steps.at(-1)).toEqual({ kind: 'again', head });
  expect(program.finalLayout).toEqual([5, 4, 3, 2, 1, 0]);
});

test('has limits on bonds, which a request may change', () => {
  const circuit = circuitOf(2, [gate('H', [0])]);
  expect(compileMatrixProduct(circuit)).toMatchObject({
    maxBondDimension: 256,
    truncationThreshold: 1e-12,
  });
  expect(compileMatrixProduct(circuit, { maxBondDimension: 8 })).toMatchObject({
    maxBondDimension: 8,
    truncationThreshold: 1e-12,
  });
});

test('drops gates whose control is still |0⟩', () => {
  const gates = qubitsOf(5).map((q) => gate('CP', [q + 1], [0], [1]));
  const circuit = { numQubits: 6, numBits: 0, operations: [gate('H', [0]), ...gates] };
  expect(gatesOf(compileMatrixProduct(circuit))).toMatchObject([{ numSites: 1 }]);
});

/** Kraus matrices of a controlled phase flip on three qubits, with probability 1/4. */
function onThreeQubits(): Channel {
  const [plain, flipped] = [0.75, 0.25].map((probability) => {
    const matrix = new Float64Array(128);
    for (let i = 0; i < 8; i++) matrix[18 * i] = Math.sqrt(probability);
    return matrix;
  });
  flipped![126] = -flipped![126]!;
  return { kind: 'kraus', numQubits: 3, matrices: [plain!, flipped!] };
}

test('refuses channels on three qubits that are more than rare Pauli errors', () => {
  const often = { flips: 7, signs: 0, probability: 0.6 };
  const channels: readonly Channel[] = [
    onThreeQubits(),
    { kind: 'pauli', numQubits: 3, errors: [often] },
  ];
  for (const channel of channels) {
    const operations = [{ kind: 'noise', qubits: [0, 1, 2], channel } as const];
    const noisy = { numQubits: 3, numBits: 1, operations };
    expect(() => compileMatrixProductTrajectories(noisy)).toThrow(
      expect.objectContaining({ code: 'COMPILER_MATRIX_PRODUCT_NOISE' }),
    );
  }
});
