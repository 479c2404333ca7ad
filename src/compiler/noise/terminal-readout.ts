/**
 * The readout of the measurements that a circuit ends with: misreadings of their bits. They change what is reported, while
 * the state stays as it is, so they are taken out before passes and come back as confusions of qubits where they can.
 */
import type {
  DynamicCircuit,
  DynamicOperation,
  MisreadOperation,
  Qubit,
} from '../../circuit/circuit.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import { type DensityProgram, type ReadoutConfusion, terminalMeasureIndex } from '../program.ts';
import { lastReadings } from './last-readings.ts';

/** A circuit, and the readout of its last measurements. */
export interface WithReadout {
  /** Ends in measurements, then assignments, where nothing keeps these from coming last. */
  readonly circuit: DynamicCircuit;
  /** Misreadings of single bits after the measurements, in their order. */
  readonly misreads: readonly MisreadOperation[];
}

/** Takes the readout out of a circuit. */
export function withReadout(circuit: DynamicCircuit): WithReadout {
  const { operations, last } = lastReadings(circuit.operations);
  const measures = last.filter((operation) => operation.kind === 'measure');
  const assignments = last.filter((operation) => operation.kind === 'assign');
  const measured = new Set(measures.flatMap(({ bits }) => bits));
  /** Misreadings of bits that were written before. */
  const before: DynamicOperation[] = [];
  const misreads: MisreadOperation[] = [];
  for (const misread of last) {
    if (misread.kind !== 'misread') continue;
    for (const bit of misread.bits) {
      (measured.has(bit) ? misreads : before).push({ ...misread, bits: [bit] });
    }
  }
  const all = [...operations, ...before, ...measures, ...assignments];
  return { circuit: { ...circuit, operations: all }, misreads };
}

/**
 * Misreadings as confusions of qubits where a program reads the qubit once at its end. Passes can bring measurements to the
 * end and away from it, so this is a question for the program that runs. The other misreadings stay those of bits.
 *
 * @param program - Of a doubled circuit of `numQubits` qubits.
 */
export function placedReadout(
  misreads: readonly MisreadOperation[],
  program: DensityProgram['program'],
  numQubits: number,
): Pick<DensityProgram, 'readout' | 'lastMisreads'> {
  const rows = new Map(program.finalLayout.slice(0, numQubits).map((at, qubit) => [at, qubit]));
  const sources = new Map<Bit, Qubit>();
  const timesRead = new Map<Qubit, number>();
  for (const step of program.steps.slice(terminalMeasureIndex(program))) {
    if (step.kind !== 'measure') continue;
    for (const [i, at] of step.qubits.entries()) {
      const qubit = rows.get(at);
      if (qubit === undefined) continue;
      sources.set(step.bits[i]!, qubit);
      timesRead.set(qubit, (timesRead.get(qubit) ?? 0) + 1);
    }
  }
  const readout: ReadoutConfusion[] = [];
  const lastMisreads: MisreadOperation[] = [];
  for (const misread of misreads) {
    const { p1Given0, p0Given1 } = misread;
    const qubit = sources.get(misread.bits[0]!);
    if (qubit === undefined || timesRead.get(qubit) !== 1) lastMisreads.push(misread);
    else readout.push({ qubit, p1Given0, p0Given1 });
  }
  return { readout, lastMisreads };
}
