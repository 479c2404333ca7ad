/**
 * A circuit as bytes in shared memory: how a large one crosses threads.
 *
 * Cloning a circuit of 100,000 operations costs the sending thread some 80 ms; the bytes are written
 * once, by whoever has the time, and passed on for nothing. The format is that of structured clone,
 * so what crosses is the same either way. Operations are cloned some thousands at a time: what a clone
 * notes of each object makes a million at once take three times as long.
 */
import { deserialize, serialize } from 'node:v8';
import {
  type DynamicCircuit,
  type DynamicOperation,
  numOperationsOf,
} from '../../circuit/circuit.ts';
import { type CircuitWork, circuitWork } from '../schedule/scheduled-run.ts';
import { readCircuit, type WrittenCircuit } from './written-circuit.ts';

/** Operations of one clone. */
const RUN_LENGTH = 4096;
/** Of the length of a clone, before it. */
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

/** What there is to do for a circuit in either form. */
export function workOfCircuit(circuit: DynamicCircuit | SerializedCircuit): CircuitWork {
  return 'bytes' in circuit ? circuit.work : circuitWork(circuit);
}
