/** Printed OpenQASM reads back as the same circuit. */
import { describe, expect, test } from 'vitest';
import type { Circuit, Condition } from '../../src/circuit/circuit.ts';
import { OpenQasmUnprintableError } from '../../src/circuit/errors.ts';
import { GATES } from '../../src/circuit/gates.ts';
import { parseOpenQasm } from '../../src/circuit/openqasm/parse-openqasm.ts';
import { printOpenQasm } from '../../src/circuit/openqasm/print-openqasm.ts';
import { matrixOfOperations } from '../../src/circuit/operation-matrix.ts';
import { maxAbsDifference } from '../../src/math/complex-matrix.ts';
import {
  gate,
  randomDynamicCircuit,
  randomGates,
  randomUnitary,
} from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { differenceUpToPhase, unitaryOf } from '../support/small-unitary.ts';
import { exactOutcomes, finalAmplitudes } from '../support/state-oracle.ts';

const limits = { maxQubits: 30, maxGates: 1_000_000 };
const VERSIONS = ['2', '3'] as const;
const SEEDS = seeds(10);

const readBack = (circuit: Circuit, version: '2' | '3') =>
  parseOpenQasm(printOpenQasm(circuit, version), limits);

/** Equal including the global phase in version 3, up to it in version 2. */
function distance(circuit: Circuit, version: '2' | '3'): number {
  const [before, after] = [circuit, readBack(circuit, version)].map(unitaryOf);
  return version === '3' ? maxAbsDifference(before!, after!) : differenceUpToPhase(before!, after!);
}

describe.each(VERSIONS)('in OpenQASM %s', (version) => {
  testSeeds('random gates, unitaries and barriers keep their unitary', SEEDS, (seed) => {
    const stream = new RandomStream(1000 + seed);
    const numQubits = 3 + (seed % 2);
    const operations = randomGates(stream, numQubits, 8, 3);
    expect(distance({ numQubits, numBits: 0, operations }, version)).toBeLessThan(1e-11);
  });

  test.each(GATES.map((definition) => [definition.name, definition] as const))(
    '%s keeps its unitary under none, one and two further controls',
    (name, { numControls, numTargets, parameters }) => {
      for (const further of [0, 1, 2]) {
        const controls = Array.from({ length: numControls + further }, (_, i) => i + numTargets);
        const targets = Array.from({ length: numTargets }, (_, i) => i);
        const angles = parameters.map((_, i) => 0.7 - i);
        const numQubits = Math.max(1, numTargets + controls.length);
        const operations = [gate('H', [0]), gate(name, targets, controls, angles)];
        expect(distance({ numQubits, numBits: 0, operations }, version)).toBeLessThan(1e-11);
      }
    },
  );

  test.each([
    [4, 0],
    [3, 2],
    [1, 5],
    [1, 0],
  ])('a unitary on %i qubits under %i controls keeps its matrix', (numTargets, numControls) => {
    const matrix = randomUnitary(new RandomStream(7), numTargets);
    const numQubits = numTargets + numControls;
    const all = Array.from({ length: numQubits }, (_, i) => (i * 5) % numQubits || i);
    const qubits = [...new Set([...all, ...all.keys()])];
    const [targets, controls] = [qubits.slice(0, numTargets), qubits.slice(numTargets)];
    const unitary = { kind: 'unitary', controls, targets, matrix } as const;
    const { operations } = readBack({ numQubits, numBits: 0, operations: [unitary] }, version);
    const gates = operations.flatMap((o) => (o.kind === 'gate' || o.kind === 'unitary' ? [o] : []));
    const [before, after] = [[unitary], gates].map((list) => matrixOfOperations(list, numQubits));
    expect(differenceUpToPhase(before!, after!)).toBeLessThan(1e-9);
    if (version === '3') expect(maxAbsDifference(before!, after!)).toBeLessThan(1e-9);
  });

  test('a unitary on six qubits keeps what it makes of a state', () => {
    const tilts = Array.from({ length: 6 }, (_, q) => gate('RY', [q], [], [1 + q / 3]));
    const targets = [3, 0, 5, 1, 4, 2];
    const matrix = randomUnitary(new RandomStream(8), 6);
    const unitary = { kind: 'unitary', controls: [], targets, matrix } as const;
    const circuit = { numQubits: 6, numBits: 0, operations: [...tilts, unitary] };
    const [before, after] = [circuit, readBack(circuit, version)].map(finalAmplitudes);
    // An overlap of size 1 is equality up to the phase.
    let [re, im] = [0, 0];
    for (let i = 0; i < before!.length; i += 2) {
      re += before![i]! * after![i]! + before![i + 1]! * after![i + 1]!;
      im += before![i]! * after![i + 1]! - before![i + 1]! * after![i]!;
    }
    expect(Math.hypot(re, im)).toBeCloseTo(1, 9);
    if (version === '3') expect([re, im]).toEqual([expect.closeTo(1, 9), expect.closeTo(0, 9)]);
  });

  test.each([3, 4, 5, 6, 7])('X and RX under %i controls, with and without spare qubits', (n) => {
    for (const spare of [0, 1, 2]) {
      const controls = Array.from({ length: n }, (_, i) => i + 1);
      for (const use of [gate('X', [0], controls), gate('RX', [0], controls, [0.4])]) {
        const circuit = { numQubits: n + 1 + spare, numBits: 0, operations: [use] };
        const { operations } = readBack(circuit, version);
        const gates = operations.flatMap((o) => (o.kind === 'gate' ? [o] : []));
        const [before, after] = [[use], gates].map((list) =>
          matrixOfOperations(list, circuit.numQubits),
        );
        expect(differenceUpToPhase(before!, after!)).toBeLessThan(1e-11);
        if (version === '2') expect(gates.every((o) => o.controls.length <= 2)).toBe(true);
      }
      if (n > 5) break;
    }
  });

  test('measurements, resets and conditions keep the exact distribution of outcomes', () => {
    let numPrinted = 0;
    for (const seed of SEEDS) {
      const circuit = randomDynamicCircuit(new RandomStream(2000 + seed), 3, 3, 10);
      let printed: Circuit;
      try {
        printed = readBack(circuit, version);
      } catch (error) {
        if (version === '3' || !(error instanceof OpenQasmUnprintableError)) throw error;
        continue;
      }
      numPrinted++;
      expect(printed.numBits).toBe(circuit.numBits);
      const [before, after] = [circuit, printed].map(exactOutcomes);
      for (const label of new Set([...before!.keys(), ...after!.keys()])) {
        expect(after!.get(label) ?? 0).toBeCloseTo(before!.get(label) ?? 0, 9);
      }
    }
    expect(numPrinted).toBeGreaterThan(version === '3' ? SEEDS.length - 1 : SEEDS.length / 10 - 1);
  });
});

const x = gate('X', [0]);
const under = (condition: Condition) => ({ ...x, condition });
const withBits = (...conditions: readonly Condition[]): Circuit => ({
  numQubits: 1,
  numBits: 4,
  operations: conditions.map(under),
});

describe('conditions', () => {
  test.each([
    ['one bit', [{ bits: [2], value: 1 }]],
    ['a register in another order', [{ bits: [2, 1, 3], value: 3 }]],
    ['all bits in another order', [{ bits: [3, 1, 2, 0], value: 3 }]],
    [
      'two registers',
      [
        { bits: [0, 1], value: 2 },
        { bits: [3], value: 0 },
        { bits: [1, 0], value: 2 },
      ],
    ],
  ])('on %s are printed in both versions', (_, conditions) => {
    const told = ({ operations }: Circuit) =>
      operations.map((o) =>
        o.kind === 'gate'
          ? o.condition?.bits
              .map((bit, i) => [bit, Math.floor((o.condition?.value ?? 0) / 2 ** i) % 2])
              .sort()
          : [],
      );
    const circuit = withBits(...conditions);
    for (const version of VERSIONS) expect(told(readBack(circuit, version))).toEqual(told(circuit));
  });

  test.each([
    ['bits apart', [{ bits: [0, 2], value: 1 }], 'not next to each other'],
    [
      'overlapping bits',
      [
        { bits: [0, 1], value: 1 },
        { bits: [1], value: 1 },
      ],
      'Operation 1 has a condition on the bits 1, some of which another',
    ],
  ])('on %s are refused in version 2 by name', (_, conditions, problem) => {
    const refused = expect(() => printOpenQasm(withBits(...conditions), '2'));
    refused.toThrow(expect.objectContaining({ code: 'CIRCUIT_OPENQASM_UNPRINTABLE' }));
    refused.toThrow(problem);
  });
});

test('a Bell circuit is printed in its usual form', () => {
  const circuit: Circuit = {
    numQubits: 2,
    numBits: 2,
    operations: [
      gate('H', [0]),
      gate('CX', [1], [0]),
      { kind: 'measure', qubits: [0, 1], bits: [0, 1] },
    ],
  };
  expect(printOpenQasm(circuit, '3')).toBe(`OPENQASM 3.0;
include "stdgates.inc";
bit[2] c;
qubit[2] q;
h q[0];
cx q[0], q[1];
c = measure q;
`);
  expect(printOpenQasm(circuit, '2')).toBe(`OPENQASM 2.0;
include "qelib1.inc";
qreg q[2];
creg c[2];
h q[0];
cx q[0], q[1];
measure q[0] -> c[0];
measure q[1] -> c[1];
`);
});
