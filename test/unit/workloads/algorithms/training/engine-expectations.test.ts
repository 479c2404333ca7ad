import { afterAll, describe, expect, test } from 'vitest';
import type { Circuit } from '../../../../../src/circuit/circuit.ts';
import { openCpuEngine } from '../../../../../src/engine/cpu/cpu-engine.ts';
import { engineExpectations } from '../../../../../src/workloads/algorithms/training/engine-expectations.ts';
import { gate } from '../../../../support/random-circuits.ts';

const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12, tileQubits: 8 });
afterAll(() => engine.close());

const shape: Circuit = {
  numQubits: 2,
  numBits: 0,
  operations: [gate('RX', [0], [], [0]), gate('RY', [1], [], [0])],
};
const Z0 = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }] as const;
const X1 = [{ coefficient: 2, factors: [{ pauli: 'X', qubit: 1 }] }] as const;

/** The engine, with what was prepared and disposed of counted. */
function counted() {
  const tally = { prepared: 0, disposed: 0 };
  const prepareBatch = async (circuit: Circuit) => {
    tally.prepared++;
    const executable = await engine.prepareBatch(circuit);
    return {
      ...executable,
      [Symbol.asyncDispose]: async () => {
        tally.disposed++;
        await executable[Symbol.asyncDispose]();
      },
    };
  };
  return { tally, prepareBatch };
}

describe('expectations from an engine', () => {
  test('come circuit after circuit, one an observable', async () => {
    await using source = engineExpectations(engine);
    const angles = Float64Array.of(0.3, 0.4, 0.5, 0.6);
    const values = await source.expectations(shape, angles, 2, [Z0, X1]);
    const expected = [Math.cos(0.3), 2 * Math.sin(0.4), Math.cos(0.5), 2 * Math.sin(0.6)];
    expect(values).toHaveLength(4);
    for (const [i, value] of expected.entries()) expect(values[i]).toBeCloseTo(value, 12);
  });

  test('prepare a shape once and dispose of each', async () => {
    const host = counted();
    const source = engineExpectations(host);
    const other = { ...shape };
    await Promise.all([
      source.expectations(shape, new Float64Array(2), 1, [Z0]),
      source.expectations(shape, new Float64Array(4), 2, [Z0]),
      source.expectations(other, new Float64Array(2), 1, [Z0]),
    ]);
    expect(host.tally).toEqual({ prepared: 2, disposed: 0 });
    await source[Symbol.asyncDispose]();
    expect(host.tally).toEqual({ prepared: 2, disposed: 2 });
  });

  test('end when the signal aborts', async () => {
    await using source = engineExpectations(engine, AbortSignal.abort(new Error('enough')));
    await expect(source.expectations(shape, new Float64Array(2), 1, [Z0])).rejects.toThrow(
      'enough',
    );
  });

  test('dispose of the rest where a shape was refused', async () => {
    const host = counted();
    const source = engineExpectations(host);
    await source.expectations(shape, new Float64Array(2), 1, [Z0]);
    const wide = { ...shape, numQubits: 13 };
    await expect(source.expectations(wide, new Float64Array(2), 1, [Z0])).rejects.toMatchObject({
      code: 'ENGINE_PROGRAM_TOO_WIDE',
    });
    await source[Symbol.asyncDispose]();
    expect(host.tally.disposed).toBe(1);
  });
});
