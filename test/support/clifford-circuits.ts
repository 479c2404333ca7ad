/** Random Clifford circuits with what stabilizer programs may have besides gates. */
import type {
  Condition,
  DynamicCircuit,
  DynamicOperation,
  GateOperation,
} from '../../src/circuit/circuit.ts';
import {
  type BitDiagram,
  type BitEncoding,
  type ClassicalExpression,
  FALSE_NODE,
  TRUE_NODE,
} from '../../src/circuit/classical-expression.ts';
import { krausChannel, pauliChannel, resetTo } from '../../src/circuit/noise/named-channels.ts';
import { gate } from './random-circuits.ts';
import type { RandomStream } from './random-stream.ts';

const QUARTER = Math.PI / 2;

/** What a random circuit may have. */
export interface CliffordParts {
  /** Measurements and resets before the end. */
  readonly readings?: boolean;
  readonly noise?: boolean;
  /** Paulis and Pauli noise under conditions, and bits computed from bits. */
  readonly paulisOnBits?: boolean;
  /** Any gate, measurement and reset under conditions, and resets by chance. */
  readonly anythingOnBits?: boolean;
  /** Gates that are not Clifford, and any gates under conditions. */
  readonly others?: boolean;
}

/** A random gate that is Clifford, by one of its names. */
export function randomClifford(stream: RandomStream, numQubits: number): GateOperation {
  const angle = QUARTER * stream.below(8);
  const q = stream.distinct(Math.min(3, numQubits), numQubits);
  const onOne: readonly (() => GateOperation)[] = [
    () => gate('H', [q[0]!]),
    () => gate('S', [q[0]!]),
    () => gate('SDG', [q[0]!]),
    () => gate('SX', [q[0]!]),
    () => gate('Y', [q[0]!]),
    () => gate('RX', [q[0]!], [], [angle]),
    () => gate('RY', [q[0]!], [], [angle]),
    () => gate('RZ', [q[0]!], [], [angle]),
    () => gate('U', [q[0]!], [], [angle, QUARTER * stream.below(4), QUARTER]),
  ];
  const onTwo: readonly (() => GateOperation)[] = [
    () => gate('CX', [q[1]!], [q[0]!]),
    () => gate('CX', [q[1]!], [q[0]!]),
    () => gate('CY', [q[1]!], [q[0]!]),
    () => gate('CZ', [q[1]!], [q[0]!]),
    () => gate('SWAP', [q[0]!, q[1]!]),
    () => gate('ISWAP', [q[0]!, q[1]!]),
    () => gate('ECR', [q[0]!, q[1]!]),
    () => gate('RXX', [q[0]!, q[1]!], [], [angle]),
    () => gate('RZZ', [q[0]!, q[1]!], [], [angle]),
  ];
  const choices = numQubits > 1 && stream.uniform() < 0.6 ? onTwo : onOne;
  return choices[stream.below(choices.length)]!();
}

/** A random gate that is not Clifford. */
function randomOther(stream: RandomStream, numQubits: number): GateOperation {
  const q = stream.distinct(Math.min(3, numQubits), numQubits);
  const angle = stream.angle();
  const choices: (() => GateOperation)[] = [
    () => gate('T', [q[0]!]),
    () => gate('TDG', [q[0]!]),
    () => gate('RX', [q[0]!], [], [angle]),
    () => gate('RY', [q[0]!], [], [angle]),
    () => gate('U', [q[0]!], [], [angle, stream.angle(), QUARTER]),
  ];
  if (numQubits > 1) {
    choices.push(
      () => gate('P', [q[0]!], [q[1]!], [angle]),
      () => gate('RZZ', [q[0]!, q[1]!], [], [angle]),
      () => gate('H', [q[0]!], [q[1]!]),
    );
  }
  if (numQubits > 2) choices.push(() => gate('X', [q[0]!], [q[1]!, q[2]!]));
  return stream.pick(choices)();
}

/** A random circuit that measures all of its qubits at the end. */
export function randomCliffordCircuit(
  stream: RandomStream,
  numQubits: number,
  numOperations: number,
  parts: CliffordParts = {},
): DynamicCircuit {
  const all = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const numBits = numQubits + 2;
  const operations: DynamicOperation[] = [];
  const condition = (): Condition => {
    const bits = stream.distinct(1 + stream.below(2), numBits);
    return { bits, value: stream.below(2 ** bits.length) };
  };
  const qubit = () => stream.below(numQubits);
  const bit = () => stream.below(numBits);
  while (operations.length < numOperations) {
    operations.push(randomClifford(stream, numQubits));
    const choices: (() => DynamicOperation)[] = [];
    if (parts.readings === true) {
      choices.push(() => ({ kind: 'measure', qubits: [qubit()], bits: [bit()] }));
      choices.push(() => ({ kind: 'reset', qubits: [qubit()] }));
    }
    if (parts.noise === true) {
      choices.push(() => ({ kind: 'noise', qubits: [qubit()], channel: ONE_QUBIT }));
      choices.push(() => ({
        kind: 'noise',
        qubits: stream.distinct(Math.min(2, numQubits), numQubits),
        channel: numQubits > 1 ? TWO_QUBITS : ONE_QUBIT,
      }));
      if (numQubits > 2) {
        const qubits = stream.distinct(3, numQubits);
        choices.push(() => ({ kind: 'noise', qubits, channel: THREE_QUBITS }));
      }
      choices.push(() => ({ kind: 'misread', bits: [bit()], p1Given0: 0.1, p0Given1: 0.25 }));
    }
    if (parts.paulisOnBits === true) {
      choices.push(() => ({ ...gate('X', [qubit()]), condition: condition() }));
      choices.push(() => ({ ...gate('Y', [qubit()]), condition: condition() }));
      choices.push(() => ({ ...gate('Z', [qubit()]), condition: condition() }));
      choices.push(() => ({
        kind: 'noise',
        qubits: [qubit()],
        channel: ONE_QUBIT,
        condition: condition(),
      }));
      choices.push(() => ({
        kind: 'assign',
        bits: stream.distinct(2, numBits),
        value: stream.pick(valuesOf(stream, numBits)),
        ...(stream.below(2) === 0 ? {} : { condition: condition() }),
      }));
    }
    if (parts.anythingOnBits === true) {
      choices.push(() => ({ ...gate('H', [qubit()]), condition: condition() }));
      choices.push(() => ({ kind: 'reset', qubits: [qubit()], condition: condition() }));
      choices.push(() => ({
        kind: 'measure',
        qubits: [qubit()],
        bits: [bit()],
        condition: condition(),
      }));
      choices.push(() => ({ kind: 'noise', qubits: [qubit()], channel: resetTo(0, 0.3)! }));
      choices.push(() => ({ kind: 'noise', qubits: [qubit()], channel: resetTo(1, 0.2)! }));
    }
    if (parts.others === true) {
      const other = randomOther(stream, numQubits);
      choices.push(
        () => other,
        () => other,
        () => ({ ...other, condition: condition() }),
        () => ({ ...randomClifford(stream, numQubits), condition: condition() }),
      );
    }
    if (choices.length > 0 && stream.uniform() < 0.6) {
      operations.push(choices[stream.below(choices.length)]!());
    }
  }
  operations.push({ kind: 'measure', qubits: all, bits: all });
  if (parts.noise === true) {
    operations.push({ kind: 'misread', bits: [0], p1Given0: 0.05, p0Given1: 0.1 });
  }
  return { numQubits, numBits, control: { numScratchBits: 0, maxRounds: 100 }, operations };
}

/** Values of bits: of single bits, of a function of three, and of a sum. */
export function valuesOf(stream: RandomStream, numBits: number): readonly ClassicalExpression[] {
  const [a = 0, b = 0, c = 0] = stream.distinct(3, numBits);
  const read = (encoding: BitEncoding, ...bits: readonly BitDiagram[]): ClassicalExpression => ({
    kind: 'read',
    bits,
    encoding,
    type: encoding === 'int' ? 'int' : 'uint',
  });
  // The majority of three bits.
  const nodes = [
    [c, FALSE_NODE, TRUE_NODE],
    [b, FALSE_NODE, 0],
    [b, 0, TRUE_NODE],
    [a, 1, 2],
  ] as const;
  const operands = [read('uint', a, b), read('uint', c)];
  return [
    read('uint', a),
    read('int', b),
    read('uint', { nodes }, true),
    { kind: 'apply', operator: '+', operands },
  ];
}

const ONE_QUBIT = pauliChannel(1, [
  { flips: 1, signs: 0, probability: 0.1 },
  { flips: 1, signs: 1, probability: 0.05 },
  { flips: 0, signs: 1, probability: 0.15 },
])!;

/** Depolarizing noise: all 15 errors are alike. */
const TWO_QUBITS = pauliChannel(
  2,
  Array.from({ length: 15 }, (_, i) => ({
    flips: (i + 1) & 3,
    signs: (i + 1) >> 2,
    probability: 0.2 / 15,
  })),
)!;

const THREE_QUBITS = pauliChannel(3, [
  { flips: 5, signs: 2, probability: 0.1 },
  { flips: 0, signs: 7, probability: 0.2 },
])!;

/** Phase damping by Kraus matrices, which is a mixture of Paulis. */
export const PHASE_DAMPING = krausChannel([
  Float64Array.of(1, 0, 0, 0, 0, 0, Math.sqrt(0.7), 0),
  Float64Array.of(0, 0, 0, 0, 0, 0, Math.sqrt(0.3), 0),
])!;
