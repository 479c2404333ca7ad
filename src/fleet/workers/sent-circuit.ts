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
 * read it. Cloning the same circuit as objects takes several times as long as writing, cloning and
 * reading the text, and most circuits are never read, because their shape was met before.
 */
import { deserialize, serialize } from 'node:v8';
import {
  type Circuit,
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  numOperationsOf,
  type Operation,
} from '../../circuit/circuit.ts';
import { GATES } from '../../circuit/gates.ts';
import {
  type CircuitRequest,
  type CircuitWork,
  circuitWork,
  methodOf,
  type RunMethod,
} from '../schedule/scheduled-run.ts';

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

/**
 * The array in memory that threads share: itself, or a copy. An array that came from another process is a view of the whole
 * message, and a clone of it would be a clone of the message.
 */
export function inSharedMemory<T extends Uint8Array | Uint32Array | Float64Array>(array: T): T {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  // The cast is safe: these types are made of a buffer.
  const Type = array.constructor as new (buffer: SharedArrayBuffer) => T;
  const copy = new Type(new SharedArrayBuffer(array.byteLength));
  copy.set(array);
  return copy;
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

/** Method of a run of a sent circuit or shape; one in writing has no noise. */
export function methodOfSent(
  circuit: DynamicCircuit | SerializedCircuit | WrittenCircuit | WrittenShape,
  request: Pick<CircuitRequest, 'method'>,
): RunMethod {
  if ('shape' in circuit) return request.method ?? 'statevector';
  return methodOf(workOfCircuit(circuit), request);
}

/** A circuit without explicit matrices. */
export interface WrittenCircuit {
  readonly numQubits: number;
  readonly numOperations: number;
  /** Everything but the values of the angles, packed. */
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

// A shape is written as 32-bit words in the characters of a string, a byte each: strings are compared, kept as keys
// and cloned without looking into them. Text of names and numbers takes five times as long to make.

/** First word of an operation that is no gate; that of a gate is its place in the gate table, after these. */
const MEASURE = 0;
const RESET = 1;
const BARRIER = 2;
const FIRST_GATE = 3;
const codeOfGate = new Map(GATES.map(({ name }, index) => [name, FIRST_GATE + index]));

/** Words that are written now; one circuit is written at a time. */
let words = new Uint32Array(4096);
let numWords = 0;

function put(word: number): void {
  if (numWords === words.length) {
    const grown = new Uint32Array(2 * words.length);
    grown.set(words);
    words = grown;
  }
  words[numWords++] = word;
}

function putList(list: readonly number[]): void {
  put(list.length);
  for (let i = 0; i < list.length; i++) put(list[i]!);
}

/** Writes the number of condition bits plus one, the bits and the value, or 0. */
function putCondition(condition: Condition | undefined): void {
  if (condition === undefined) {
    put(0);
    return;
  }
  const { bits, value } = condition;
  put(bits.length + 1);
  for (const bit of bits) put(bit);
  put(value % 2 ** 32);
  put(Math.floor(value / 2 ** 32));
}

/** The circuit in writing; undefined for one with an explicit matrix, noise, a loop or an assignment. */
export function writeCircuit({
  numQubits,
  numBits,
  operations,
}: DynamicCircuit): WrittenCircuit | undefined {
  const angles: number[] = [];
  numWords = 0;
  put(numQubits);
  put(numBits);
  for (const operation of operations) {
    switch (operation.kind) {
      case 'gate': {
        const code = codeOfGate.get(operation.gate);
        if (code === undefined) return undefined;
        put(code);
        putList(operation.controls);
        putList(operation.targets);
        put(operation.angles.length);
        for (const angle of operation.angles) angles.push(angle);
        break;
      }
      case 'measure':
        put(MEASURE);
        putList(operation.qubits);
        putList(operation.bits);
        break;
      case 'reset':
        put(RESET);
        putList(operation.qubits);
        break;
      case 'barrier':
        put(BARRIER);
        putList(operation.qubits);
        continue;
      case 'unitary':
      case 'assign':
      case 'while':
      case 'noise':
      case 'misread':
        return undefined;
    }
    putCondition(operation.condition);
  }
  const shape = Buffer.from(words.buffer, 0, 4 * numWords).toString('latin1');
  return { numQubits, numOperations: operations.length, shape, angles };
}

/** The circuit as objects again. */
export function readCircuit({ shape, angles, numOperations }: WrittenCircuit): Circuit {
  const reader = new ShapeReader(shape);
  const numQubits = reader.next();
  const numBits = reader.next();
  const operations: Operation[] = [];
  let slot = 0;
  while (operations.length < numOperations) {
    const code = reader.next();
    switch (code) {
      case MEASURE: {
        const [qubits, bits] = [reader.list(), reader.list()];
        operations.push({ kind: 'measure', qubits, bits, ...reader.condition() });
        break;
      }
      case RESET:
        operations.push({ kind: 'reset', qubits: reader.list(), ...reader.condition() });
        break;
      case BARRIER:
        operations.push({ kind: 'barrier', qubits: reader.list() });
        break;
      default: {
        const gate = GATES[code - FIRST_GATE]!.name;
        const [controls, targets] = [reader.list(), reader.list()];
        const end = slot + reader.next();
        const own = angles.slice(slot, end);
        slot = end;
        operations.push({
          kind: 'gate',
          gate,
          controls,
          targets,
          angles: own,
          ...reader.condition(),
        });
      }
    }
  }
  return { numQubits, numBits, operations };
}

/** Reads what `writeCircuit` wrote. */
class ShapeReader {
  readonly #words: Uint32Array;
  #at = 0;

  constructor(shape: string) {
    const bytes = new Uint8Array(shape.length);
    Buffer.from(bytes.buffer).write(shape, 'latin1');
    this.#words = new Uint32Array(bytes.buffer);
  }

  next(): number {
    return this.#words[this.#at++]!;
  }

  list(): number[] {
    return this.#take(this.next());
  }

  condition(): { readonly condition?: Condition } {
    const length = this.next();
    if (length === 0) return {};
    const bits = this.#take(length - 1);
    const low = this.next();
    return { condition: { bits, value: low + 2 ** 32 * this.next() } };
  }

  #take(length: number): number[] {
    const list: number[] = [];
    for (let i = 0; i < length; i++) list.push(this.next());
    return list;
  }
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
