/** Random circuits for tests of engines and compilers. */
import type {
  Circuit,
  DynamicCircuit,
  DynamicOperation,
  Operation,
  Qubit,
  UnitaryOperation,
} from '../../src/circuit/circuit.ts';
import type { GateDefinition } from '../../src/circuit/gate-definition.ts';
import { GATES } from '../../src/circuit/gates.ts';
import type { ComplexMatrix } from '../../src/math/complex-matrix.ts';
import type { RandomStream } from './random-stream.ts';

/** A named gate operation. */
export function gate(
  name: string,
  targets: readonly Qubit[],
  controls: readonly Qubit[] = [],
  angles: readonly number[] = [],
): Operation & { kind: 'gate' } {
  return { kind: 'gate', gate: name, controls, targets, angles };
}

/** A unitary from the Haar measure: Gram–Schmidt on normally distributed columns. */
export function randomUnitary(stream: RandomStream, numTargets: number): ComplexMatrix {
  const d = 2 ** numTargets;
  const columns: Float64Array[] = [];
  for (let c = 0; c < d; c++) {
    const column = Float64Array.from({ length: 2 * d }, () => stream.normal());
    // Twice: one pass leaves rounding of the size that tests look for.
    for (const other of [...columns, ...columns]) {
      let re = 0;
      let im = 0;
      for (let i = 0; i < 2 * d; i += 2) {
        re += other[i]! * column[i]! + other[i + 1]! * column[i + 1]!;
        im += other[i]! * column[i + 1]! - other[i + 1]! * column[i]!;
      }
      for (let i = 0; i < 2 * d; i += 2) {
        column[i]! -= re * other[i]! - im * other[i + 1]!;
        column[i + 1]! -= re * other[i + 1]! + im * other[i]!;
      }
    }
    const norm = Math.hypot(...column);
    columns.push(column.map((part) => part / norm));
  }
  return fromEntries(d, (row, col) => [columns[col]![2 * row]!, columns[col]![2 * row + 1]!]);
}

/** A diagonal of random phases. */
export function randomDiagonal(stream: RandomStream, numTargets: number): ComplexMatrix {
  const d = 2 ** numTargets;
  const phases = Array.from({ length: d }, () => stream.angle());
  return fromEntries(d, (row, col) =>
    row === col ? [Math.cos(phases[row]!), Math.sin(phases[row]!)] : [0, 0],
  );
}

/** A random permutation with random phases. */
export function randomMonomial(stream: RandomStream, numTargets: number): ComplexMatrix {
  const d = 2 ** numTargets;
  const rows = stream.distinct(d, d);
  const phases = Array.from({ length: d }, () => stream.angle());
  return fromEntries(d, (row, col) =>
    row === rows[col] ? [Math.cos(phases[col]!), Math.sin(phases[col]!)] : [0, 0],
  );
}

/** A random unitary on two targets that keeps parity: one on |00⟩ and |11⟩ and one on |01⟩ and |10⟩. */
export function randomPair(stream: RandomStream): ComplexMatrix {
  const out = new Float64Array(32);
  for (const indices of [
    [0, 3],
    [1, 2],
  ]) {
    const block = randomUnitary(stream, 1);
    for (let k = 0; k < 4; k++) {
      const at = 4 * indices[k >> 1]! + indices[k & 1]!;
      out.set(block.subarray(2 * k, 2 * k + 2), 2 * at);
    }
  }
  return out;
}

function fromEntries(
  d: number,
  entry: (row: number, col: number) => readonly [number, number],
): ComplexMatrix {
  const out = new Float64Array(2 * d * d);
  for (let row = 0; row < d; row++) {
    for (let col = 0; col < d; col++) out.set(entry(row, col), 2 * (row * d + col));
  }
  return out;
}

/** A gate of the table on random qubits, with random angles and up to two further controls. */
export function randomUse(
  stream: RandomStream,
  definition: GateDefinition,
  numQubits: number,
): Operation & { kind: 'gate' } {
  const { numControls, numTargets, parameters, name } = definition;
  const spare = numQubits - numControls - numTargets;
  const further = stream.below(Math.min(2, spare) + 1);
  const qubits = stream.distinct(numTargets + numControls + further, numQubits);
  const angles = parameters.map(() => stream.angle());
  return gate(name, qubits.slice(0, numTargets), qubits.slice(numTargets), angles);
}

/** An explicit unitary on random qubits in random order, with up to two controls. */
export function randomUnitaryUse(
  stream: RandomStream,
  matrix: ComplexMatrix,
  numQubits: number,
): UnitaryOperation {
  const numTargets = Math.log2(Math.sqrt(matrix.length / 2));
  const numControls = stream.below(Math.min(2, numQubits - numTargets) + 1);
  const qubits = stream.distinct(numTargets + numControls, numQubits);
  return {
    kind: 'unitary',
    targets: qubits.slice(0, numTargets),
    controls: qubits.slice(numTargets),
    matrix,
  };
}

/** Gates of the table, explicit unitaries, diagonals and permutations, and barriers. */
export function randomGates(
  stream: RandomStream,
  numQubits: number,
  numOperations: number,
  maxUnitaryTargets: number,
): readonly Operation[] {
  const fitting = GATES.filter((g) => g.numControls + g.numTargets <= numQubits);
  const widest = Math.min(maxUnitaryTargets, numQubits);
  const makers = [randomUnitary, randomDiagonal, randomMonomial];
  return Array.from({ length: numOperations }, (): Operation => {
    const choice = stream.below(10);
    if (choice === 0) return { kind: 'barrier', qubits: stream.distinct(1, numQubits) };
    if (choice > 3) return randomUse(stream, stream.pick(fitting), numQubits);
    const matrix = stream.pick(makers)(stream, 1 + stream.below(widest));
    return randomUnitaryUse(stream, matrix, numQubits);
  });
}

/** Every qubit tilted, then gates with measurements, resets and conditions among them. */
export function randomDynamicCircuit(
  stream: RandomStream,
  numQubits: number,
  numBits: number,
  numOperations: number,
): Circuit {
  const withCondition = <T extends Operation>(operation: T): T => {
    if (stream.below(3) > 0) return operation;
    const bits = stream.distinct(1 + stream.below(Math.min(2, numBits)), numBits);
    return { ...operation, condition: { bits, value: stream.below(2 ** bits.length) } };
  };
  const operations = Array.from({ length: numOperations }, (): Operation => {
    const qubits = stream.distinct(1 + stream.below(Math.min(2, numQubits, numBits)), numQubits);
    switch (stream.below(6)) {
      case 0:
        return withCondition({
          kind: 'measure',
          qubits,
          bits: stream.distinct(qubits.length, numBits),
        });
      case 1:
        return withCondition({ kind: 'reset', qubits });
      default: {
        const [operation = gate('H', [0])] = randomGates(stream, numQubits, 1, 2);
        return operation.kind === 'barrier' ? operation : withCondition(operation);
      }
    }
  });
  const tilts = Array.from({ length: numQubits }, (_, q) => gate('RY', [q], [], [1 + q / 3]));
  return { numQubits, numBits, operations: [...tilts, ...operations] };
}

/** Bits that count the rounds of a random loop. */
const COUNTER_BITS = 3;

/**
 * A circuit with a loop: it goes on while a bit of the outcome reads 0, for seven rounds at most, and
 * the rounds are a part of the outcome. Gates, measurements, resets and conditions are before the loop,
 * in it and after it, and there is a smaller loop inside.
 */
export function randomLoopCircuit(stream: RandomStream, numQubits: number): DynamicCircuit {
  const numDrawn = 2;
  const numBits = numDrawn + COUNTER_BITS;
  const rounds = Array.from({ length: COUNTER_BITS }, (_, i) => numDrawn + i);
  const [outer, inner] = [numBits, numBits + 1];
  const straight = (count: number): readonly Operation[] =>
    randomDynamicCircuit(stream, numQubits, numDrawn, count).operations.slice(numQubits);
  const tilts = Array.from({ length: numQubits }, (_, q) => gate('RY', [q], [], [1 + q / 3]));
  const counted = { kind: 'read', bits: rounds, encoding: 'uint', type: 'uint' } as const;
  const last = { kind: 'scalar', type: 'uint', value: 2 ** COUNTER_BITS - 1 } as const;
  const isCounting = { kind: 'apply', operator: '<', operands: [counted, last] } as const;
  const flag = (bit: number, zero: number): DynamicOperation => ({
    kind: 'assign',
    bits: [bit],
    value: {
      kind: 'apply',
      operator: '&&',
      operands: [
        { kind: 'read', bits: [{ nodes: [[zero, -2, -1]] }], encoding: 'uint', type: 'bool' },
        isCounting,
      ],
    },
  });
  const count: DynamicOperation = {
    kind: 'assign',
    bits: rounds,
    value: { kind: 'apply', operator: '+', operands: [counted, isCounting] },
  };
  const drawn = (bit: number): readonly Operation[] => {
    const qubit = stream.below(numQubits);
    return [gate('RX', [qubit], [], [1]), { kind: 'measure', qubits: [qubit], bits: [bit] }];
  };
  const innerLoop: DynamicOperation = {
    kind: 'while',
    condition: { bits: [inner], value: 1 },
    body: [...straight(3), ...drawn(1), count, flag(inner, 1)],
  };
  const body: DynamicOperation[] = [
    ...straight(5),
    flag(inner, 1),
    ...(stream.below(2) === 0 ? [innerLoop] : []),
    ...drawn(0),
    count,
    flag(outer, 0),
  ];
  return {
    numQubits,
    numBits,
    control: { numScratchBits: 2, maxRounds: 1000 },
    operations: [
      ...tilts,
      ...straight(8),
      flag(outer, 0),
      { kind: 'while', condition: { bits: [outer], value: 1 }, body },
      ...straight(6),
    ],
  };
}
