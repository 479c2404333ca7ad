/**
 * A small circuit as it crosses to a worker: its shape as text, its angles as numbers.
 *
 * The text is also what tells the shape from all others, so a worker that has prepared the shape need
 * not read it. Cloning the same circuit as objects takes several times as long as writing, cloning and
 * reading it, and most circuits are never read, because they were met before.
 */
import type {
  Circuit,
  Condition,
  DynamicCircuit,
  GateOperation,
  Operation,
  Qubit,
} from '../../circuit/circuit.ts';
import type { Bit } from '../../circuit/classical-expression.ts';

/** A circuit without explicit matrices. */
export interface WrittenCircuit {
  readonly numQubits: number;
  readonly numOperations: number;
  /** Everything but the values of the angles. */
  readonly shape: string;
  /** Of all gates, in the order of the operations. */
  readonly angles: readonly number[];
}

/** A shape without angles of its own. */
export interface WrittenShape {
  readonly numQubits: number;
  readonly numOperations: number;
  /** Of all gates together. */
  readonly numAngles: number;
  readonly shape: string;
}

type Numbers = readonly number[];
/** The bits and the value of a condition, or neither. */
type WrittenCondition = readonly [] | readonly [bits: Numbers, value: number];
type WrittenGate = readonly [
  gate: string,
  controls: Numbers,
  targets: Numbers,
  numAngles: number,
  ...WrittenCondition,
];
type WrittenMeasure = readonly [
  kind: typeof MEASURE,
  qubits: Numbers,
  bits: Numbers,
  ...WrittenCondition,
];
type WrittenReset = readonly [kind: typeof RESET, qubits: Numbers, ...WrittenCondition];
type WrittenBarrier = readonly [kind: typeof BARRIER, qubits: Numbers];
type WrittenOperation = WrittenGate | WrittenMeasure | WrittenReset | WrittenBarrier;
type Written = readonly [numQubits: number, numBits: Bit, ...operations: WrittenOperation[]];

/** Told from gates, which begin with their name. */
const MEASURE = 0;
const RESET = 1;
const BARRIER = 2;

/** The circuit in writing; undefined for one with an explicit matrix, a loop or an assignment. */
export function writeCircuit({
  numQubits,
  numBits,
  operations,
}: DynamicCircuit): WrittenCircuit | undefined {
  const angles: number[] = [];
  let shape = `[${numQubits},${numBits}`;
  for (const operation of operations) {
    switch (operation.kind) {
      case 'gate':
        // The gate table's names need no escapes.
        shape += `,["${operation.gate}",[${operation.controls}],[${operation.targets}],${operation.angles.length}`;
        for (const angle of operation.angles) angles.push(angle);
        break;
      case 'measure':
        shape += `,[${MEASURE},[${operation.qubits}],[${operation.bits}]`;
        break;
      case 'reset':
        shape += `,[${RESET},[${operation.qubits}]`;
        break;
      case 'barrier':
        shape += `,[${BARRIER},[${operation.qubits}]]`;
        continue;
      case 'unitary':
      case 'assign':
      case 'while':
        return undefined;
    }
    const { condition } = operation;
    shape += condition === undefined ? ']' : `,[${condition.bits}],${condition.value}]`;
  }
  return { numQubits, numOperations: operations.length, shape: `${shape}]`, angles };
}

/** The circuit as objects again. */
export function readCircuit({ shape, angles }: WrittenCircuit): Circuit {
  // Checked: writeCircuit wrote it.
  const [numQubits, numBits, ...written]: Written = JSON.parse(shape);
  let slot = 0;
  const operations = written.map((operation): Operation => {
    if (!isGate(operation)) return readOther(operation);
    const numAngles = operation[3];
    slot += numAngles;
    return readGate(operation, angles.slice(slot - numAngles, slot));
  });
  return { numQubits, numBits, operations };
}

/** The shape as a circuit whose angles are all 0. */
export function readShape({ numAngles, ...written }: WrittenShape): Circuit {
  return readCircuit({ ...written, angles: new Array<number>(numAngles).fill(0) });
}

/** Whether both are the same circuit. */
export function isSameCircuit(a: WrittenCircuit, b: WrittenCircuit): boolean {
  // Within a list, the same circuit is one object.
  if (a === b) return true;
  if (a.shape !== b.shape) return false;
  for (let i = 0; i < a.angles.length; i++) if (a.angles[i] !== b.angles[i]) return false;
  return true;
}

function isGate(operation: WrittenOperation): operation is WrittenGate {
  return typeof operation[0] === 'string';
}

function readGate(
  [gate, controls, targets, , bits, value]: WrittenGate,
  angles: Numbers,
): GateOperation {
  return { kind: 'gate', gate, controls, targets, angles, ...readCondition(bits, value) };
}

function readOther(operation: Exclude<WrittenOperation, WrittenGate>): Operation {
  switch (operation[0]) {
    case MEASURE: {
      const [, qubits, into, bits, value] = operation;
      return { kind: 'measure', qubits, bits: into, ...readCondition(bits, value) };
    }
    case RESET: {
      const [, qubits, bits, value] = operation;
      return { kind: 'reset', qubits, ...readCondition(bits, value) };
    }
    case BARRIER:
      return { kind: 'barrier', qubits: operation[1] satisfies readonly Qubit[] };
  }
}

function readCondition(
  bits: Numbers | undefined,
  value: number | undefined,
): { readonly condition?: Condition } {
  return bits === undefined || value === undefined ? {} : { condition: { bits, value } };
}
