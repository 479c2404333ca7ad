import { describe, expect, test, vi } from 'vitest';
import type { Circuit, Operation } from '../../../src/circuit/circuit.ts';
import { compile } from '../../../src/compiler/compile.ts';
import { Pacer } from '../../../src/engine/pacer.ts';
import { planRun } from '../../../src/engine/reference/run-plan.ts';
import { ShotTree } from '../../../src/engine/reference/shot-tree.ts';
import { NEVER } from '../../support/engine-runs.ts';
import { profile } from '../../support/profiles.ts';
import { gate } from '../../support/random-circuits.ts';

const NUM_QUBITS = 8;

/** A qubit tilted and measured again and again; shots part unevenly at each of 200 measurements. */
function manyMeasurements(angle: number): Circuit {
  const operations = Array.from({ length: 200 }, (_, i): readonly Operation[] => [
    gate('RY', [0], [], [angle]),
    { kind: 'measure', qubits: [0], bits: [i % 8] },
  ]);
  return { numQubits: NUM_QUBITS, numBits: 8, operations: operations.flat() };
}

describe('the shots of a run', () => {
  test.each([0.3, Math.PI / 2])(
    'need no more states at a time than 1 + log2(shots), when tilted by %f',
    async (angle) => {
      const plan = planRun(
        compile(manyMeasurements(angle), profile(), { optimize: false }).program,
      );
      const shots = 256;
      const lengths: number[] = [];
      const Original = Float64Array;
      vi.stubGlobal(
        'Float64Array',
        new Proxy(Original, {
          construct: (target, args) => {
            if (typeof args[0] === 'number') lengths.push(args[0]);
            return Reflect.construct(target, args);
          },
        }),
      );
      try {
        await new ShotTree(
          plan,
          { shots, seed: 1, maxStates: 99 },
          new Pacer(NEVER, () => {}),
        ).run();
      } finally {
        vi.unstubAllGlobals();
      }
      // Nothing else is that long: no leaf has as many draws.
      const numStates = lengths.filter((length) => length === 2 * 2 ** NUM_QUBITS).length;
      expect(numStates).toBeGreaterThan(1);
      expect(numStates).toBeLessThanOrEqual(1 + Math.log2(shots));
    },
  );

  test('are refused where their states would take more than is allowed', async () => {
    const plan = planRun(compile(manyMeasurements(1), profile(), { optimize: false }).program);
    const run = (maxStates: number) =>
      new ShotTree(plan, { shots: 64, seed: 1, maxStates }, new Pacer(NEVER, () => {})).run();
    await expect(run(1)).rejects.toMatchObject({ code: 'ENGINE_TOO_MANY_BRANCHES' });
    expect((await run(7)).occurrences.reduce((sum, value) => sum + value, 0)).toBe(64);
  });

  test('add up the trips through memory of every branch', async () => {
    const h = { kind: 'gate', gate: 'H', controls: [], targets: [0], angles: [] } as const;
    const measure = { kind: 'measure', qubits: [0], bits: [0] } as const;
    const circuit = { numQubits: 1, numBits: 1, operations: [h, measure, h, measure] };
    const plan = planRun(compile(circuit, profile(), { optimize: false }).program);
    const tree = new ShotTree(
      plan,
      { shots: 64, seed: 1, maxStates: 99 },
      new Pacer(NEVER, () => {}),
    );
    await tree.run();
    // One H for all shots, then one in each of the two branches.
    expect(tree.statePasses).toBe(3);
  });

  test('count as done kernel by kernel, and come to 1', async () => {
    const plan = planRun(compile(manyMeasurements(1), profile(), { optimize: false }).program);
    const tree = new ShotTree(
      plan,
      { shots: 64, seed: 1, maxStates: 99 },
      new Pacer(NEVER, () => {}),
    );
    expect(tree.fractionDone).toBe(0);
    await tree.run();
    expect(tree.fractionDone).toBeCloseTo(1, 10);
  });
});
