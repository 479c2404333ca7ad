import { describe, expect, test } from 'vitest';
import { qubitLimit } from '../../../src/circuit/circuit-limits.ts';
import { circuitFromGateObjects } from '../../../src/circuit/gate-objects.ts';
import { parseOpenQasm } from '../../../src/circuit/openqasm/parse-openqasm.ts';

const stateMemory = { bytes: 48 * 2 ** 20, bytesPerAmplitude: 16 };
const limits = { maxQubits: 21, maxGates: 10, stateMemory };
const FIGURES =
  'limit max_qubits is 21: the amplitudes need 512 MiB, and there are 48 MiB for them.';

describe('a circuit that memory cannot hold is refused with what it needs and what there is', () => {
  test.each([
    ['a qubit', () => circuitFromGateObjects([{ gate: 'H', qubit: 24 }], { limits })],
    ['a width', () => circuitFromGateObjects([], { limits, numQubits: 25 })],
    ['OpenQASM', () => parseOpenQasm('OPENQASM 3.0;\nqubit[25] q;\n', limits)],
  ])('%s', (_, read) => {
    expect(read).toThrow(FIGURES);
  });
});

describe('qubitLimit', () => {
  test('says nothing of memory that would do', () => {
    const low = { ...limits, maxQubits: 12 };
    expect(qubitLimit(13, low)).toBe('the limit max_qubits is 12.');
    expect(qubitLimit(22, low)).toContain('64 MiB');
  });

  test('gives no figure where memory is not the limit, or the figure would be absurd', () => {
    expect(qubitLimit(30, { maxQubits: 20 })).toBe('the limit max_qubits is 20.');
    expect(qubitLimit(1e12, limits)).toBe('the limit max_qubits is 21.');
  });
});
