/** The reference sample of a text. The outcomes are those of `stim.Circuit(text).reference_sample()` of Stim 1.16. */
import { expect, test } from 'vitest';
import { readStim } from '../../../../src/circuit/stim/read-stim.ts';
import { asCollapsed } from '../../../../src/compiler/clifford/as-collapsed.ts';
import { compileAsWritten } from '../../../../src/compiler/clifford/compile-stabilizer.ts';
import type { StabilizerProgram } from '../../../../src/compiler/program.ts';
import { readBit } from '../../../../src/engine/classical-bits.ts';
import { openPlainKernels } from '../../../../src/engine/stabilizer/plain-kernels.ts';
import { referenceSample } from '../../../../src/engine/stabilizer/run-stabilizer.ts';
import { TimeSlicer } from '../../../../src/engine/time-slicer.ts';
import { NEVER } from '../../../support/engine-runs.ts';

const LIMITS = { maxQubits: 10, maxGates: 60 };

test.each([
  ['an inverted outcome is inverted after it was drawn', 'H 0 1\nM 0 !1', '01'],
  ['Z is measured in the order of targets', 'H 0\nCX 0 1\nX 0\nM 1 0', '01'],
  ['X is measured by ascending qubits', 'H 0\nCX 0 1\nZ 0\nMX 1 0', '10'],
  ['a reset of X leaves what a measurement of X does', 'H 0\nCX 0 1\nZ 0\nRX 0\nMX 1', '1'],
  ['a reset of Y leaves what a measurement of Y does', 'H 0\nCX 0 1\nRY 1\nMY 0', '1'],
  ['a last measurement comes after a reset before it', 'H 0\nCX 0 1\nX 1\nR 1\nM 0', '1'],
  ['products are inverted, too', 'MPP !X0*X1 Z0*Z1\nMXX 0 !1', '101'],
  ['conditions read inverted outcomes', 'H 0\nM !0\nCX rec[-1] 1\nM 1', '11'],
  ['noise is left out', 'MPAD 1 0\nX_ERROR(1) 0\nHERALDED_ERASE(1) 0\nM 0', '1000'],
  [
    'loops have the outcomes of all rounds',
    'REPEAT 5 {\n  H 0\n  CX 0 1\n  X 1\n  MR !1\n  M 0\n  CX rec[-1] 2 rec[-2] 2\n  M 2\n}',
    '110110110110110',
  ],
  [
    'rounds that are not unrolled are the same',
    'REPEAT 40 {\n  H 0\n  M !0\n  R 0\n}',
    '1'.repeat(40),
  ],
])('%s', async (_, text, expected) => {
  const { circuit } = readStim(text, LIMITS, { takesLoops: true });
  // Checked: the texts have Clifford gates alone.
  const program = compileAsWritten(asCollapsed(circuit)) as StabilizerProgram;
  const slicer = new TimeSlicer(NEVER, () => {});
  const { register } = await referenceSample(program, openPlainKernels(), slicer);
  const bits = Array.from(expected, (_, bit) => readBit(register, bit));
  expect(bits.join('')).toBe(expected);
});
