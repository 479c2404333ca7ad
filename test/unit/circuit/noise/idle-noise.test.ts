import { describe, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../../../src/circuit/circuit.ts';
import { FaultList } from '../../../../src/circuit/errors.ts';
import type { GateObject } from '../../../../src/circuit/gate-object.ts';
import { circuitFromGateObjects } from '../../../../src/circuit/gate-objects.ts';
import { applyNoise } from '../../../../src/circuit/noise/apply-noise.ts';
import type { NoiseModelObject } from '../../../../src/circuit/noise/noise-model-schema.ts';
import { readNoiseModel } from '../../../../src/circuit/noise/read-noise-model.ts';
import { readOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';

const limits = { maxQubits: 30, maxGates: 1000 };
/** Pure dephasing in effect: T1 is so long that a wait is one phase flip of probability (1 − e^(−t/T2))/2. */
const T2_NS = 1e6;
const IDLE = { t1_us: 1e30, t2_us: T2_NS / 1000 };
const durations_ns = { '*1': 10, '*2': 100, CZ: 60, M: 1000, RESET: 500 };

function noisy(
  given: DynamicCircuit | readonly GateObject[],
  idle: NonNullable<NoiseModelObject['idle']> = [{ ...IDLE, durations_ns }],
): DynamicCircuit {
  const circuit =
    'operations' in given ? given : circuitFromGateObjects(given, { limits, numQubits: 4 });
  const faults = new FaultList();
  const model = readNoiseModel({ idle }, faults, new Map());
  const found = model && applyNoise(circuit, model, faults);
  expect(faults.kept).toEqual([]);
  return found!;
}

/** Names of operations, and for each wait its qubit and its time in nanoseconds. */
function timeline(operations: readonly DynamicOperation[]): readonly string[] {
  return operations.flatMap((operation) => {
    if (operation.kind === 'assign') return [];
    if (operation.kind === 'gate') return [operation.gate];
    if (operation.kind === 'while') return ['(', ...timeline(operation.body), ')'];
    if (operation.kind !== 'noise') return [operation.kind];
    const { channel, qubits } = operation;
    if (channel.kind !== 'pauli') return [`relax ${qubits}`];
    const time = -T2_NS * Math.log1p(-2 * channel.errors[0]!.probability);
    return [`wait ${qubits} ${Number(time.toPrecision(9))}`];
  });
}

const h = (qubit: number): GateObject => ({ gate: 'H', qubit });
const two = (gate: string, control: number, target: number): GateObject => ({
  gate,
  control,
  target,
});

describe('a qubit that waits relaxes', () => {
  test('before a gate whose other qubit is busy, and not where nothing is waited for', () => {
    const found = noisy([h(0), two('CX', 0, 1), h(2), h(2), two('CX', 1, 2), h(0)]);
    // Qubit 2 is free at 20, CX on 0 and 1 ends at 110; qubit 0 goes on at once.
    expect(timeline(found.operations)).toEqual(['H', 'CX', 'H', 'H', 'wait 2 90', 'CX', 'H']);
  });

  test.each([
    ['rx(pi * c[0] + pi / 2 * c[1]) q[0];', 10],
    ['rx(n * n) q[0];', 10],
    ['negctrl @ x q[0], q[2];', 100],
    ['if (c[0] || c[1]) { h q[0]; }', 10],
  ])('as long as %s takes, which is a gate of one duration', (call, duration) => {
    const text = `OPENQASM 3.0; include "stdgates.inc"; qubit[3] q; qubit[2] m; bit[2] c;
      h q[1]; c = measure m; uint[4] n = c; ${call} barrier q[0], q[1]; h q[1];`;
    const lines = timeline(noisy(readOpenQasm(text, limits).circuit).operations);
    // The measurement takes 1,000 and H 10.
    const start = call.includes('c[') || call.includes('n *') ? 1000 : 0;
    expect(lines.filter((line) => line.startsWith('wait 1'))).toEqual([
      `wait 1 ${start + duration - 10}`,
    ]);
  });

  test('but not in |0⟩, unless it is warm', () => {
    const circuit = [h(0), two('CX', 0, 1)];
    expect(timeline(noisy(circuit).operations)).toEqual(['H', 'CX']);
    const warm = noisy(circuit, [{ t1_us: 1, t2_us: 1, excited: 0.1, durations_ns }]);
    expect(timeline(warm.operations)).toEqual(['H', 'relax 1', 'CX']);
  });

  test('by the most specific duration; gates that are not named take no time', () => {
    const circuit = [h(0), h(1), two('CZ', 0, 2), two('CX', 0, 1)];
    expect(timeline(noisy(circuit).operations)).toEqual(['H', 'H', 'CZ', 'wait 1 60', 'CX']);
    const named = noisy(circuit, [{ ...IDLE, durations_ns: { H: 5, '*': 7 } }]);
    expect(timeline(named.operations)).toEqual(['H', 'H', 'CZ', 'wait 1 7', 'CX']);
    const some = noisy(circuit, [{ ...IDLE, durations_ns: { CX: 7 } }]);
    expect(timeline(some.operations)).toEqual(['H', 'H', 'CZ', 'CX']);
  });

  test('as long as the longest time that entries give for qubits of the gate', () => {
    const found = noisy(
      [h(0), two('CX', 0, 1), h(2), two('CX', 1, 2)],
      [
        { ...IDLE, qubits: [0], durations_ns: { H: 10, CX: 100 } },
        { ...IDLE, qubits: [1], durations_ns: { CX: 300 } },
        { ...IDLE, qubits: [2], durations_ns: { H: 10 } },
      ],
    );
    // CX begins at 10, and qubit 2 is free at 10.
    expect(timeline(found.operations)).toEqual(['H', 'CX', 'H', 'wait 2 300', 'CX']);
  });

  test('by entries for its qubit; durations of one entry hold where others give none', () => {
    const circuit = [h(0), h(1), two('CZ', 0, 2), two('CX', 0, 1), h(3), two('CX', 3, 0)];
    const found = noisy(circuit, [
      { ...IDLE, qubits: [0, 1], durations_ns },
      { ...IDLE, qubits: [1] },
    ]);
    expect(timeline(found.operations)).toEqual([
      'H',
      'H',
      'CZ',
      'wait 1 60',
      'wait 1 60',
      'CX',
      'H',
      'CX',
    ]);
  });

  test('while others of one measurement are busy, and not after its last operation', () => {
    const found = noisy([h(0), h(1), h(1), { gate: 'M', qubits: [0, 1] }]);
    expect(timeline(found.operations)).toEqual(['H', 'H', 'H', 'wait 0 10', 'measure']);
  });

  test('until a bit that its condition reads is measured', () => {
    const found = noisy([
      h(1),
      h(0),
      { gate: 'M', qubit: 0 },
      { ...h(1), condition: { bits: [0], value: 1 } },
    ]);
    expect(timeline(found.operations)).toEqual(['H', 'H', 'measure', 'wait 1 1000', 'H']);
  });

  test('at barriers', () => {
    const found = noisy([h(0), h(1), h(1), h(2), { gate: 'BARRIER', qubits: [0, 1] }, h(0), h(2)]);
    expect(timeline(found.operations)).toEqual([
      'H',
      'H',
      'H',
      'H',
      'wait 0 10',
      'barrier',
      'H',
      'H',
    ]);
  });

  test('before a loop and after each of its rounds, whose duration is not known', () => {
    const text = `OPENQASM 3.0; include "stdgates.inc";
      qubit[3] q; bit c; h q[0]; h q[1]; h q[1]; c = measure q[0];
      while (c) { h q[1]; c = measure q[0]; } h q[2];`;
    const found = noisy(readOpenQasm(text, limits).circuit);
    expect(timeline(found.operations)).toEqual([
      'H',
      'H',
      'H',
      'measure',
      'wait 1 990',
      '(',
      'H',
      'measure',
      'wait 1 990',
      ')',
      'H',
    ]);
  });
});

test('a wait is thermal relaxation for its time', () => {
  const found = noisy(
    [h(0), h(1), two('CX', 0, 2), two('CX', 0, 1)],
    [{ t1_us: 50, t2_us: 70, excited: 0.02, qubits: [1], durations_ns: { CX: 300 } }],
  );
  const wait = found.operations.find(({ kind }) => kind === 'noise');
  const matrices =
    wait?.kind === 'noise' && wait.channel.kind === 'kraus' ? wait.channel.matrices : [];
  // ⟨1|ρ|1⟩ after |1⟩ went through, and the factor of the coherence.
  const excited = matrices.reduce((sum, k) => sum + k[6]! ** 2, 0);
  const coherence = matrices.reduce((sum, k) => sum + k[0]! * k[6]!, 0);
  expect(excited).toBeCloseTo(0.02 + 0.98 * Math.exp(-0.3 / 50), 14);
  expect(coherence).toBeCloseTo(Math.exp(-0.3 / 70), 14);
});
