/**
 * A circuit as bytes in shared memory: how a large one crosses threads.
 *
 * Cloning a circuit of 100,000 operations costs the sending thread some 80 ms; the bytes are written
 * once, by whoever has the time, and passed on for nothing. The format is that of structured clone,
 * so what crosses is the same either way.
 */
import { deserialize, serialize } from 'node:v8';
import type { Circuit } from '../../circuit/circuit.ts';
import { type CircuitWork, circuitWork } from '../schedule/run-work.ts';
import { readCircuit, type WrittenCircuit } from './written-circuit.ts';

/** A circuit as bytes: in shared memory, until it leaves the process. */
export interface SerializedCircuit {
  readonly numQubits: number;
  readonly bytes: Uint8Array;
  /** Told here, so that nobody has to read the bytes to know how long it may take. */
  readonly work: CircuitWork;
}

/** Writes a circuit into shared memory. */
export function serializeCircuit(circuit: Circuit): SerializedCircuit {
  const written = serialize(circuit);
  const bytes = new Uint8Array(new SharedArrayBuffer(written.length));
  bytes.set(written);
  return { numQubits: circuit.numQubits, bytes, work: circuitWork(circuit) };
}

/** The circuit in any form as objects. */
export function circuitOf(circuit: Circuit | SerializedCircuit | WrittenCircuit): Circuit {
  if ('shape' in circuit) return readCircuit(circuit);
  // Checked: serializeCircuit wrote the bytes. A copy, for the reader refuses shared memory.
  return 'bytes' in circuit ? (deserialize(Uint8Array.from(circuit.bytes)) as Circuit) : circuit;
}

/** About what a circuit takes in memory while it waits, bytes. */
export function sizeOfCircuit(circuit: Circuit | SerializedCircuit): number {
  const BYTES_PER_OPERATION = 300;
  return 'bytes' in circuit
    ? circuit.bytes.byteLength
    : circuit.operations.length * BYTES_PER_OPERATION;
}

/** What there is to do for a circuit in either form. */
export function workOfCircuit(circuit: Circuit | SerializedCircuit): CircuitWork {
  return 'bytes' in circuit ? circuit.work : circuitWork(circuit);
}
