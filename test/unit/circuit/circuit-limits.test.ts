import { describe, expect, test } from 'vitest';
import { tooManyQubits } from '../../../src/circuit/circuit-limits.ts';
import { circuitFromGateObjects } from '../../../src/circuit/gate-objects.ts';
import { parseOpenQasm } from '../../../src/circuit/openqasm/parse-openqasm.ts';

const stateMemory = { bytes: 48 * 2 ** 20, bytesPerAmplitude: 16, setting: 'QCS_MEMORY_MIB' };
const limits = { maxQubits: 21, maxGates: 10, stateMemory };
const FIGURES =
  '25 qubits need 512 MiB; this service holds 21 qubits (32 MiB). QCS_MEMORY_MIB raises it.';

describe('a circuit that does not fit in memory is refused with the needed and the available memory', () => {
  test.each([
    ['a qubit', () => circuitFromGateObjects([{ gate: 'H', qubit: 24 }], { limits })],
    ['a width', () => circuitFromGateObjects([], { limits, numQubits: 25 })],
    ['OpenQASM', () => parseOpenQasm('OPENQASM 3.0;\nqubit[25] q;\n', limits)],
  ])('%s', (_, read) => {
    expect(read).toThrow(FIGURES);
  });
});

describe('tooManyQubits', () => {
  const said = (numQubits: number, of: Parameters<typeof tooManyQubits>[2]) =>
    tooManyQubits(`It has ${numQubits} qubits`, numQubits, of);

  test('gives the needed memory in readable units', () => {
    const memory = { bytes: 2 ** 31, bytesPerAmplitude: 16, setting: 'QCS_MEMORY_MIB' };
    expect(said(41, { maxQubits: 27, stateMemory: memory })).toBe(
      '41 qubits need 32 TiB; this service holds 27 qubits (2 GiB). QCS_MEMORY_MIB raises it.',
    );
  });

  test('names no setting if none raises the limit', () => {
    const memory = { bytes: 2 ** 31, bytesPerAmplitude: 16 };
    expect(said(28, { maxQubits: 27, stateMemory: memory })).toMatch(/\(2 GiB\)\.$/);
  });

  test('does not mention memory that is sufficient', () => {
    const low = { ...limits, maxQubits: 12 };
    expect(said(13, low)).toBe('It has 13 qubits; the limit max_qubits is 12.');
    expect(said(22, low)).toContain('64 MiB');
  });

  test('gives no figure if memory is not the limit or the figure is absurd', () => {
    expect(said(30, { maxQubits: 20 })).toBe('It has 30 qubits; the limit max_qubits is 20.');
    expect(said(1e12, limits)).toMatch(/max_qubits is 21\.$/);
  });
});
