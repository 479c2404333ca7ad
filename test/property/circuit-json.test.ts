import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidCircuitError } from '../../src/circuit/errors.ts';
import type { GateObject } from '../../src/circuit/gate-object.ts';
import {
  circuitFromGateObjects,
  openCircuitFromGateObjects,
} from '../../src/circuit/gate-objects.ts';
import { gateObjectsFromCircuit } from '../../src/circuit/gate-objects-from-circuit.ts';
import { inputColumns } from '../../src/circuit/input-columns.ts';
import { numCases } from '../support/seeds.ts';
import { circuits } from './circuit-arbitrary.ts';

const limits = { maxQubits: 30, maxGates: 1000 };

describe('gate objects', () => {
  test('of any circuit, through JSON text, give the same circuit again', () => {
    fc.assert(
      fc.property(circuits, (circuit) => {
        const text = JSON.stringify(gateObjectsFromCircuit(circuit));
        const objects: readonly GateObject[] = JSON.parse(text);
        const again = circuitFromGateObjects(objects, { numQubits: circuit.numQubits, limits });
        expect(again).toEqual(circuit);
      }),
      { seed: 20, numRuns: numCases(75) },
    );
  });

  test('are read, or refused with a path into the list for each fault, and nothing else', () => {
    const index = fc.oneof(fc.integer({ min: -2, max: 6 }), fc.constantFrom(0.5, Number.NaN, 1e12));
    const numbers = fc.array(index, { maxLength: 4 });
    const row = fc.array(fc.tuple(fc.double(), fc.double()), { maxLength: 3 });
    const inputAngle = fc.record(
      { input: fc.constantFrom('a', 'b', '__proto__'), scale: fc.double(), offset: fc.double() },
      { requiredKeys: ['input'] },
    );
    const fields = fc.record({
      qubit: index,
      target: index,
      control: index,
      controls: numbers,
      qubits: numbers,
      targets: numbers,
      theta: fc.oneof(fc.double(), inputAngle),
      bits: numbers,
      matrix: fc.array(row, { maxLength: 3 }),
      condition: fc.record({ bits: numbers, value: index }),
    });
    const kept = fc.subarray(
      [
        'qubit',
        'target',
        'control',
        'controls',
        'qubits',
        'targets',
        'theta',
        'bits',
        'matrix',
        'condition',
      ] as const,
      { maxLength: 3 },
    );
    const gate = fc.constantFrom(
      ...['H', 'cx', 'RX', 'swap', 'CSWAP', 'GPHASE', 'UNITARY', 'M', 'reset', 'barrier', 'hh'],
    );
    const gateObject = fc.tuple(gate, fields, kept).map(
      ([gate, fields, kept]): GateObject => ({
        gate,
        ...Object.fromEntries(kept.map((field) => [field, fields[field]])),
      }),
    );
    let [numRead, numOpen] = [0, 0];
    const isRead = (read: () => unknown, paths: RegExp): boolean => {
      try {
        read();
        return true;
      } catch (error) {
        if (!(error instanceof InvalidCircuitError)) throw error;
        expect(error.faults.length).toBe(Math.min(20, error.numFaults));
        for (const { path } of error.faults) expect(path).toMatch(paths);
        return false;
      }
    };
    const inputs = inputColumns({ a: [0.5, 1] });
    fc.assert(
      fc.property(fc.array(gateObject, { maxLength: 3 }), (objects) => {
        const inCircuit = /^circuit($|\[\d\]\.[a-z])/;
        if (isRead(() => circuitFromGateObjects(objects, { limits }), inCircuit)) numRead++;
        const open = [{ gate: 'RX', qubit: 0, theta: { input: 'a' } }, ...objects];
        const read = () => openCircuitFromGateObjects(open, { limits }, inputs, 1);
        if (isRead(read, /^(circuit($|\[\d\]\.[a-z])|inputs\.(b|__proto__)$)/)) numOpen++;
      }),
      { seed: 21, numRuns: numCases(500) },
    );
    expect(numRead).toBeGreaterThan(numCases(2));
    expect(numOpen).toBeGreaterThan(numCases(2));
  });
});
