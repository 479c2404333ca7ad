import { describe, expect, test } from 'vitest';
import {
  circuitOfParameter,
  circuitOfText,
  inputsOf,
  observablesOf,
} from '../../../src/console/sweeps/program-text.ts';

const GATES = '[{"gate":"RY","qubit":0,"theta":{"input":"a","scale":2}},{"gate":"X","qubit":0}]';

describe('the text of a circuit', () => {
  test('is a list of gates, an object with one, or else OpenQASM', () => {
    expect(circuitOfText(GATES)).toHaveProperty('circuit.length', 2);
    expect(circuitOfText(` {"circuit": ${GATES}, "qubits": 3}`)).toMatchObject({ qubits: 3 });
    expect(circuitOfText('OPENQASM 3.0;')).toEqual({ qasm: 'OPENQASM 3.0;' });
  });

  test.each(['[{]', '{"gates": []}'])('%s is refused', (text) => {
    expect(() => circuitOfText(text)).toThrow(SyntaxError);
    expect(inputsOf(text)).toEqual([]);
  });

  test('names its inputs once each, in their order', () => {
    const two = GATES.replace(']', ',{"gate":"RX","qubit":0,"theta":{"input":"b"}}]');
    expect(inputsOf(two)).toEqual(['a', 'b']);
    expect(inputsOf(two.replace('"b"', '"a"'))).toEqual(['a']);
  });

  test('declares inputs in OpenQASM, but not in comments', () => {
    const qasm = `OPENQASM 3.0; input float a;
      // input float no;
      /* input float never; */ input angle[32] θ_1;
      output bit c; qubit q; rx(a) q;`;
    expect(inputsOf(qasm)).toEqual(['a', 'θ_1']);
  });

  test('comes from an address as itself or in base64url', () => {
    const encoded = Buffer.from('input float θ;').toString('base64url');
    expect(circuitOfParameter(encoded)).toBe('input float θ;');
    expect(circuitOfParameter(GATES)).toBe(GATES);
    expect(circuitOfParameter('a')).toBe('a');
  });
});

describe('observables', () => {
  test('are Pauli strings or sums of them, with a name if one is given', () => {
    expect(observablesOf('z0 Z1\n\nenergy = -0.5*X0 + 2e-1 Z0 Z12 - 3\n I')).toEqual([
      { label: 'z0 Z1', terms: [{ pauli: 'Z0 Z1', coefficient: 1 }] },
      {
        label: 'energy',
        terms: [
          { pauli: 'X0', coefficient: -0.5 },
          { pauli: 'Z0 Z12', coefficient: 0.2 },
          { pauli: 'I', coefficient: -3 },
        ],
      },
      { label: 'I', terms: [{ pauli: 'I', coefficient: 1 }] },
    ]);
  });

  test('a long sum without a name has a short label', () => {
    const [observable] = observablesOf('0.25*Z0 + 0.25*Z1 + 0.25*Z2 + 0.25*Z3');
    expect(observable?.label).toBe('observable 1');
  });

  test('of the same label are refused', () => {
    expect(() => observablesOf('Z0\nZ0')).toThrow('"Z0" stands twice.');
  });

  test.each(['Z', 'Z0 2', 'Z0 + ', '+', 'A0', '0.5 * * Z0', 'e = ', '2 + Z0 Q1'])(
    '"%s" is no observable',
    (line) => expect(() => observablesOf(line)).toThrow(SyntaxError),
  );
});
