/**
 * The readout of the measurements that a circuit ends with: misreadings of their bits, as confusions of the qubits where
 * each is read once. They change what is reported, while the state stays as it is.
 */
import type {
  DynamicCircuit,
  DynamicOperation,
  MisreadOperation,
  Qubit,
} from '../../circuit/circuit.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import type { ReadoutConfusion } from '../program.ts';
import { lastReadings } from './last-readings.ts';

/** A circuit, and the readout of its last measurements. */
export interface WithReadout {
  /** Ends in measurements, then assignments, where nothing keeps these from coming last. */
  readonly circuit: DynamicCircuit;
  /** In the order in which they happen. */
  readonly readout: readonly ReadoutConfusion[];
  /** Misreadings, after the measurements, of bits that share their qubit with another bit. In their order. */
  readonly lastMisreads: readonly MisreadOperation[];
}

/** Takes the readout out of a circuit. */
export function withReadout(circuit: DynamicCircuit): WithReadout {
  const { operations, last } = lastReadings(circuit.operations);
  const measures = last.filter((operation) => operation.kind === 'measure');
  const assignments = last.filter((operation) => operation.kind === 'assign');
  const sources = new Map<Bit, Qubit>();
  const timesRead = new Map<Qubit, number>();
  for (const { qubits, bits } of measures) {
    for (const [i, qubit] of qubits.entries()) {
      sources.set(bits[i]!, qubit);
      timesRead.set(qubit, (timesRead.get(qubit) ?? 0) + 1);
    }
  }
  const readout: ReadoutConfusion[] = [];
  /** Misreadings of bits that were written before. */
  const before: DynamicOperation[] = [];
  const lastMisreads: MisreadOperation[] = [];
  for (const misread of last) {
    if (misread.kind !== 'misread') continue;
    const { p1Given0, p0Given1 } = misread;
    for (const bit of misread.bits) {
      const qubit = sources.get(bit);
      if (qubit === undefined) before.push({ ...misread, bits: [bit] });
      else if (timesRead.get(qubit) === 1) readout.push({ qubit, p1Given0, p0Given1 });
      else lastMisreads.push({ ...misread, bits: [bit] });
    }
  }
  const all = [...operations, ...before, ...measures, ...assignments];
  return { circuit: { ...circuit, operations: all }, readout, lastMisreads };
}
