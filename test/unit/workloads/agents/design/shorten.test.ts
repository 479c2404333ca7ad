/** The design agent's task `shorten`. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Circuit } from '../../../../../src/circuit/circuit.ts';
import { gateObjectsFromCircuit } from '../../../../../src/circuit/gate-objects-from-circuit.ts';
import { shorten } from '../../../../../src/workloads/agents/design/design-tasks.ts';
import { verifyCircuits } from '../../../../../src/workloads/algorithms/equivalence/verify-circuits.ts';
import type { Json, JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { circuits } from '../../../../property/circuit-arbitrary.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';
import { gate } from '../../../../support/random-circuits.ts';

const cx = (control: number, target: number) => ({ gate: 'CX', control, target });
const one = (name: string, qubit: number, theta?: number) =>
  theta === undefined ? { gate: name, qubit } : { gate: name, qubit, theta };

const run = async (input: JsonObject) => {
  await using context = openTestContext();
  return await context.run(shorten, input);
};

describe('a circuit shortens to nothing', () => {
  test.each([
    ['where gates undo each other', [one('H', 0), cx(0, 1), cx(0, 1), one('H', 0)]],
    [
      'where three CX undo a SWAP',
      [{ gate: 'SWAP', qubits: [0, 1] }, cx(0, 1), cx(1, 0), cx(0, 1)],
    ],
    [
      'where rotations add up to a turn',
      [one('RZ', 0, 5), one('S', 1), one('RZ', 0, 4 * Math.PI - 5), one('SDG', 1)],
    ],
  ])('%s', async (_, circuit) => {
    const result = await run({ circuit });
    expect(result.circuit).toEqual([]);
    expect(result).toMatchObject({
      after: { depth: 0 },
      verification: { equivalent: true, method: 'whole_unitary' },
    });
  });
});

test('five CX and a rotation on one pair become two CX in the gates asked for', async () => {
  const circuit = [cx(0, 1), cx(1, 0), cx(0, 1), cx(1, 0), one('RX', 0, 0.3), cx(0, 1)];
  const result = await run({ circuit, gate_set: ['cx', 'rz', 'ry'] });
  const [before, after] = [sizeOf(result.before), sizeOf(result.after)];
  expect(before.gates.two_qubit).toBe(5);
  expect(after.gates.two_qubit).toBeLessThanOrEqual(2);
  expect(Object.keys(after.gates.by_name).every((name) => ['CX', 'RZ', 'RY'].includes(name))).toBe(
    true,
  );
});
const sizeOf = (size: Json | undefined): Size => JSON.parse(JSON.stringify(size));
interface Size {
  readonly gates: {
    readonly total: number;
    readonly two_qubit: number;
    readonly by_name: Readonly<Record<string, number>>;
  };
}

test('a run of one-qubit gates becomes one gate, or three rotations', async () => {
  const circuit = ['H', 'T', 'H', 'S', 'H', 'T', 'X'].map((name) => one(name, 0));
  expect((await run({ circuit })).after).toMatchObject({ gates: { total: 1 } });
  const rotations = await run({ circuit, gate_set: ['rz', 'ry', 'cx'] });
  expect(rotations.after).toMatchObject({ gates: { by_name: { RZ: 2, RY: 1 } } });
});

test('what a measurement cannot show goes only where outcomes alone are preserved', async () => {
  const circuit = [one('H', 0), one('T', 0), cx(0, 1), { gate: 'M', qubits: [0, 1] }, one('X', 1)];
  const whole = await run({ circuit });
  expect(whole.verification).toMatchObject({ equivalent: true, method: 'outcome_distributions' });
  const outcomes = await run({ circuit, preserve: 'outcomes' });
  expect(outcomes.after).toMatchObject({ gates: { by_name: { H: 1, CX: 1, M: 1 } } });
});

test('a phase before a final measurement goes, and the whole unitary is still compared', async () => {
  const circuit = [one('H', 0), one('RZ', 0, 0.7), { gate: 'M', qubits: [0] }];
  const result = await run({ circuit });
  expect(result.circuit).toEqual([one('H', 0), { gate: 'M', qubits: [0], bits: [0] }]);
  expect(result.verification).toMatchObject({ method: 'whole_unitary' });
});

test('from |0…0⟩ a control that is never 1 goes, if only the state is preserved', async () => {
  const circuit = [cx(0, 1), one('H', 1)];
  expect((await run({ circuit })).after).toMatchObject({ gates: { two_qubit: 1 } });
  const state = await run({ circuit, preserve: 'state' });
  expect(state.circuit).toEqual([one('H', 1)]);
  expect(state.verification).toMatchObject({ method: 'state_from_zero' });
});

test('a circuit too wide to simulate says that nothing verified it', async () => {
  const circuit = Array.from({ length: 40 }, (_, q) => [
    one('T', q),
    one('T', q),
    cx(q, q + 1),
  ]).flat();
  const result = await run({ circuit });
  expect(result.verification).toMatchObject({ equivalent: null, method: 'none' });
  expect(result.after).toMatchObject({ gates: { by_name: { S: 40, CX: 40 } } });
});

test('random states verify what is too wide for the whole unitary', async () => {
  const circuit = Array.from({ length: 11 }, (_, q) => [
    one('H', q),
    cx(q, q + 1),
    cx(q, q + 1),
  ]).flat();
  const result = await run({ circuit });
  expect(result.after).toMatchObject({ gates: { total: 11, two_qubit: 0 } });
  expect(result.verification).toMatchObject({
    equivalent: true,
    method: 'random_states',
    states: 3,
  });
});

test('any circuit, measurements and conditions anywhere, stays what it was and gets no longer', async () => {
  await using context = openTestContext();
  await fc.assert(
    fc.asyncProperty(circuits, async (circuit) => {
      const input = { circuit: gateObjects(circuit), qubits: circuit.numQubits };
      if (shorten.faultsOf(input).length > 0) return;
      const { before, after } = await context.run(shorten, input);
      expect(sizeOf(after).gates.total).toBeLessThanOrEqual(sizeOf(before).gates.total);
    }),
    { seed: 11, numRuns: 25 },
  );
});
const gateObjects = (circuit: Circuit): Json =>
  JSON.parse(JSON.stringify(gateObjectsFromCircuit(circuit)));

describe('verification refuses', () => {
  const pair = (operations: Circuit['operations'], numBits = 0): Circuit => ({
    numQubits: 2,
    numBits,
    operations,
  });
  const measure = (...qubits: number[]) =>
    ({ kind: 'measure', qubits, bits: [...qubits.keys()] }) as const;
  test.each([
    ['another gate', pair([gate('CX', [1], [0])]), pair([gate('CX', [0], [1])])],
    ['a relative phase', pair([gate('S', [0])]), pair([gate('T', [0])])],
    ['what differs only on |11⟩', pair([gate('CZ', [1], [0])]), pair([])],
    [
      'a phase that is measured along X',
      pair([gate('T', [0]), gate('H', [0]), measure(0)], 1),
      pair([gate('H', [0]), measure(0)], 1),
    ],
    [
      'bits exchanged',
      pair([gate('H', [0]), measure(0, 1)], 2),
      pair([gate('H', [0]), measure(1, 0)], 2),
    ],
    [
      'a lost condition',
      pair([measure(0), { ...gate('X', [1]), condition: { bits: [0], value: 1 } }], 1),
      pair([measure(0)], 1),
    ],
    ['a lost reset', pair([{ kind: 'reset', qubits: [0] }, measure(0)], 1), pair([measure(0)], 1)],
  ])('%s', async (_, a, b) => {
    await using context = openTestContext();
    const verified = verifyCircuits(a, b, { preserve: 'unitary', seed: 1 }, context.context);
    await expect(verified).rejects.toMatchObject({ code: 'WORKLOADS_NOT_EQUIVALENT' });
  });

  test('nothing where the difference is in what was not to be preserved', async () => {
    await using context = openTestContext();
    const [a, b] = [pair([gate('T', [0])]), pair([])];
    const verification = await verifyCircuits(
      a,
      b,
      { preserve: 'state', seed: 1 },
      context.context,
    );
    expect(verification).toMatchObject({ equivalent: true });
  });
});

test.each([
  ['no circuit', {}, 'circuit'],
  ['an unknown gate', { circuit: [{ gate: 'WOBBLE', qubit: 0 }] }, 'circuit[0].gate'],
  ['a qubit past the limit', { circuit: [one('H', 256)] }, 'circuit[0].qubit'],
  ['two circuits', { circuit: [one('H', 0)], qasm: 'OPENQASM 3.0; qubit q;' }, 'qasm'],
])('%s is a fault before a job exists', (_, input, path) => {
  expect(shorten.faultsOf(input)[0]?.path).toBe(path);
});
