/**
 * Forms in which circuits cross to a worker: bytes in shared memory for a large circuit, and text with
 * angles for a small one.
 *
 * Cloning a circuit of 100,000 operations costs the sending thread some 80 ms; the bytes are written
 * once, by whoever has the time, and passed on for nothing. The format is that of structured clone,
 * so the worker gets the same either way. Operations are cloned some thousands at a time, because a clone
 * keeps a record of each object, which makes a million at once take three times as long.
 *
 * The text of a small circuit also identifies its shape, so a worker that has prepared the shape does not
 * parse it. Cloning the same circuit as objects takes several times as long as writing, cloning and
 * parsing the text, and most circuits are never parsed, because their shape was met before.
 */
import { deserialize, serialize } from 'node:v8';
import {
  type Circuit,
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  type GateOperation,
  numOperationsOf,
  type Operation,
  type Qubit,
} from '../../circuit/circuit.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import { type CircuitWork, circuitWork } from '../schedule/scheduled-run.ts';

/** Operations of one clone. */
const RUN_LENGTH = 4096;
/** Bytes of the length of a clone, which stands before it. */
const LENGTH_BYTES = 4;

/** A circuit as bytes: in shared memory, until it leaves the process. */
export interface SerializedCircuit {
  readonly numQubits: number;
  readonly bytes: Uint8Array;
  /** Told here, so that nobody has to read the bytes to know how long it may take. */
  readonly work: CircuitWork;
}

/** Writes a circuit into shared memory. */
export function serializeCircuit(circuit: DynamicCircuit): SerializedCircuit {
  const { operations, ...rest } = circuit;
  const clones = [serialize(rest)];
  for (let from = 0; from < operations.length; from += RUN_LENGTH) {
    clones.push(serialize(operations.slice(from, from + RUN_LENGTH)));
  }
  const length = clones.reduce((sum, clone) => sum + LENGTH_BYTES + clone.length, 0);
  const bytes = new Uint8Array(new SharedArrayBuffer(length));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const clone of clones) {
    view.setUint32(at, clone.length);
    bytes.set(clone, at + LENGTH_BYTES);
    at += LENGTH_BYTES + clone.length;
  }
  return { numQubits: circuit.numQubits, bytes, work: circuitWork(circuit) };
}

/** The circuit in any form as objects. */
export function circuitOf(
  circuit: DynamicCircuit | SerializedCircuit | WrittenCircuit,
): DynamicCircuit {
  if ('shape' in circuit) return readCircuit(circuit);
  return 'bytes' in circuit ? deserialized(circuit.bytes) : circuit;
}

function deserialized(bytes: Uint8Array): DynamicCircuit {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const next = (): unknown => {
    const start = at + LENGTH_BYTES;
    at = start + view.getUint32(at);
    // A copy, for the reader refuses shared memory.
    return deserialize(Uint8Array.from(bytes.subarray(start, at)));
  };
  // Checked: serializeCircuit wrote the bytes.
  const rest = next() as Omit<DynamicCircuit, 'operations'>;
  const operations: DynamicOperation[] = [];
  while (at < bytes.length) for (const each of next() as DynamicOperation[]) operations.push(each);
  return { ...rest, operations };
}

/** About what a circuit takes in memory while it waits, bytes. */
export function sizeOfCircuit(circuit: DynamicCircuit | SerializedCircuit): number {
  const BYTES_PER_OPERATION = 300;
  return 'bytes' in circuit
    ? circuit.bytes.byteLength
    : numOperationsOf(circuit) * BYTES_PER_OPERATION;
}

/** Work of a circuit in either form. */
export function workOfCircuit(circuit: DynamicCircuit | SerializedCircuit): CircuitWork {
  return 'bytes' in circuit ? circuit.work : circuitWork(circuit);
}

/** A circuit without explicit matrices. */
export interface WrittenCircuit {
  readonly numQubits: number;
  readonly numOperations: number;
  /** Everything but the values of the angles. */
  readonly shape: string;
  /** Angles of all gates, in the order of the operations. */
  readonly angles: readonly number[];
}

/** A shape without angles of its own. */
export interface WrittenShape {
  readonly numQubits: number;
  readonly numOperations: number;
  /** Number of angles of all gates together. */
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
