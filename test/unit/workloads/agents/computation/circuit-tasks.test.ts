/** The tasks of the computation agent that run circuits. */
import { describe, expect, test } from 'vitest';
import {
  expectation,
  simulate,
} from '../../../../../src/workloads/agents/computation/circuit-tasks.ts';
import type { JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

const GHZ = [
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
  { gate: 'CX', control: 1, target: 2 },
];
const BELL = GHZ.slice(0, 2);

async function run(
  task: typeof simulate,
  input: JsonObject,
  options: Parameters<typeof openTestContext>[0] = {},
): Promise<JsonObject> {
  await using opened = openTestContext(options);
  return await opened.run(task, input);
}

describe('simulate', () => {
  test('counts a GHZ state as all zeros and all ones, half of the shots each', async () => {
    const { counts, ...rest } = await run(simulate, { circuit: GHZ, shots: 4000, seed: 11 });
    const { '000': zeros, '111': ones, ...others } = Object(counts);
    expect(others).toEqual({});
    expect(zeros + ones).toBe(4000);
    // Five standard deviations of a fair coin.
    expect(Math.abs(zeros - 2000)).toBeLessThan(160);
    expect(rest).toEqual({
      shots: 4000,
      seed: 11,
      qubits: 3,
      bit_order: 'little-endian',
      measured_qubits: [0, 1, 2],
    });
  });

  test('writes bit 0 rightmost', async () => {
    const circuit = [{ gate: 'X', qubit: 0 }];
    const result = await run(simulate, {
      circuit,
      qubits: 3,
      shots: 5,
      return: ['counts', 'probabilities', 'statevector'],
    });
    expect(result).toMatchObject({ counts: { '001': 5 }, probabilities: { '001': 1 } });
    expect(result['statevector']).toEqual(
      Array.from({ length: 8 }, (_, i) => [i === 1 ? 1 : 0, 0]),
    );
  });

  test('gives the same counts for the same seed, and others for another', async () => {
    const input = { circuit: GHZ.slice(0, 1), shots: 1000 };
    const first = await run(simulate, { ...input, seed: 5 });
    expect(await run(simulate, input, { seed: 5 })).toEqual(first);
    expect(await run(simulate, { ...input, seed: 6 })).not.toEqual(first);
  });

  test('takes OpenQASM, with a measurement that decides what follows', async () => {
    const qasm = `OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c;
      x q[0]; c[0] = measure q[0]; if (c[0]) x q[1]; c[1] = measure q[1];`;
    const result = await run(simulate, { qasm, shots: 20 });
    expect(result['counts']).toEqual({ '11': 20 });
  });

  test.each([
    ['neither circuit nor qasm', {}, 'circuit'],
    ['a gate that there is not', { circuit: [{ gate: 'HH', qubit: 0 }] }, 'circuit[0].gate'],
    ['more qubits than the limit', { circuit: [{ gate: 'H', qubit: 24 }] }, 'circuit[0].qubit'],
    [
      'amplitudes of too many qubits',
      { circuit: BELL, qubits: 15, return: ['statevector'] },
      'return[0]',
    ],
    [
      'amplitudes after a reset',
      { circuit: [...BELL, { gate: 'RESET', qubit: 0 }], return: ['counts', 'statevector'] },
      'return[1]',
    ],
    ['text that is no OpenQASM', { qasm: 'hello' }, 'qasm'],
  ])('refuses %s before it runs', (_, input, path) => {
    const faults = simulate.faultsOf(input);
    expect(faults.map((fault) => fault.path)).toContain(path);
  });

  test('refuses what is wider than the processors hold now', async () => {
    const circuit = [{ gate: 'H', qubit: 11 }];
    const running = run(simulate, { circuit }, { maxQubits: 10 });
    await expect(running).rejects.toMatchObject({
      code: 'WORKLOADS_TASK_INPUT',
      faults: [{ path: 'circuit' }],
    });
  });
});

describe('expectation', () => {
  test('of a Bell pair: ZZ and XX are 1, YY is −1, a single Z is 0', async () => {
    const observables = ['Z0 Z1', 'X0 X1', 'Y0 Y1', 'Z0'].map((pauli) => ({ pauli }));
    const result = await run(expectation, { circuit: BELL, observables });
    const expected = [1, 1, -1, 0];
    expect(result).toMatchObject({ qubits: 2, method: 'exact' });
    for (const [i, value] of Object(result['values']).entries()) {
      expect(value).toBeCloseTo(expected[i]!, 12);
    }
  });

  test('of a rotated qubit is the cosine, and sums weigh their terms', async () => {
    const theta = 0.7;
    const { values } = await run(expectation, {
      circuit: [
        { gate: 'RY', qubit: 0, theta },
        { gate: 'M', qubits: [0] },
      ],
      observables: [
        [{ pauli: 'Z0', coefficient: 2 }, { pauli: 'X0', coefficient: -3 }, { pauli: 'I' }],
      ],
    });
    const exact = 2 * Math.cos(theta) - 3 * Math.sin(theta) + 1;
    expect(Object(values)[0]).toBeCloseTo(exact, 12);
  });

  test.each([
    ['a qubit that there is not', { observables: [{ pauli: 'Z2' }] }, 'observables[0].pauli'],
    ['a Pauli that there is not', { observables: [[{ pauli: 'Q0' }]] }, 'observables[0][0].pauli'],
    [
      'too many terms in all',
      { observables: Array.from({ length: 2 }, () => Array(501).fill({ pauli: 'Z0' })) },
      'observables',
    ],
    [
      'a circuit with a reset',
      { circuit: [...BELL, { gate: 'RESET', qubit: 0 }], observables: [{ pauli: 'Z0' }] },
      'circuit',
    ],
  ])('refuses %s before it runs', (_, input, path) => {
    const faults = expectation.faultsOf({ circuit: BELL, ...input });
    expect(faults.map((fault) => fault.path)).toContain(path);
  });
});
