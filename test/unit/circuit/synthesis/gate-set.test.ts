/** Gate sets: universal ones write any circuit, others are refused with the reason. */
import { describe, expect, test } from 'vitest';
import { gateNamed } from '../../../../src/circuit/gates.ts';
import { matrixOfOperations } from '../../../../src/circuit/operation-matrix.ts';
import {
  findGateSet,
  type GateSet,
  gateSetFaults,
} from '../../../../src/circuit/synthesis/gate-set.ts';
import {
  type Synthesized,
  synthesizeOne,
  synthesizeTwo,
} from '../../../../src/circuit/synthesis/unitary-gates.ts';
import {
  type ComplexMatrix,
  identity,
  maxAbsDifference,
  multiply,
} from '../../../../src/math/complex-matrix.ts';
import { gate, randomUnitary } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';

const ONE_QUBIT_SETS = [
  'u',
  'u3',
  'u2',
  'r',
  'prx',
  'rz rx',
  'rz ry',
  'rx ry',
  'p rx',
  'p ry',
  'rz sx',
  'rz sx x',
  'p sx',
  'rz sxdg',
  'rz h',
  'p h',
  'u1 h t s',
  'rx h',
  'rx s',
  'rx t',
  'ry s',
  'ry tdg',
  'ry sx',
  'rx ry rz h s t',
];
const ENTANGLERS = [
  'cx',
  'cz',
  'cy',
  'ch',
  'ecr',
  'rzz',
  'rxx',
  'ryy',
  'rzx',
  'cp',
  'crx',
  'cry',
  'crz',
  'cu',
  'cu3',
  'fsim',
  'cs',
  'csx',
  'iswap',
  'xx+yy',
  'xx-yy',
  'dcx',
  'sqrtiswap',
  'swap sqrtiswap',
  'swap cz ccx',
];

const setOf = (names: string): GateSet => findGateSet(names.split(' '))!;

/** Names outside the set. */
function strangers({ operations }: Synthesized, { names }: GateSet): readonly string[] {
  return operations.flatMap(({ gate: name, controls }) =>
    names.has(name) && controls.length === gateNamed(name).numControls ? [] : [name],
  );
}

function errorOf({ operations, phase }: Synthesized, unitary: ComplexMatrix, numQubits: number) {
  const turn = gate('GPHASE', [], [], [phase]);
  return maxAbsDifference(matrixOfOperations([...operations, turn], numQubits), unitary);
}

/** Cliffords, rotations about axes, and nearly those. */
const SPECIAL = ['ID', 'X', 'Y', 'Z', 'H', 'S', 'SDG', 'T', 'SX', 'SXDG']
  .map((name) => gateNamed(name).matrix([]))
  .flatMap((matrix) => [
    matrix,
    multiply(gateNamed('RX').matrix([1e-7]), matrix),
    multiply(gateNamed('RY').matrix([1e-11]), matrix),
    multiply(gateNamed('RZ').matrix([0.3]), matrix),
    multiply(gateNamed('RY').matrix([Math.PI - 1e-9]), matrix),
  ]);

describe.each(ONE_QUBIT_SETS)('{%s, cx}', (names) => {
  test('writes any one-qubit gate', () => {
    const set = setOf(`${names} cx`);
    const stream = new RandomStream(61);
    const random = Array.from({ length: 200 }, () => randomUnitary(stream, 1));
    for (const unitary of [...SPECIAL, ...random]) {
      const found = synthesizeOne(unitary, 0, set);
      expect(strangers(found, set)).toEqual([]);
      expect(errorOf(found, unitary, 1)).toBeLessThan(1e-10);
    }
  });
});

describe.each(ENTANGLERS)('{%s, rz, h}', (names) => {
  test('writes any two-qubit gate', () => {
    const set = setOf(`${names} rz h`);
    const stream = new RandomStream(62);
    const random = Array.from({ length: 10 }, () => randomUnitary(stream, 2));
    const special = ['CX', 'ISWAP', 'SWAP', 'ECR', 'DCX', 'SQRTISWAP'].map((name) => {
      const { numControls } = gateNamed(name);
      return matrixOfOperations(
        [gate(name, numControls ? [1] : [0, 1], numControls ? [0] : [])],
        2,
      );
    });
    for (const unitary of [identity(4), ...special, ...random]) {
      const found = synthesizeTwo(unitary, [0, 1], set);
      expect(strangers(found, set)).toEqual([]);
      expect(errorOf(found, unitary, 2)).toBeLessThan(1e-10);
    }
  });
});

describe('a set is refused, with the reason', () => {
  test.each([
    ['h t s cx', 'has a free angle'],
    ['cx', 'has a free angle'],
    ['rz cx', 'leave the Z axis where it is'],
    ['rz p t x y z cx', 'leave the Z axis where it is'],
    ['rx x sx cx', 'leave the X axis where it is'],
    ['ry h z cx', 'leave the Y axis where it is'],
    ['u', 'no two-qubit gate'],
    ['u ccx', 'no two-qubit gate'],
    ['u swap', 'SWAP only exchanges qubits'],
  ])('{%s}', (names, reason) => {
    expect(findGateSet(names.split(' '))).toBeUndefined();
    const faults = gateSetFaults(names.split(' '));
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toContain(reason);
  });

  test('and so is one with an unknown name, at its index', () => {
    expect(gateSetFaults(['cx', 'rz', 'wobble'])).toMatchObject([{ index: 2 }]);
    expect(gateSetFaults(['cx', 'rzs'])[0]?.message).toContain('Did you mean');
    expect(gateSetFaults(['ms', 'u'])[0]?.message).toContain('rxx');
  });
});
