/** `#pragma braket noise`, read and printed. */
import { describe, expect, test } from 'vitest';
import type { DynamicCircuit } from '../../../../src/circuit/circuit.ts';
import { FaultList } from '../../../../src/circuit/errors.ts';
import type { ChannelObject } from '../../../../src/circuit/noise/channel-object.ts';
import { readChannel } from '../../../../src/circuit/noise/read-channel.ts';
import { parseOpenQasm, readOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';
import { printOpenQasm } from '../../../../src/circuit/openqasm/print-openqasm.ts';

const limits = { maxQubits: 8, maxGates: 100 };
const HEADER = 'OPENQASM 3.0;\nqubit[3] q;\nbit[2] c;\n';
const read = (body: string) => readOpenQasm(`${HEADER}${body}\n`, limits).circuit.operations;

function channelOf(object: ChannelObject, numQubits: number) {
  const faults = new FaultList();
  const found = readChannel(object, numQubits, '', faults);
  expect(faults.kept).toEqual([]);
  return found?.channel;
}

describe('a noise pragma', () => {
  test.each<[string, ChannelObject]>([
    ['bit_flip(0.1) q[1]', { type: 'bit_flip', probability: 0.1 }],
    ['phase_flip(0.1) q[1]', { type: 'phase_flip', probability: 0.1 }],
    [
      'pauli_channel(0.1, 0.2, 0.3) q[1]',
      { type: 'pauli', probabilities: { X: 0.1, Y: 0.2, Z: 0.3 } },
    ],
    ['depolarizing(1e-2) q[1]', { type: 'depolarizing', probability: 0.01 }],
    ['amplitude_damping(0.2) q[1]', { type: 'amplitude_damping', gamma: 0.2 }],
    // Braket's second number is the weight of decay to |0⟩.
    [
      'generalized_amplitude_damping(0.2, 0.9) q[1]',
      { type: 'generalized_amplitude_damping', gamma: 0.2, excited: 1 - 0.9 },
    ],
    ['phase_damping(0.2) q[1]', { type: 'phase_damping', gamma: 0.2 }],
    [
      'kraus([[0.8, 0], [0, 0.8]], [[0, 0.6im], [0.6im, 0]]) q[1]',
      { type: 'bit_flip', probability: 0.36 },
    ],
  ])('%s acts on a qubit', (text, object) => {
    const [found, ...others] = read(`#pragma braket noise ${text}`);
    expect(others).toEqual([]);
    const channel = channelOf(object, 1);
    expect(found).toMatchObject({ kind: 'noise', qubits: [1] });
    const probabilities = (of: typeof channel) =>
      of?.kind === 'pauli' ? of.errors.map(({ probability }) => probability) : [];
    const own = found?.kind === 'noise' ? found.channel : undefined;
    for (const [i, probability] of probabilities(own).entries()) {
      expect(probability).toBeCloseTo(probabilities(channel)[i]!, 15);
    }
    if (channel?.kind === 'kraus') expect(own).toEqual(channel);
    else expect(own?.kind).toBe('pauli');
  });

  test('loss(0.1) q[1] loses a qubit', () => {
    const channel = { kind: 'loss', numQubits: 1, probability: 0.1 };
    expect(read('#pragma braket noise loss(0.1) q[1]')).toEqual([
      { kind: 'noise', qubits: [1], channel },
    ]);
  });

  test.each<[string, ChannelObject]>([
    ['two_qubit_depolarizing(0.15)', { type: 'depolarizing', probability: 0.15, num_qubits: 2 }],
    [
      'two_qubit_dephasing(0.375)',
      { type: 'pauli', probabilities: { IZ: 0.125, ZI: 0.125, ZZ: 0.125 } },
    ],
  ])('%s acts on two qubits', (text, object) => {
    expect(read(`#pragma braket noise ${text} q[0], q[2]`)).toMatchObject([
      { kind: 'noise', qubits: [2, 0], channel: channelOf(object, 2) },
    ]);
  });

  test('kraus counts its first operand as the most significant bit', () => {
    // X on q[2] where q[0] is the control: the block of |1⟩ of the first operand.
    const cx = '[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]';
    const [found] = read(`#pragma braket noise kraus(${cx}) q[0], q[2]`);
    expect(found).toMatchObject({ kind: 'noise', qubits: [2, 0] });
    const matrix =
      found?.kind === 'noise' && found.channel.kind === 'kraus' ? found.channel.matrices[0]! : [];
    // Index 2 has q[0] = 1 and q[2] = 0; it goes to index 3.
    expect(matrix[2 * (3 * 4 + 2)]).toBe(1);
  });

  test('names qubits of the machine, whole registers and stands under conditions', () => {
    expect(
      readOpenQasm('OPENQASM 3.0;\nx $4;\n#pragma braket noise bit_flip(0.1) $4\n', limits).circuit
        .operations,
    ).toMatchObject([{ gate: 'X' }, { kind: 'noise', qubits: [4] }]);
    expect(read('#pragma braket noise bit_flip(0.1) q')).toHaveLength(3);
    const conditional = read(
      'c[0] = measure q[0];\nif (c[0]) {\n#pragma braket noise bit_flip(0.1) q[1]\n}',
    );
    expect(conditional[1]).toMatchObject({ kind: 'noise', condition: { bits: [0], value: 1 } });
  });

  test('that does nothing adds nothing', () => {
    expect(read('#pragma braket noise bit_flip(0) q[0]')).toEqual([]);
  });

  test.each([
    [
      'bitflip(0.1) q[0]',
      'line 4, column 22: There is no noise channel called "bitflip". Did you mean bit_flip?',
    ],
    [
      'bit_flip(1.5) q[0]',
      'line 4, column 22: The probability of bit_flip must be from 0 to 1, not 1.5.',
    ],
    ['bit_flip(0.1, 0.2) q[0]', 'line 4, column 22: bit_flip takes probability: 1, not 2.'],
    ['bit_flip(p) q[0]', 'line 4, column 31: expected a number, found "p".'],
    [
      'pauli_channel(0.5, 0.4, 0.2) q[0]',
      'line 4, column 1: The noise channel: The probabilities add up to 1.1; at most 1 is possible.',
    ],
    [
      'two_qubit_dephasing(0.1) q[0]',
      'line 4, column 1: The noise channel: The channel acts on 2 qubits, but 1 qubit are named.',
    ],
    [
      'two_qubit_dephasing(0.1) q[0], q[0]',
      'line 4, column 1: A noise channel acts on distinct qubits.',
    ],
    [
      'kraus([[1, 0], [0, 0.5]]) q[0]',
      'line 4, column 1: The noise channel: Not complete: Σ K†K differs from 1 by 0.75',
    ],
    ['bit_flip(0.1) q[0] q[1]', 'line 4, column 41: expected the end of the line, found "q".'],
  ])('%s is a fault with its place', (text, problem) => {
    expect(() => read(`#pragma braket noise ${text}`)).toThrow(problem);
  });

  test('is refused where a circuit without noise is needed, with its place', () => {
    expect(() =>
      parseOpenQasm(`${HEADER}x q[0];\n#pragma braket noise bit_flip(0.1) q[0]\n`, limits),
    ).toThrow(
      'OpenQASM line 5, column 1: "#pragma braket noise" where a circuit without noise is needed is not supported.',
    );
  });

  test('is limited as gates are', () => {
    const many = '#pragma braket noise bit_flip(0.1) q\n'.repeat(34);
    expect(() => read(many)).toThrow('the limit max_gates is 100');
  });
});

describe('printing noise', () => {
  const noise = (object: ChannelObject, qubits: readonly number[]) =>
    ({ kind: 'noise', qubits, channel: channelOf(object, qubits.length)! }) as const;
  const circuit = (...operations: DynamicCircuit['operations']) => ({
    numQubits: 4,
    numBits: 1,
    // The cast is safe: no operation of these tests computes.
    operations: operations as readonly ReturnType<typeof noise>[],
  });

  test.each<[ChannelObject, readonly number[], string]>([
    [{ type: 'bit_flip', probability: 0.1 }, [2], 'bit_flip(0.1) q[2]'],
    [{ type: 'phase_flip', probability: 0.1 }, [2], 'phase_flip(0.1) q[2]'],
    [{ type: 'loss', probability: 0.1 }, [2], 'loss(0.1) q[2]'],
    [{ type: 'bit_phase_flip', probability: 0.1 }, [2], 'pauli_channel(0, 0.1, 0) q[2]'],
    [{ type: 'depolarizing', probability: 0.3 }, [2], 'depolarizing(0.3) q[2]'],
    [
      { type: 'depolarizing', probability: 0.15 },
      [0, 1],
      'two_qubit_depolarizing(0.15) q[1], q[0]',
    ],
    [
      { type: 'pauli', probabilities: { IZ: 0.1, ZI: 0.1, ZZ: 0.1 } },
      [0, 1],
      'two_qubit_dephasing(0.30000000000000004) q[1], q[0]',
    ],
    [
      { type: 'amplitude_damping', gamma: 0.75 },
      [0],
      'kraus([[1, 0], [0, 0.5]], [[0, 0.8660254037844386], [0, 0]]) q[0]',
    ],
  ])('%j', (object, qubits, text) => {
    expect(printOpenQasm(circuit(noise(object, qubits)), '3')).toContain(
      `#pragma braket noise ${text}\n`,
    );
  });

  test('is refused in OpenQASM 2, for many qubits, and for misread bits, by the operation', () => {
    const flip = noise({ type: 'bit_flip', probability: 0.1 }, [0]);
    const wide = noise({ type: 'depolarizing', probability: 0.1 }, [0, 1, 2, 3]);
    const misread = { kind: 'misread', bits: [0], p1Given0: 0.1, p0Given1: 0 } as const;
    expect(() => printOpenQasm(circuit(flip), '2')).toThrow(
      'Operation 0 is a noise channel; OpenQASM 2 has no noise.',
    );
    expect(() => printOpenQasm(circuit(flip, wide), '3')).toThrow(
      'Operation 1 is a noise channel on 4 qubits; the widest',
    );
    expect(() => printOpenQasm(circuit(flip, misread), '3')).toThrow(
      'Operation 1 misreads bits; OpenQASM has no errors of readout',
    );
  });
});
