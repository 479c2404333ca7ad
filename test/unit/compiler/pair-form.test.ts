import { describe, expect, test } from 'vitest';
import { allOperations, type Circuit, type Operation } from '../../../src/circuit/circuit.ts';
import { DEFAULT_COSTS } from '../../../src/compiler/cost-model.ts';
import { pairForm } from '../../../src/compiler/pair-form.ts';
import { openReferenceEngine } from '../../../src/engine/reference/reference-engine.ts';
import { keepsParity } from '../../../src/math/complex-matrix.ts';
import { countsByLabel, runCircuit } from '../../support/engine-runs.ts';
import { circuitUnitary } from '../../support/kronecker-oracle.ts';
import {
  gate,
  randomDynamicCircuit,
  randomGates,
  randomLoopCircuit,
  randomUnitary,
} from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { seeds, testSeeds } from '../../support/seeds.ts';

const COSTS = {
  ...DEFAULT_COSTS,
  dense: [0, 3.3, 27, 56],
  permutation: 2,
  diagonal: 0.7,
  pair: 3.3,
};
/** Everything that can be rewritten is. */
const EAGER = { ...COSTS, dense: [0, 0.01, 100], permutation: 50, diagonal: 40, pair: 0.01 };

function rewritten(operations: readonly Operation[], costs = COSTS): readonly Operation[] {
  return pairForm({ numQubits: 4, numBits: 0, operations }, costs).operations as Operation[];
}

/** Qubits of each operation, controls included, and whether it is a unitary of this file. */
function shapesOf(operations: readonly Operation[]): readonly string[] {
  return operations.map((operation) => {
    if (operation.kind === 'unitary') return `unitary ${operation.targets.join(' ')}`;
    if (operation.kind !== 'gate') return operation.kind;
    return `${operation.gate} ${[...operation.controls, ...operation.targets].join(' ')}`;
  });
}

const cx = (control: number, target: number) => gate('CX', [target], [control]);
const u = (qubit: number, angle = 0.4) => gate('U', [qubit], [], [angle, 0.3 + angle, 0.7]);
const su4 = (a: number, b: number, angle = 0.4) => [
  ...[u(a, angle), u(b, 2 * angle), cx(a, b)],
  ...[u(a, 3 * angle), u(b, 1.5 * angle), cx(b, a)],
  ...[u(a, 2.5 * angle), u(b, angle), cx(a, b)],
];

function expectSameUnitary(circuit: Circuit, found: Circuit): void {
  const expected = circuitUnitary(circuit);
  for (const [row, entries] of circuitUnitary(found).entries()) {
    for (const [col, [re, im]] of entries.entries()) {
      const [expectedRe, expectedIm] = expected[row]![col]!;
      expect(Math.hypot(re - expectedRe, im - expectedIm)).toBeLessThan(1e-12);
    }
  }
}

describe('pair form', () => {
  test('makes one unitary that keeps parity of a run, between one-qubit unitaries', () => {
    const operations = rewritten(su4(2, 0));
    expect(shapesOf(operations)).toEqual([
      'unitary 2',
      'unitary 0',
      'unitary 2 0',
      'unitary 2',
      'unitary 0',
    ]);
    const middle = operations[2];
    expect(middle?.kind === 'unitary' && keepsParity(middle.matrix)).toBe(true);
  });

  test('gives the one-qubit unitaries after a run to the next run', () => {
    const operations = rewritten([...su4(0, 1), ...su4(2, 3), ...su4(1, 2, 0.7)]);
    const wide = operations.filter(
      (operation) => operation.kind === 'unitary' && operation.targets.length === 2,
    );
    expect(wide).toHaveLength(3);
    // Two before and two after each run, but one each between the first two and the third.
    expect(operations).toHaveLength(3 + 12 - 2);
  });

  test('splits a general unitary, and keeps one that has the form', () => {
    const matrix = randomUnitary(new RandomStream(1), 2);
    const general = { kind: 'unitary', controls: [], targets: [0, 1], matrix } as const;
    expect(rewritten([general])).toHaveLength(5);
    const rxx = gate('RXX', [0, 1], [], [0.3]);
    expect(rewritten([rxx])).toEqual([rxx]);
  });

  test('multiplies rotations of one pair, and finds phases', () => {
    const heisenberg = ['RXX', 'RYY', 'RZZ'].map((name) => gate(name, [0, 1], [], [0.3]));
    expect(shapesOf(rewritten(heisenberg))).toEqual(['unitary 0 1']);
    const twice = [cx(0, 1), gate('RZ', [1], [], [0.2]), cx(0, 1)];
    expect(shapesOf(rewritten(twice))).toEqual(['unitary 0 1']);
    expect(rewritten([cx(0, 1), cx(0, 1)])).toEqual([]);
  });

  test('leaves gates around a run that keeps parity where they are', () => {
    const heisenberg = ['RXX', 'RYY', 'RZZ'].map((name) => gate(name, [0, 1], [], [0.3]));
    const operations = rewritten([gate('X', [0]), ...heisenberg, u(1)]);
    expect(shapesOf(operations)).toEqual(['X 0', 'unitary 0 1', 'U 1']);
  });

  test('leaves cheap gates where they are', () => {
    const chain = [u(0), u(1), u(2), cx(0, 1), cx(1, 2), u(1), cx(0, 1)];
    expect(rewritten(chain)).toEqual(chain);
  });

  test('does not move gates past barriers, measurements and conditions', () => {
    const [first, second] = [su4(0, 1).slice(0, 5), su4(0, 1).slice(5)];
    for (const between of [
      { kind: 'barrier', qubits: [0, 1] },
      { kind: 'measure', qubits: [0, 1], bits: [0, 1] },
      { ...cx(0, 1), condition: { bits: [0], value: 1 } },
    ] as const) {
      const operations = [...first, between, ...second] as readonly Operation[];
      const found = rewritten(operations, EAGER);
      const parts = [rewritten(first, EAGER), [between], rewritten(second, EAGER)];
      expect(shapesOf(found)).toEqual(shapesOf(parts.flat() as readonly Operation[]));
    }
  });

  testSeeds('keeps the unitary of any circuit', seeds(20), (seed) => {
    const stream = new RandomStream(4000 + seed);
    const numQubits = 2 + (seed % 4);
    const operations = randomGates(stream, numQubits, 30, 1);
    const circuit: Circuit = { numQubits, numBits: 0, operations };
    for (const costs of [COSTS, EAGER]) expectSameUnitary(circuit, pairForm(circuit, costs));
  });

  testSeeds('keeps counts with measurements, conditions and loops', seeds(10), async (seed) => {
    const engine = openReferenceEngine({ maxQubits: 4 });
    const stream = new RandomStream(4100 + seed);
    for (const circuit of [randomDynamicCircuit(stream, 4, 4, 30), randomLoopCircuit(stream, 3)]) {
      const found = pairForm(circuit, EAGER);
      expect([...allOperations(found.operations)].length).toBeGreaterThan(0);
      const ask = { shots: 200, seed };
      const { counts } = await runCircuit(engine, found, ask);
      const { counts: expected } = await runCircuit(engine, circuit, ask);
      expect(countsByLabel(counts)).toEqual(countsByLabel(expected));
    }
  });
});
