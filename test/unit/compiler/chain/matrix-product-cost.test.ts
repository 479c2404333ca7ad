import { afterAll, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../../src/circuit/circuit.ts';
import { compileMatrixProduct } from '../../../../src/compiler/chain/compile-matrix-product.ts';
import { chainCost } from '../../../../src/compiler/chain/matrix-product-cost.ts';
import { openCpuEngine } from '../../../../src/engine/cpu/cpu-engine.ts';
import { NEVER } from '../../../support/engine-runs.ts';
import { gate, randomGates, randomUnitary } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { seeds, testSeeds } from '../../../support/seeds.ts';

const qubitsOf = (count: number) => Array.from({ length: count }, (_, q) => q);

function measured(numQubits: number, operations: readonly Operation[]): Circuit {
  const all = qubitsOf(numQubits);
  const last: Operation = { kind: 'measure', qubits: all, bits: all };
  return { numQubits, numBits: numQubits, operations: [...operations, last] };
}

function brickwork(numQubits: number, numLayers: number): Circuit {
  const stream = new RandomStream(numQubits);
  const operations = qubitsOf(numLayers).flatMap((layer) =>
    qubitsOf(numQubits - 1)
      .filter((q) => q % 2 === layer % 2)
      .map((q): Operation => {
        const matrix = randomUnitary(stream, 2);
        return { kind: 'unitary', controls: [], targets: [q, q + 1], matrix };
      }),
  );
  return measured(numQubits, operations);
}

const engines: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

async function largestBondOf(circuit: Circuit, memoryBytes?: number): Promise<number> {
  const limit = memoryBytes === undefined ? {} : { memoryBytes };
  const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 20, ...limit });
  engines.push(engine);
  await using executable = await engine.prepare.matrix_product_state!(
    compileMatrixProduct(circuit),
  );
  const { largestBond } = await executable.run({ shots: 5000, seed: 1 }, NEVER);
  return largestBond!;
}

test('bounds the bonds of a GHZ state by 2', () => {
  const chain = qubitsOf(99).map((q) => gate('CX', [q + 1], [q]));
  const cost = chainCost(compileMatrixProduct(measured(100, [gate('H', [0]), ...chain])));
  expect(cost).toMatchObject({ largestBond: 2, bondBound: 2, mayTruncate: false });
});

test('bounds the bonds of a QAOA ring by 4, its long gate included', () => {
  const ring = qubitsOf(60).map((q) => gate('RZZ', [q, (q + 1) % 60], [], [0.7]));
  const cost = chainCost(
    compileMatrixProduct(measured(60, [...qubitsOf(60).map((q) => gate('H', [q])), ...ring])),
  );
  expect(cost).toMatchObject({ largestBond: 4, bondBound: 4, mayTruncate: false });
});

test('bounds bonds by the gates across a cut, however often qubits were swapped', () => {
  // Eight controlled phases from qubit 0 to all others: one qubit on one side.
  const star = qubitsOf(8).map((q) => gate('CP', [q + 1], [0], [1]));
  const plus = qubitsOf(9).map((q) => gate('H', [q]));
  const { bondBound } = chainCost(compileMatrixProduct(measured(9, [...plus, ...star, ...star])));
  expect(bondBound).toBeLessThanOrEqual(2 ** 4);
});

test('says that the limit of bonds may truncate a deep circuit, and that it need not', () => {
  expect(chainCost(compileMatrixProduct(brickwork(60, 40))).mayTruncate).toBe(true);
  expect(chainCost(compileMatrixProduct(brickwork(60, 6))).mayTruncate).toBe(false);
  expect(chainCost(compileMatrixProduct(brickwork(12, 40))).mayTruncate).toBe(false);
});

test('expects narrow bonds of gates that entangle little', () => {
  const step = (q: number) => gate('RZZ', [q, q + 1], [], [0.02]);
  const fields = qubitsOf(50).map((q) => gate('RX', [q], [], [0.02]));
  const steps = qubitsOf(10).flatMap(() => [...qubitsOf(49).map(step), ...fields]);
  const { largestBond, bondBound } = chainCost(compileMatrixProduct(measured(50, steps)));
  expect(largestBond).toBeLessThan(4);
  expect(bondBound).toBeGreaterThan(500);
});

testSeeds('bounds the bonds that runs have', seeds(8), async (seed) => {
  const numQubits = 6 + seed;
  const circuit = measured(numQubits, randomGates(new RandomStream(seed), numQubits, 12, 2));
  const { bondBound } = chainCost(compileMatrixProduct(circuit));
  expect(await largestBondOf(circuit)).toBeLessThanOrEqual(bondBound);
});

test.each([
  ['wide bonds', brickwork(13, 14)],
  ['many sites', brickwork(200, 4)],
])('states memory that a run fits in: %s', async (_, circuit) => {
  const { most } = chainCost(compileMatrixProduct(circuit));
  const bytes = most.stateBytes + most.otherBytes;
  expect(await largestBondOf(circuit, bytes)).toBeGreaterThan(3);
  await expect(largestBondOf(circuit, bytes / 20)).rejects.toMatchObject({
    code: 'ENGINE_STATE_MEMORY',
  });
});
