/**
 * Error models of texts with random detectors and with observables of Pauli operators. The expected lines are those of
 * Stim 1.16: `circuit.detector_error_model(allow_gauge_detectors=True, approximate_disjoint_errors=True)`, its
 * probabilities to 15 digits.
 */
import { expect, test } from 'vitest';
import { StepsSpentError } from '../../../src/circuit/circuit-limits.ts';
import { readStim } from '../../../src/circuit/stim/read-stim.ts';
import {
  compileAsWritten,
  compileStabilizer,
} from '../../../src/compiler/clifford/compile-stabilizer.ts';
import {
  detectorErrorModel,
  expectedParities,
} from '../../../src/compiler/clifford/error-model.ts';
import { printErrorModel } from '../../../src/compiler/clifford/print-error-model.ts';

function modelOf(text: string, allowGaugeDetectors: boolean) {
  const read = readStim(text, { maxQubits: 20, maxGates: 1000 });
  const { circuit, logicalObservables } = read.tracked ?? read;
  const program = allowGaugeDetectors ? compileAsWritten(circuit) : compileStabilizer(circuit);
  if ('kind' in program) throw new Error(program.operation);
  return detectorErrorModel(
    program,
    { detectors: read.detectors, logicalObservables },
    {
      decomposeErrors: false,
      approximateDisjointErrors: true,
      ignoreDecompositionFailures: true,
      blockDecompositionFromIntroducingRemnantEdges: false,
      allowGaugeDetectors,
    },
  );
}

test.each([
  [
    'R 0 1\nH 0\nCX 0 1\nX_ERROR(0.125) 0\nM 0 1\nDETECTOR rec[-1]\nDETECTOR rec[-2]\nDETECTOR rec[-1] rec[-2]',
    ['error(0.5) D0 D1', 'error(0.125) D1 D2'],
  ],
  ['RX 0 1\nM 0 1\nDETECTOR rec[-2]\nDETECTOR rec[-1] rec[-2]', ['error(0.5) D0', 'error(0.5) D1']],
  [
    'MRX 0 1 2\nM(0.25) 0 1 2\nDETECTOR rec[-3] rec[-2]\nDETECTOR rec[-2] rec[-1]\nDETECTOR rec[-1] rec[-4]\nDETECTOR rec[-6] rec[-3]',
    ['error(0.5) D0 D1', 'error(0.5) D0 D3', 'error(0.5) D1 D2', 'error(0.5) D2', 'error(0.5) D3'],
  ],
  [
    'MPP X0*Y1 Z0*Z1\nDEPOLARIZE1(0.1) 0\nMPP Z0*Z1 X0*Y1\nDETECTOR rec[-1] rec[-4]\nDETECTOR rec[-2] rec[-3]\nDETECTOR rec[-1] rec[-2]',
    [
      'error(0.0345253318743686) D0 D1',
      'error(0.0345253318743686) D0 D2',
      'error(0.0345253318743686) D1 D2',
      'error(0.5) D2',
    ],
  ],
  [
    'OBSERVABLE_INCLUDE(0) X0\nOBSERVABLE_INCLUDE(1) Z0\nDEPOLARIZE1(0.1) 0\nOBSERVABLE_INCLUDE(0) X0\nOBSERVABLE_INCLUDE(1) Z0',
    [
      'error(0.0345253318743686) L0',
      'error(0.0345253318743686) L0 L1',
      'error(0.0345253318743686) L1',
    ],
  ],
  [
    'OBSERVABLE_INCLUDE(0) X0 Z1\nZ_ERROR(0.125) 0\nH 0\nX_ERROR(0.25) 1\nM(0.0625) 0\nOBSERVABLE_INCLUDE(0) rec[-1] Z1',
    ['error(0.3359375) L0'],
  ],
  [
    'R 0\nX_ERROR(0.125) 0\nOBSERVABLE_INCLUDE(0) !Z0\nX_ERROR(0.25) 0\nM 0\nDETECTOR rec[-1]',
    ['error(0.25) D0', 'error(0.125) D0 L0'],
  ],
])('%j has the errors of Stim', (text, lines) => {
  const model = modelOf(text, true);
  if ('kind' in model) throw new Error(model.kind);
  expect(printErrorModel(model).trimEnd().split('\n')).toEqual(lines);
});

test('random detectors whose parity is certain have values of this parity', () => {
  // The first outcome is random, and the second is not it.
  const model = modelOf('MX 0\nZ 0\nMX 0\nDETECTOR rec[-1]\nDETECTOR rec[-2]', true);
  if ('kind' in model) throw new Error(model.kind);
  expect(model.expected.reduce((sum, value) => sum ^ value)).toBe(1);
});

test('random detectors are refused unless they are allowed, and random observables always', () => {
  const text = 'H 0\nM 0\nDETECTOR rec[-1]\nOBSERVABLE_INCLUDE(0) rec[-1]';
  const ofDetector = { kind: 'random', list: 'detectors', index: 0 };
  expect(modelOf(text, false)).toEqual(ofDetector);
  expect(modelOf(text, true)).toEqual(ofDetector);
  expect(modelOf('R 0\nOBSERVABLE_INCLUDE(0) X0', true)).toMatchObject({
    list: 'logicalObservables',
    index: 0,
  });
});

test('a bit that the detectors of a million rounds read is neither walked through for minutes nor in haste', () => {
  const text = `M 0\nREPEAT 1000000 {\n  R 1\n  DETECTOR rec[-1]\n}`;
  const read = readStim(text, { maxQubits: 20, maxGates: 1000 }, { takesLoops: true });
  const program = compileStabilizer(read.circuit);
  if ('kind' in program) throw new Error(program.operation);
  expect(() => expectedParities(program, read, 1_000_000)).toThrow(StepsSpentError);
  expect(expectedParities(program, read)).toEqual({ kind: 'long' });
});

test('many detectors of one bit are read in the time of one list', () => {
  const read = readStim('M 0\nREPEAT 200000 {\n  DETECTOR rec[-1]\n}', {
    maxQubits: 1,
    maxGates: 10_000,
  });
  const program = compileStabilizer(read.circuit);
  if ('kind' in program) throw new Error(program.operation);
  // A list for each detector would be some 10^10 numbers.
  expect(expectedParities(program, read, 1_000_000)).toHaveProperty('expected.length', 200_000);
});
