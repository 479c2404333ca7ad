import { afterAll, describe, expect, test } from 'vitest';
import type { Circuit } from '../../../../src/circuit/circuit.ts';
import { compile } from '../../../../src/compiler/compile.ts';
import type { Kernel, Program } from '../../../../src/compiler/program.ts';
import { openCpuEngine } from '../../../../src/engine/cpu/cpu-engine.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { openReferenceEngine } from '../../../../src/engine/reference/reference-engine.ts';
import { type ComplexMatrix, keepsParity, multiply } from '../../../../src/math/complex-matrix.ts';
import { canonicalGate } from '../../../support/canonical-gate.ts';
import { worstAmplitude } from '../../../support/engine-runs.ts';
import { randomPair, randomUnitary } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';

/** One more than a tile of 8, so that a control may lie outside. */
const NUM_QUBITS = 9;
const TOLERANCE = { f32: 1e-6, f64: 1e-13 } as const;
const ENGINES = (['f32', 'f64'] as const).map((precision) =>
  openCpuEngine({ precision, numThreads: 1, maxQubits: NUM_QUBITS, tileQubits: 8 }),
);
const REFERENCE = openReferenceEngine({ maxQubits: NUM_QUBITS });
afterAll(() => Promise.all([...ENGINES, REFERENCE].map((engine) => engine.close())));

interface Gate {
  readonly matrix: ComplexMatrix;
  readonly targets: readonly number[];
  readonly controls?: readonly number[];
}

/** A program with one sweep that applies the gates one by one, after random gates on all qubits. */
function programOf(gates: readonly Gate[], stream: RandomStream): Program {
  const all = Array.from({ length: NUM_QUBITS }, (_, qubit) => qubit);
  const start = all.slice(0, 8).map((q) => ({ matrix: randomUnitary(stream, 1), targets: [q] }));
  const last = { matrix: randomUnitary(stream, 1), targets: [8] };
  const matrices: number[] = [];
  const kernels = (of: readonly Gate[]) =>
    of.map(({ matrix, targets, controls = [] }): Kernel => {
      const offset = matrices.length / 2;
      for (const x of matrix) matrices.push(x);
      return { kind: 'dense', targets, controls, offset };
    });
  const tile = all.slice(0, 8);
  const steps = [
    { kind: 'sweep', resident: tile, kernels: kernels(start) },
    { kind: 'sweep', resident: all.filter((q) => q !== 7), kernels: kernels([last]) },
    { kind: 'sweep', resident: tile, kernels: kernels(gates) },
  ] as const;
  return {
    hash: `pairs ${matrices.length} ${matrices[0]}`,
    numQubits: NUM_QUBITS,
    numBits: 0,
    steps,
    matrices: Float64Array.from(matrices),
    finalLayout: all,
  };
}

async function stateOf(engine: Engine, program: Program): Promise<Float64Array> {
  await using executable = await engine.prepare.statevector(program);
  const request = { shots: 0, seed: 1, statevector: true };
  const { statevector } = await executable.run(request, new AbortController().signal);
  return statevector!;
}

async function expectSame(gates: readonly Gate[], stream: RandomStream): Promise<void> {
  const program = programOf(gates, stream);
  const expected = await stateOf(REFERENCE, program);
  for (const engine of ENGINES) {
    const found = await stateOf(engine, program);
    expect(worstAmplitude(found, expected)).toBeLessThan(TOLERANCE[engine.target.precision]);
  }
}

const PLACEMENTS = [
  [0, 1],
  [1, 0],
  [0, 4],
  [4, 0],
  [1, 7],
  [7, 1],
  [2, 3],
  [6, 2],
] as const;

describe('a pair rotation', () => {
  test.each(PLACEMENTS)('on qubits %i and %i has the matrix of its kernel', async (low, high) => {
    const stream = new RandomStream(100 + 10 * low + high);
    const targets = [low, high];
    const others = [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((qubit) => qubit !== low && qubit !== high);
    for (let i = 0; i < 4; i++) {
      await expectSame([{ matrix: randomPair(stream), targets }], stream);
      const angles = [0, 1, 2].map(() => 6 * stream.uniform() - 3) as [number, number, number];
      await expectSame([{ matrix: canonicalGate(angles), targets }], stream);
      for (const control of others) {
        const gate = { matrix: randomPair(stream), targets, controls: [control] };
        const turn = { matrix: canonicalGate(angles), targets, controls: [control] };
        await expectSame([gate, turn], stream);
      }
    }
  });

  test('goes together with others on disjoint pairs, which may rotate one parity only', async () => {
    const stream = new RandomStream(7);
    for (let i = 0; i < 40; i++) {
      const order = stream.distinct(8, 8);
      const gates = [0, 2, 4, 6].flatMap((at) => {
        const targets = order.slice(at, at + 2);
        const [a, b, c] = [0, 1, 2].map(() => 6 * stream.uniform() - 3) as [number, number, number];
        const matrix = stream.pick([
          () => canonicalGate([a, b, c]),
          () => canonicalGate([a, a, c]),
          () => canonicalGate([a, -a, c]),
          () => randomPair(stream),
        ])();
        return stream.below(4) === 0 ? [] : [{ matrix, targets }];
      });
      await expectSame([...gates, ...gates], stream);
    }
  });

  const EIGHTH = Math.PI / 4;
  test.each([
    [0.3, 0.3, 0.2],
    [0.3, -0.3, -0.2],
    [EIGHTH, EIGHTH, 0],
    [EIGHTH, EIGHTH, EIGHTH],
    [EIGHTH, 0, 0],
    [-EIGHTH, 0.1, 0],
    [0, EIGHTH, 0.1],
    [0, 0, 0.4],
    [2 * EIGHTH, 0, 0.4],
    [EIGHTH - 1e-9, EIGHTH + 1e-9, 0.4],
    [EIGHTH + 0.004, EIGHTH, 0.4],
    [1e-12, 1e-9, 1e-7],
    [1e-3, 0, 0],
    [-3, 2, -1],
  ] as const)('of coordinates %f, %f, %f has its matrix', async (...angles) => {
    const stream = new RandomStream(3);
    const exact = canonicalGate(angles);
    const matrix = exact.map((x) => (Math.abs(x) < 1e-16 ? 0 : x));
    for (const targets of PLACEMENTS) {
      await expectSame([{ matrix, targets }], stream);
      await expectSame([{ matrix: multiply(matrix, randomPair(stream)), targets }], stream);
    }
  });

  test('takes the place of general blocks in compiled circuits', async () => {
    const stream = new RandomStream(11);
    const operations = Array.from({ length: 24 }, () => {
      const targets = stream.distinct(2, NUM_QUBITS);
      return { kind: 'unitary', controls: [], targets, matrix: randomUnitary(stream, 2) } as const;
    });
    const circuit: Circuit = { numQubits: NUM_QUBITS, numBits: 0, operations };
    const expected = await stateOf(REFERENCE, compile(circuit, REFERENCE.target).program);
    for (const engine of ENGINES) {
      const { program } = compile(circuit, engine.target);
      const wide = program.steps.flatMap((step) =>
        step.kind === 'sweep' ? step.kernels.filter(({ targets }) => targets.length === 2) : [],
      );
      for (const kernel of wide) {
        if (kernel.kind !== 'dense') continue;
        expect(keepsParity(program.matrices, 2 * kernel.offset)).toBe(true);
      }
      const found = await stateOf(engine, program);
      expect(worstAmplitude(found, expected)).toBeLessThan(TOLERANCE[engine.target.precision]);
    }
  });
});
