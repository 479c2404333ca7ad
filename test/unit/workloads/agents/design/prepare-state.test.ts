/** The design agent's task `prepare_state`. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prepareState } from '../../../../../src/workloads/agents/design/design-tasks.ts';
import type { Json, JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

const run = async (input: JsonObject) => {
  await using context = openTestContext();
  return await context.run(prepareState, input);
};
const half = Math.SQRT1_2;

describe('states with names take as few CX as is known of them', () => {
  test.each([
    ['ghz', { state: 'ghz', qubits: 7 }, 6, 4],
    ['w', { state: 'w', qubits: 5 }, 11, undefined],
    ['uniform', { state: 'uniform', qubits: 6 }, 0, 1],
    ['a Dicke state of all ones', { state: 'dicke', qubits: 4, excitations: 4 }, 0, 1],
    ['a Dicke state of none', { state: 'dicke', qubits: 4, excitations: 0 }, 0, 0],
  ])('%s', async (_, input, maxPairs, depth) => {
    const result = await run(input);
    expect(JSON.parse(JSON.stringify(result.gates)).two_qubit).toBeLessThanOrEqual(maxPairs);
    if (depth !== undefined) expect(result.depth).toBe(depth);
    expect(result.fidelity).toBeCloseTo(1, 12);
  });
});

test.each([2, 3])('Dicke states with %i ones on six qubits are made', async (excitations) => {
  const result = await run({ state: 'dicke', qubits: 6, excitations, gate_set: ['cx', 'u'] });
  expect(result.fidelity).toBeCloseTo(1, 12);
});

describe('amplitudes that need little take little', () => {
  test.each([
    ['a basis state', [0, 0, 0, 0, 0, [0, 1], 0, 0], 0],
    ['a Bell pair', [half, 0, 0, -half], 1],
    ['a product', [0.5, 0.5, -0.5, -0.5], 0],
    ['GHZ of four', [half, ...new Array<number>(14).fill(0), half], 3],
  ])('%s', async (_, amplitudes: Json, maxPairs) => {
    const result = await run({ amplitudes, gate_set: ['cx', 'rz', 'ry'] });
    expect(JSON.parse(JSON.stringify(result.gates)).two_qubit).toBeLessThanOrEqual(maxPairs);
    expect(result.fidelity).toBeCloseTo(1, 12);
  });
});

test('any state is made, with zeros anywhere, by no more CX than two multiplexers a qubit', async () => {
  await using context = openTestContext();
  const part = fc.oneof(fc.constant(0), fc.double({ min: -1, max: 1, noNaN: true }));
  const states = fc
    .integer({ min: 1, max: 5 })
    .chain((n) => fc.array(fc.tuple(part, part), { minLength: 2 ** n, maxLength: 2 ** n }))
    .filter((state) => Math.hypot(...state.flat()) > 1e-3);
  await fc.assert(
    fc.asyncProperty(states, async (amplitudes) => {
      const input = { amplitudes, normalize: true, gate_set: ['cx', 'rz', 'ry'] };
      const { gates, fidelity } = await context.run(prepareState, input);
      const bound = 2 * (amplitudes.length - 2);
      expect(JSON.parse(JSON.stringify(gates)).two_qubit).toBeLessThanOrEqual(bound);
      expect(fidelity).toBeGreaterThan(1 - 1e-10);
    }),
    { seed: 17, numRuns: 30 },
  );
});

describe('an input is refused', () => {
  test.each([
    ['that is no state', {}, 'amplitudes'],
    ['whose length is not 1', { amplitudes: [1, 1] }, 'amplitudes'],
    ['that is nothing', { amplitudes: [0, 0], normalize: true }, 'amplitudes'],
    [
      'too large to have a length',
      { amplitudes: [1.7e308, 1.7e308], normalize: true },
      'amplitudes',
    ],
    ['of three amplitudes', { amplitudes: [1, 0, 0] }, 'amplitudes'],
    ['with a name and no width', { state: 'ghz' }, 'qubits'],
    ['with more ones than qubits', { state: 'dicke', qubits: 2, excitations: 3 }, 'excitations'],
    ['with a name and amplitudes', { amplitudes: [1, 0], state: 'ghz' }, 'state'],
  ])('%s', (_, input, path) => {
    expect(prepareState.faultsOf(input)[0]?.path).toBe(path);
  });

  test('with an amplitude that is no number', () => {
    expect(prepareState.input.safeParse({ amplitudes: [1, 'i'] }).success).toBe(false);
  });
});
