import { describe, expect, test, vi } from 'vitest';
import type { Circuit, Operation } from '../../../src/circuit/circuit.ts';
import type { ReferenceStates } from '../../../src/engine/reference/reference-states.ts';
import { gate } from '../../support/random-circuits.ts';
import { shotTreeOf } from '../../support/shot-trees.ts';

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
        await shotTreeOf(manyMeasurements(angle), { shots, maxStates: 99 }).run();
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
    const run = (maxStates: number) =>
      shotTreeOf(manyMeasurements(1), { shots: 64, maxStates }).run();
    await expect(run(1)).rejects.toMatchObject({ code: 'ENGINE_TOO_MANY_BRANCHES' });
    expect((await run(7)).occurrences.reduce((sum, value) => sum + value, 0)).toBe(64);
  });

  test('add up the trips through memory of every branch', async () => {
    const h = { kind: 'gate', gate: 'H', controls: [], targets: [0], angles: [] } as const;
    const measure = { kind: 'measure', qubits: [0], bits: [0] } as const;
    const circuit = { numQubits: 1, numBits: 1, operations: [h, measure, h, measure] };
    const tree = shotTreeOf(circuit, { shots: 64, maxStates: 99 });
    await tree.run();
    // One H for all shots, then one in each of the two branches.
    expect(tree.statePasses).toBe(3);
  });

  test('count as done kernel by kernel, and come to 1', async () => {
    const tree = shotTreeOf(manyMeasurements(1), { shots: 64, maxStates: 99 });
    expect(tree.fractionDone).toBe(0);
    await tree.run();
    expect(tree.fractionDone).toBeCloseTo(1, 10);
  });

  describe('release every state once', () => {
    /** The states made and not yet released, and what was released in vain. */
    function watcher() {
      const held = new Set<Float64Array>();
      let mostHeld = 0;
      let strangers = 0;
      const hold = (state: Float64Array) => {
        held.add(state);
        mostHeld = Math.max(mostHeld, held.size);
        return state;
      };
      const watch = (states: ReferenceStates) => {
        const { create, copy, release } = states;
        states.create = () => hold(create.call(states));
        states.copy = (state) => hold(copy.call(states, state));
        states.release = (state) => {
          if (!held.delete(state)) strangers++;
          release.call(states, state);
        };
        return states;
      };
      const tally = () => ({ numHeld: held.size, strangers });
      return { watch, tally, mostHeld: () => mostHeld };
    }

    test('when all went well', async () => {
      const { watch, tally, mostHeld } = watcher();
      await shotTreeOf(manyMeasurements(1), { shots: 64, maxStates: 99, watch }).run();
      expect(mostHeld()).toBeGreaterThan(2);
      expect(tally()).toEqual({ numHeld: 0, strangers: 0 });
    });

    test('when there are too many of them', async () => {
      const { watch, tally, mostHeld } = watcher();
      const tree = shotTreeOf(manyMeasurements(1), { shots: 64, maxStates: 3, watch });
      await expect(tree.run()).rejects.toMatchObject({ code: 'ENGINE_TOO_MANY_BRANCHES' });
      expect(mostHeld()).toBe(3);
      expect(tally()).toEqual({ numHeld: 0, strangers: 0 });
    });

    test('when the engine fails in the middle', async () => {
      const { watch, tally } = watcher();
      const failing = (states: ReferenceStates) => {
        const watched = watch(states);
        let numCollapsed = 0;
        const { collapse } = watched;
        watched.collapse = (...args) => {
          numCollapsed++;
          return numCollapsed === 9
            ? Promise.reject(new Error('device lost'))
            : collapse.apply(watched, args);
        };
        return watched;
      };
      const tree = shotTreeOf(manyMeasurements(1), { shots: 64, maxStates: 99, watch: failing });
      await expect(tree.run()).rejects.toThrow('device lost');
      expect(tally()).toEqual({ numHeld: 0, strangers: 0 });
    });
  });
});
