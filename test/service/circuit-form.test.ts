import { describe, expect, test, vi } from 'vitest';
import { gateObject } from '../../src/circuit/gate-object-schema.ts';
import { circuitForm } from '../../src/service/circuits/read-circuit.ts';

const rest = { target_processor: 'statevector-sim', shots: 1 };

function faultsOf(body: unknown): readonly { readonly path: string; readonly message: string }[] {
  const form = circuitForm(body, 1_000_000);
  return form.isGood ? [] : form.faults;
}

describe('a body of many bad entries', () => {
  test.each([
    ['numbers', 0],
    ['lists', []],
    ['objects', { a: 1 }],
    ['gates without a name', { qubit: 0 }],
  ])('(%s) is given up after twenty faults', (_, entry) => {
    const read = vi.spyOn(gateObject, 'safeParse');
    const faults = faultsOf({ ...rest, circuit: new Array(500_000).fill(entry) });
    const numRead = read.mock.calls.length;
    read.mockRestore();
    expect(faults.length).toBeGreaterThanOrEqual(20);
    expect(faults[0]?.path).toMatch(/^circuit\[0\]/);
    // All half a million through zod would take some seconds. Each of these entries has a fault or more.
    expect(numRead).toBeGreaterThan(0);
    expect(numRead).toBeLessThanOrEqual(20);
  });

  test.each([
    ['controls', { gate: 'H', qubit: 0, controls: new Array(200_000).fill('') }],
    ['matrix', { gate: 'UNITARY', qubits: [0], matrix: [new Array(200_000).fill(0)] }],
  ])('in an entry’s %s is refused by its length', (field, entry) => {
    const faults = faultsOf({ ...rest, circuit: [entry] });
    expect(faults).toHaveLength(1);
    expect(faults[0]?.path).toContain(`circuit[0].${field}`);
    expect(faults[0]?.message).toContain('200000 entries');
  });

  test.each([
    ['return', { return: new Array(5000).fill('x') }],
    ['inputs', { inputs: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [i, 'x'])) }],
    ['observables', { observables: new Array(10_001).fill({ pauli: 'Z0' }) }],
  ])('in %s is refused by its length', (path, fields) => {
    expect(faultsOf({ ...rest, circuit: [], ...fields })).toEqual([
      expect.objectContaining({ path, message: expect.stringMatching(/^(5000|10001) /) }),
    ]);
  });
});

describe('detectors', () => {
  test('have a limit of all their bits together', () => {
    const logical_observables = [Array.from({ length: 1_000_000 }, (_, bit) => bit)];
    const faults = faultsOf({ ...rest, circuit: [], detectors: [[0]], logical_observables });
    const message =
      '1,000,001 bits in all detectors and logical observables; the limit is 1,000,000.';
    expect(faults).toEqual([expect.objectContaining({ path: 'detectors', message })]);
  });

  test.each([
    ['are no lists', new Array(500_000).fill('c')],
    ['have bits that are none', [new Array(500_000).fill('c')]],
  ])('that %s are given up after some faults', (_, detectors) => {
    const faults = faultsOf({ ...rest, circuit: [], detectors });
    expect(faults.length).toBeGreaterThanOrEqual(20);
    expect(faults.length).toBeLessThan(50);
  });
});

describe('observables', () => {
  const circuit = [{ gate: 'H', qubit: 0 }];

  test.each([
    ['a misspelt field', [{ paulii: 'Z0' }], 'observables[0].paulii'],
    ['a term that is no object', ['Z0'], 'observables[0]'],
    [
      'a coefficient that is text',
      [{ pauli: 'Z0', coefficient: '1' }],
      'observables[0].coefficient',
    ],
    ['a huge coefficient', [{ pauli: 'Z0', coefficient: 1e300 }], 'observables[0].coefficient'],
    ['a bad term in a sum', [[{ pauli: 'Z0' }, { pauli: 1 }]], 'observables[0][1].pauli'],
  ])('with %s are a fault at its place', (_, observables, path) => {
    const paths = faultsOf({ ...rest, circuit, observables }).map((fault) => fault.path);
    expect(paths).toContain(path);
  });

  test.each([4096, 4097, 10_000])('may be %i terms, in one list or in several', (numTerms) => {
    const terms = new Array(numTerms).fill({ pauli: 'Z0' });
    for (const observables of [terms, [terms], [terms.slice(1), terms[0]]]) {
      const form = circuitForm({ ...rest, circuit, observables }, 100);
      expect(form).toEqual({ isGood: true, body: { ...rest, circuit, observables } });
    }
  });

  test('of more than ten thousand terms in all are refused', () => {
    const terms = new Array(10_001).fill({ pauli: 'Z0' });
    const message = '10001 Pauli terms in all; the limit is 10000.';
    for (const observables of [terms, [terms], [terms.slice(1), terms[0]]]) {
      expect(faultsOf({ ...rest, circuit, observables })).toEqual([
        { path: 'observables', message, code: 'CIRCUIT_LIMIT_EXCEEDED' },
      ]);
    }
  });
});

test('a gate of bad form keeps its place, and the meaning of what follows is still known', () => {
  const form = circuitForm(
    {
      ...rest,
      circuit: [
        { gate: 'H', qubt: 0 },
        { gate: 'X', qubit: 1 },
      ],
    },
    1_000_000,
  );
  expect(form).toMatchObject({
    isGood: false,
    parts: { circuit: [{ gate: 'BARRIER' }, { gate: 'X', qubit: 1 }] },
  });
});

test('after a measurement of bad form the meaning of what follows is not guessed', () => {
  const form = circuitForm(
    {
      ...rest,
      circuit: [
        { gate: 'M', qubts: [0] },
        { gate: 'X', qubit: 1 },
      ],
    },
    1_000_000,
  );
  expect(form).toMatchObject({ isGood: false, parts: { shots: 1 } });
  expect(form.isGood ? {} : form.parts).not.toHaveProperty('circuit');
});

test('a list longer than any processor takes is refused without a look at its entries', () => {
  const form = circuitForm({ ...rest, circuit: new Array(201).fill('no gate') }, 100);
  const message = '201 entries; the limit max_gates is 100.';
  const fault = { path: 'circuit', message, code: 'CIRCUIT_LIMIT_EXCEEDED' };
  expect(form).toMatchObject({ isGood: false, faults: [fault] });
});
