/** Clifford gates are recognised by an oracle of Kronecker products, which knows nothing of tableaux. */
import { describe, expect, test } from 'vitest';
import type {
  DynamicOperation,
  GateOperation,
  Operation,
  UnitaryOperation,
} from '../../../src/circuit/circuit.ts';
import { GATES } from '../../../src/circuit/gates.ts';
import { resetTo } from '../../../src/circuit/noise/named-channels.ts';
import { matrixOfOperations } from '../../../src/circuit/operation-matrix.ts';
import { compileStabilizer } from '../../../src/compiler/clifford/compile-stabilizer.ts';
import { STABILIZER_OPS } from '../../../src/compiler/program.ts';
import { randomClifford } from '../../support/clifford-circuits.ts';
import { circuitUnitary, type Matrix, matrixProduct } from '../../support/kronecker-oracle.ts';
import { gate, randomUnitary } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { seeds, testSeeds } from '../../support/seeds.ts';

const QUARTER = Math.PI / 2;
const NAMES = ['X', 'Y', 'Z', 'H', 'S', 'SDG', 'CX', 'CZ', 'SWAP'] as const;

/** The gates of a stabilizer program as gates of the table. */
function gatesOf(code: Int32Array): readonly Operation[] {
  return Array.from({ length: code.length / 4 }, (_, i) => {
    const [op, a = 0, b = 0] = code.subarray(4 * i, 4 * i + 3);
    const name = NAMES.find((each) => STABILIZER_OPS[each.toLowerCase() as 'x'] === op)!;
    if (name === 'SWAP') return gate(name, [a, b]);
    return name.startsWith('C') ? gate(name, [b], [a]) : gate(name, [a]);
  });
}

function compiled(numQubits: number, operations: readonly DynamicOperation[]) {
  return compileStabilizer({ numQubits, numBits: 0, operations });
}

/** The unitary of operations, with its phase such that its first largest entry is positive. */
function unitaryOf(numQubits: number, operations: readonly Operation[]): readonly number[] {
  const flat = circuitUnitary({ numQubits, numBits: 0, operations }).flat();
  const largest = Math.max(...flat.map(([re, im]) => Math.hypot(re, im)));
  const [re, im] = flat.find(([a, b]) => Math.hypot(a, b) > largest - 1e-6)!;
  return flat.flatMap(([a, b]) => [
    (a * re + b * im) / Math.hypot(re, im),
    (b * re - a * im) / Math.hypot(re, im),
  ]);
}

const difference = (a: readonly number[], b: readonly number[]) =>
  Math.max(...a.map((entry, i) => Math.abs(entry - b[i]!)));

/** The matrices of all Pauli strings on three qubits; two bits of the index are a letter. */
const STRINGS: readonly Matrix[] = Array.from({ length: 64 }, (_, number) => {
  const letters = [0, 1, 2].map((q) => gate(['ID', 'X', 'Y', 'Z'][(number >> (2 * q)) & 3]!, [q]));
  return circuitUnitary({ numQubits: 3, numBits: 0, operations: letters });
});

/** Whether a unitary on three qubits sends each X and Z to a Pauli string, by trying all of them. */
function isClifford(operation: Operation): boolean {
  const unitary = circuitUnitary({ numQubits: 3, numBits: 0, operations: [operation] });
  const adjoint: Matrix = unitary.map((row, i) =>
    row.map((_, j) => [unitary[j]![i]![0], -unitary[j]![i]![1]] as const),
  );
  const generators = [0, 1, 2].flatMap((q) => [4 ** q, 3 * 4 ** q]);
  return generators.every((generator) => {
    const image = matrixProduct(matrixProduct(unitary, STRINGS[generator]!), adjoint).flat(2);
    return STRINGS.some((string) => {
      const plain = string.flat(2);
      return [1, -1].some((sign) => image.every((x, i) => Math.abs(x - sign * plain[i]!) < 1e-9));
    });
  });
}

const ANGLES = [0, QUARTER, 2 * QUARTER, 3 * QUARTER, -QUARTER, QUARTER / 2, 0.3];

/** Every gate of the table on up to three qubits, with further controls, at some angles. */
const CASES = GATES.filter(({ numTargets }) => numTargets > 0).flatMap((definition) => {
  const { name, numControls, numTargets, parameters } = definition;
  return [0, 1, 2].flatMap((more) => {
    const numOperands = numControls + more + numTargets;
    if (numOperands > 3) return [];
    const qubits = [2, 0, 1].slice(0, numOperands);
    const [controls, targets] = [
      qubits.slice(0, numControls + more),
      qubits.slice(numControls + more),
    ];
    const some = parameters.length === 0 ? [0] : ANGLES;
    return some.map((angle) => {
      const angles = parameters.map((_, i) => (i === 0 ? angle : QUARTER * (i + 1)));
      return gate(name, targets, controls, angles);
    });
  });
});

describe('compileStabilizer', () => {
  test('recognises exactly the Clifford gates of the table', () => {
    const wrong: string[] = [];
    let numClifford = 0;
    for (const operation of CASES) {
      const expected = isClifford(operation);
      if (expected) numClifford++;
      const program = compiled(3, [operation]);
      const written = `${operation.gate} ${operation.controls.length} ${operation.angles}`;
      if ('kind' in program === expected) wrong.push(written);
      if ('kind' in program) continue;
      const own = unitaryOf(3, gatesOf(program.code));
      if (!(difference(own, unitaryOf(3, [operation])) < 1e-9)) wrong.push(written);
    }
    expect(wrong).toEqual([]);
    expect(numClifford).toBeGreaterThan(100);
  });

  testSeeds('recognises explicit matrices on up to four qubits', seeds(20), (seed) => {
    const stream = new RandomStream(600 + seed);
    const numQubits = 1 + (seed % 4);
    const gates = Array.from({ length: 8 * numQubits }, () => randomClifford(stream, numQubits));
    const matrix = matrixOfOperations(gates as GateOperation[], numQubits);
    const targets = stream.distinct(numQubits, numQubits);
    const operation: UnitaryOperation = { kind: 'unitary', controls: [], targets, matrix };
    const program = compiled(numQubits, [operation]);
    if ('kind' in program) throw new Error(program.operation);
    const own = unitaryOf(numQubits, gatesOf(program.code));
    expect(difference(own, unitaryOf(numQubits, [operation]))).toBeLessThan(1e-9);
  });

  test('takes few gates for those that programs have themselves', () => {
    const lengthOf = (operation: Operation) => {
      const program = compiled(2, [operation]);
      return 'kind' in program ? undefined : program.code.length / 4;
    };
    expect(lengthOf(gate('CX', [0], [1]))).toBe(1);
    expect(lengthOf(gate('CZ', [0], [1]))).toBe(1);
    expect(lengthOf(gate('SWAP', [0, 1]))).toBe(1);
    expect(lengthOf(gate('ID', [0]))).toBe(0);
    expect(lengthOf(gate('U', [0], [], [0, 0, Math.PI]))).toBe(1);
  });

  test('refuses a random unitary', () => {
    const matrix = randomUnitary(new RandomStream(1), 2);
    const operation: UnitaryOperation = { kind: 'unitary', controls: [], targets: [0, 1], matrix };
    expect(compiled(2, [operation])).toMatchObject({ kind: 'not-clifford' });
  });

  test('names the first gate that is not Clifford, within loops too', () => {
    const loop: DynamicOperation = {
      kind: 'while',
      condition: { bits: [0], value: 0 },
      body: [gate('H', [0]), gate('RZ', [1], [], [0.3])],
    };
    expect(compiled(2, [gate('H', [0]), loop, gate('T', [0])])).toEqual({
      kind: 'not-clifford',
      place: [1, 1],
      operation: 'RZ(0.3) on qubit 1',
    });
    expect(compiled(3, [gate('CX', [0], [1, 2])])).toMatchObject({
      operation: 'CX on qubits 1, 2, 0',
    });
  });

  test('refuses noise that is no mixture of Pauli errors, and takes resets by chance', () => {
    const noise = (matrices: readonly Float64Array[]): DynamicOperation => ({
      kind: 'noise',
      qubits: [0],
      channel: { kind: 'kraus', numQubits: 1, matrices },
    });
    const damping = noise([
      Float64Array.of(1, 0, 0, 0, 0, 0, Math.sqrt(0.8), 0),
      Float64Array.of(0, 0, Math.sqrt(0.2), 0, 0, 0, 0, 0),
    ]);
    expect(compiled(1, [damping])).toMatchObject({ kind: 'not-clifford', place: [0] });
    const channel = resetTo(1, 0.25)!;
    const program = compiled(1, [{ kind: 'noise', qubits: [0], channel }]);
    if ('kind' in program) throw new Error(program.operation);
    expect(program.resetProbabilities[0]).toBeCloseTo(0.25, 12);
    expect(program.reference).toBe('none');
  });

  describe('finds what frames differ from', () => {
    const measured: DynamicOperation = { kind: 'measure', qubits: [0], bits: [0] };
    const misread: DynamicOperation = { kind: 'misread', bits: [1], p1Given0: 0.1, p0Given1: 0 };
    const condition = { bits: [0], value: 1 };
    const known = { bits: [1], value: 1 };
    const cases: Readonly<Record<string, readonly [DynamicOperation[], string]>> = {
      'Paulis under a condition': [[{ ...gate('Y', [1]), condition }], 'shared'],
      'a loop': [[{ kind: 'while', condition, body: [gate('X', [0])] }], 'none'],
      'CX and a reset under a condition': [
        [
          gate('H', [0]),
          gate('H', [1]),
          { ...gate('CX', [0], [1]), condition },
          { kind: 'reset', qubits: [1], condition },
        ],
        'zero',
      ],
      'CZ on qubits of two bases': [
        [gate('H', [1]), { ...gate('CZ', [0], [1]), condition }],
        'zero',
      ],
      'CX on qubits of two bases': [
        [
          { ...gate('CZ', [0], [1]), condition: known },
          { ...gate('CX', [0], [1]), condition: known },
        ],
        'pattern',
      ],
      'CZ on qubits of one basis': [
        [
          { ...gate('CX', [0], [1]), condition: known },
          { ...gate('CZ', [0], [1]), condition: known },
        ],
        'pattern',
      ],
      'bases that are exchanged': [
        [
          gate('CX', [0], [1]),
          gate('H', [0]),
          gate('SWAP', [0, 2]),
          { ...gate('CX', [0], [1]), condition: known },
        ],
        'zero',
      ],
      'H under a measured bit': [[{ ...gate('H', [1]), condition }], 'none'],
      'H under a bit that nothing measures': [[{ ...gate('H', [1]), condition: known }], 'pattern'],
      'S under a bit that a measurement decides': [
        [
          {
            kind: 'assign',
            bits: [1],
            value: { kind: 'read', bits: [0], encoding: 'uint', type: 'uint' },
          },
          { ...gate('S', [1]), condition: known },
        ],
        'none',
      ],
      'S under a bit that is misread where a measured one is 1': [
        [
          { ...misread, condition },
          { ...gate('S', [1]), condition: known },
        ],
        'none',
      ],
    };
    test.each(Object.entries(cases))('in %s', (_, [operations, reference]) => {
      const program = compileStabilizer({
        numQubits: 3,
        numBits: 2,
        operations: [measured, misread, ...operations, { kind: 'measure', qubits: [1], bits: [0] }],
      });
      expect(program).toMatchObject({ reference });
    });
  });
});
