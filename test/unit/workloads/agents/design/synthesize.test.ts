/** The design agent's task `synthesize`. */
import { describe, expect, test } from 'vitest';
import { gateNamed } from '../../../../../src/circuit/gates.ts';
import { rowsFromMatrix } from '../../../../../src/circuit/matrix-rows.ts';
import { matrixOfOperations } from '../../../../../src/circuit/operation-matrix.ts';
import { designAgent } from '../../../../../src/workloads/agents/agents.ts';
import { synthesize } from '../../../../../src/workloads/agents/design/design-tasks.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';
import { gate, randomUnitary } from '../../../../support/random-circuits.ts';
import { RandomStream } from '../../../../support/random-stream.ts';

const cx = rowsFromMatrix(matrixOfOperations([gate('CX', [1], [0])], 2));
const named = (name: string, ...angles: number[]) => rowsFromMatrix(gateNamed(name).matrix(angles));
const identity4 = rowsFromMatrix(matrixOfOperations([], 2));

describe('the fewest CX that make', () => {
  test.each([
    ['nothing at all', identity4, 0],
    ['a CX', cx, 1],
    ['an ECR', named('ECR'), 1],
    ['an iSWAP', named('ISWAP'), 2],
    ['a rotation about XX', named('RXX', 0.3), 2],
    ['a SWAP', named('SWAP'), 3],
    ['a fermionic simulation gate', named('FSIM', 0.3, 0.7), 3],
  ])('%s are found', async (_, unitary, expected) => {
    await using context = openTestContext();
    const result = await context.run(synthesize, { unitary, gate_set: ['cx', 'rz', 'ry'] });
    expect(result.entangling_gates).toBe(expected);
    expect(result.error).toBeLessThan(1e-12);
    expect(result.verification).toMatchObject({ equivalent: true, method: 'whole_unitary' });
  });
});

describe('the fewest iSWAP that make', () => {
  test.each([
    ['nothing at all', identity4, 0],
    ['an iSWAP', named('ISWAP'), 1],
    ['a DCX', named('DCX'), 1],
    ['a CX', cx, 2],
    ['a rotation about XX', named('RXX', 0.3), 2],
    ['a SWAP', named('SWAP'), 3],
    ['a fermionic simulation gate', named('FSIM', 0.3, 0.7), 3],
  ])('%s are found', async (_, unitary, expected) => {
    await using context = openTestContext();
    const result = await context.run(synthesize, { unitary, gate_set: ['iswap', 'rz', 'rx'] });
    expect(result.entangling_gates).toBe(expected);
    expect(result.error).toBeLessThan(1e-11);
    expect(result.verification).toMatchObject({ equivalent: true, method: 'whole_unitary' });
  });
});

test.each([
  [['cx', 'h', 'rz'], 3],
  [['rxx', 'r'], 3],
  [['rzz', 'rx', 't'], 3],
  [['sqrtiswap', 'p', 'h', 'swap'], 6],
])('any gate is written in %j, and the answer is verified', async (gate_set, numEntanglers) => {
  await using context = openTestContext();
  const unitary = rowsFromMatrix(randomUnitary(new RandomStream(3), 2));
  const result = await context.run(synthesize, { unitary, gate_set });
  expect(result.entangling_gates).toBe(numEntanglers);
  expect(result.verification).toMatchObject({ equivalent: true });
});

test('a one-qubit unitary becomes the gate whose name it has', async () => {
  await using context = openTestContext();
  const result = await context.run(synthesize, { unitary: named('H') });
  expect(result.circuit).toEqual([{ gate: 'H', qubit: 0 }]);
  expect(result.global_phase).toBeCloseTo(0, 12);
});

test('an interaction smaller than the tolerance is left out, and the error says so', async () => {
  await using context = openTestContext();
  const unitary = named('RZZ', 2e-3);
  const exact = await context.run(synthesize, { unitary });
  const rough = await context.run(synthesize, { unitary, tolerance: 0.01 });
  expect([exact.entangling_gates, rough.entangling_gates]).toEqual([2, 0]);
  // |e^{iθ/2} − 1| for θ = 0.002.
  expect(rough.error).toBeCloseTo(1e-3, 6);
});

describe('an input is refused', () => {
  test.each([
    [
      'that is not unitary',
      {
        unitary: [
          [
            [1, 0],
            [0, 0],
          ],
          [
            [0, 0],
            [2, 0],
          ],
        ],
      },
      'unitary',
    ],
    ['that has three rows', { unitary: [[[1, 0]], [[1, 0]], [[1, 0]]] }, 'unitary'],
    ['whose rows are too short', { unitary: [[[1, 0]], [[1, 0]]] }, 'unitary[0]'],
    ['with a gate that does not exist', { unitary: cx, gate_set: ['cx', 'wobble'] }, 'gate_set[1]'],
    ['with gates that cannot do it', { unitary: cx, gate_set: ['h', 't', 'cx'] }, 'gate_set'],
    ['with rotations about one axis', { unitary: cx, gate_set: ['rz', 't', 'cx'] }, 'gate_set'],
    ['with no gate on two qubits', { unitary: cx, gate_set: ['rz', 'sx'] }, 'gate_set'],
  ])('%s', (_, input, path) => {
    expect(synthesize.faultsOf(input)[0]?.path).toBe(path);
  });
});

test("the agent's self-test passes, and tells a wrong answer", async () => {
  await using context = openTestContext();
  const { task, input, faultOf } = designAgent.selfTest;
  const tested = designAgent.procedures.find(({ name }) => name === task);
  if (tested === undefined) throw new Error(task);
  const result = await context.run(tested, input);
  expect(faultOf(result)).toBeUndefined();
  expect(faultOf({ ...result, entangling_gates: 2 })).toContain('2 CX');
});
