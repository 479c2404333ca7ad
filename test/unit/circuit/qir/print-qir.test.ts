/** Circuits printed in QIR's base profile: they are read back as the same circuit, or refused. */
import { expect, test } from 'vitest';
import { type Circuit, isStatic } from '../../../../src/circuit/circuit.ts';
import { QirUnprintableError } from '../../../../src/circuit/errors.ts';
import { noisyCircuitFromGateObjects } from '../../../../src/circuit/gate-objects.ts';
import { matrixOfOperations } from '../../../../src/circuit/operation-matrix.ts';
import { printQir } from '../../../../src/circuit/qir/print-qir.ts';
import { readQir } from '../../../../src/circuit/qir/read-qir.ts';
import { maxAbsDifference } from '../../../../src/math/complex-matrix.ts';
import { randomGates } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { seeds, testSeeds } from '../../../support/seeds.ts';

const LIMITS = { maxQubits: 10, maxGates: 1000 };

type Gates = Parameters<typeof noisyCircuitFromGateObjects>[0];

function circuitOf(gates: Gates): Circuit {
  const circuit = noisyCircuitFromGateObjects(gates, { limits: LIMITS });
  if (!isStatic(circuit)) throw new Error('The circuit has noise.');
  return circuit;
}

const matrixOf = ({
  operations,
  numQubits,
}: {
  readonly numQubits: number;
  readonly operations: Circuit['operations'];
}) =>
  matrixOfOperations(
    operations.filter((operation) => operation.kind === 'gate' || operation.kind === 'unitary'),
    numQubits,
  );

/** The largest difference of two unitaries but for a phase. */
function difference(left: Float64Array, right: Float64Array): number {
  let [re, im] = [0, 0];
  for (let i = 0; i < left.length; i += 2) {
    re += left[i]! * right[i]! + left[i + 1]! * right[i + 1]!;
    im += left[i + 1]! * right[i]! - left[i]! * right[i + 1]!;
  }
  const size = Math.hypot(re, im);
  const turned = right.map((_, i) => {
    const [a, b] = [right[i & ~1]!, right[i | 1]!];
    return (i % 2 === 0 ? a * re - b * im : a * im + b * re) / size;
  });
  return maxAbsDifference(left, turned);
}

testSeeds('gates on two qubits are read back as the same unitary', seeds(30), (seed) => {
  const circuit = {
    numQubits: 2,
    numBits: 0,
    operations: randomGates(new RandomStream(seed), 2, 20, 2),
  };
  const back = readQir(printQir(circuit), LIMITS).circuit;
  if (!isStatic(back)) throw new Error('The circuit computes.');
  expect(difference(matrixOf(circuit), matrixOf(back))).toBeLessThan(1e-9);
});

test('gates with functions, measurements and the order of bits are kept', () => {
  const gates: Gates = [
    { gate: 'H', qubit: 0 },
    { gate: 'SDG', qubit: 1 },
    { gate: 'RZ', qubit: 2, theta: 0.1 },
    { gate: 'CX', control: 0, target: 1 },
    { gate: 'CCX', controls: [0, 1], target: 2 },
    { gate: 'RXX', qubits: [0, 2], theta: -1e-300 },
    { gate: 'M', qubits: [2, 0], bits: [0, 1] },
  ];
  const circuit = circuitOf(gates);
  const { circuit: back, recorded } = readQir(printQir(circuit), LIMITS);
  expect(back.operations.slice(0, 6)).toEqual(circuit.operations.slice(0, 6));
  expect(back.operations.slice(6)).toEqual([
    { kind: 'measure', qubits: [2], bits: [0] },
    { kind: 'measure', qubits: [0], bits: [1] },
  ]);
  expect(recorded.map(({ label }) => label)).toEqual(['r', 'r0', 'r1']);
});

test.each<[string, Gates]>([
  [
    'is under a condition',
    [
      { gate: 'M', qubits: [0] },
      { gate: 'X', qubit: 1, condition: { bits: [0], value: 1 } },
    ],
  ],
  [
    'acts on qubit 0 after its measurement',
    [
      { gate: 'M', qubits: [0] },
      { gate: 'X', qubit: 0 },
    ],
  ],
  ['is a reset', [{ gate: 'RESET', qubits: [0] }]],
  ['is a gate on more than two qubits', [{ gate: 'X', target: 0, controls: [1, 2, 3] }]],
])('what the base profile does not have is refused: %s', (problem, gates) => {
  expect(() => printQir(circuitOf(gates))).toThrow(QirUnprintableError);
  expect(() => printQir(circuitOf(gates))).toThrow(problem);
});
