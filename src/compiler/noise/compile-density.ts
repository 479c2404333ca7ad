/**
 * Compiles a circuit with noise for density matrices. A pure function.
 *
 * Passes work on the original circuit, on each part between noise. Then its qubits are doubled, and it is scheduled
 * like any other one.
 */
import {
  type DynamicCircuit,
  type DynamicOperation,
  hasMidCircuitMeasurement,
  type MisreadOperation,
  type Qubit,
} from '../../circuit/circuit.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import type { Channel } from '../../circuit/noise/channel.ts';
import type { CompileOptions } from '../compile.ts';
import { ChannelTooWideError, KernelTooWideError } from '../errors.ts';
import { pairForm } from '../pair-form.ts';
import { optimize } from '../passes/pipeline.ts';
import {
  type DensityProgram,
  type ReadoutConfusion,
  type TargetProfile,
  terminalMeasureIndex,
} from '../program.ts';
import { hashProgram } from '../program-hash.ts';
import { type CompilationReport, reportOn } from '../report.ts';
import { type Scheduled, schedule, scheduleOf } from '../schedule.ts';
import { densityCircuit, errorOfDepolarizing } from './density-circuit.ts';
import { lastReadings } from './last-readings.ts';

/** A program, and the changes that compiling made. */
export interface CompiledDensity {
  readonly program: DensityProgram;
  readonly report: CompilationReport;
}

/**
 * Compiles a valid circuit.
 *
 * @throws {KernelTooWideError} if a matrix that is not diagonal spans more targets than `target.maxDenseQubits`.
 * @throws {ChannelTooWideError} if a channel that is not depolarizing acts on more than half as many qubits.
 */
export function compileDensity(
  circuit: DynamicCircuit,
  target: TargetProfile,
  {
    optimize: runsPasses = true,
    keepState = true,
  }: Pick<CompileOptions, 'optimize' | 'keepState'> = {},
): CompiledDensity {
  const most = Math.floor(target.maxDenseQubits / 2);
  const isWide = checkChannels(circuit.operations, most);
  const { circuit: ending, misreads } = withReadout(circuit);
  const whole = keepState ? withCollapses(ending) : ending;
  const optimized = runsPasses ? optimize(whole, { keepState }) : { circuit: whole, passes: [] };
  const ordered = keepState ? withSameEnd(optimized.circuit, ending) : optimized.circuit;
  const paired = runsPasses ? pairForm(ordered, target.costs) : ordered;
  const scheduled = scheduledFor(circuit, densityCircuit(paired, most), target);
  // Wide depolarizing channels are factors among gates, with which they may be fused.
  const ofFactors = { ...scheduled.program, ...(isWide && { isUnitary: false as const }) };
  const program = { hash: hashProgram(ofFactors), ...ofFactors };
  const report = reportOn(circuit, optimized, scheduled, target.precision);
  // The report counts amplitudes of n qubits; a density matrix has 2^n rows of as many.
  const bytesMoved = report.bytesMoved * 2 ** circuit.numQubits;
  const { numQubits } = circuit;
  return {
    program: { numQubits, program, ...placedReadout(misreads, program, numQubits) },
    report: { ...report, bytesMoved },
  };
}

/** Loses all phases of a qubit, as a measurement does. */
const DEPHASING: Channel = {
  kind: 'pauli',
  numQubits: 1,
  errors: [{ flips: 0, signs: 1, probability: 0.5 }],
};

/**
 * Adds the effect of mid-circuit measurements on the state, as noise after them. Passes may move gates so that such a
 * measurement comes last, where it is no part of the state.
 *
 * @param ending - Ends in the measurements that are not in mid-circuit, and then assignments.
 */
function withCollapses(ending: DynamicCircuit): DynamicCircuit {
  const end = endOf(ending.operations);
  const operations = ending.operations.flatMap((operation, i): readonly DynamicOperation[] => {
    if (i >= end || operation.kind !== 'measure' || operation.condition !== undefined) {
      return [operation];
    }
    const noise = operation.qubits.map(
      (qubit): DynamicOperation => ({ kind: 'noise', qubits: [qubit], channel: DEPHASING }),
    );
    return [operation, ...noise];
  });
  return { ...ending, operations };
}

/** Index of the first of the measurements and assignments that end a circuit. */
function endOf(operations: readonly DynamicOperation[]): number {
  const isLast = ({ kind, condition }: DynamicOperation & { readonly condition?: unknown }) =>
    kind === 'assign' || (kind === 'measure' && condition === undefined);
  return operations.findLastIndex((operation) => !isLast(operation)) + 1;
}

/** Brings the measurements that ended a circuit, and its assignments after them, to the end again. */
function withSameEnd(circuit: DynamicCircuit, ending: DynamicCircuit): DynamicCircuit {
  const last = ending.operations.slice(endOf(ending.operations));
  const bits = new Set(
    last.flatMap((operation) => (operation.kind === 'measure' ? operation.bits : [])),
  );
  let numAssignments = last.filter(({ kind }) => kind === 'assign').length;
  const kept: DynamicOperation[] = [];
  const measured: DynamicOperation[] = [];
  const assigned: DynamicOperation[] = [];
  for (const operation of circuit.operations.toReversed()) {
    if (operation.kind === 'assign' && numAssignments > 0) {
      numAssignments -= 1;
      assigned.push(operation);
    } else if (
      operation.kind === 'measure' &&
      operation.condition === undefined &&
      operation.bits.every((bit) => bits.has(bit))
    ) {
      for (const bit of operation.bits) bits.delete(bit);
      measured.push(operation);
    } else kept.push(operation);
  }
  return {
    ...circuit,
    operations: [...kept.reverse(), ...measured.reverse(), ...assigned.reverse()],
  };
}

/** Schedules a doubled circuit. If an operation is too wide, the error names its index in the caller's circuit. */
function scheduledFor(
  original: DynamicCircuit,
  doubled: DynamicCircuit,
  target: TargetProfile,
): Scheduled {
  try {
    // Probabilities are read off the diagonal, which has them only where rows and columns have had the same gates, and
    // where it is known in which places they are.
    return schedule(doubled, target, undefined, hasMidCircuitMeasurement(doubled));
  } catch (error) {
    if (!(error instanceof KernelTooWideError)) throw error;
    const withoutNoise = original.operations.map(
      (operation): DynamicOperation =>
        operation.kind === 'noise' ? { kind: 'barrier', qubits: [] } : operation,
    );
    scheduleOf({ ...original, operations: withoutNoise }, original, target);
    throw error;
  }
}

/** Checks widths, and tells whether there are depolarizing channels beyond the width of maps. */
function checkChannels(operations: readonly DynamicOperation[], most: number): boolean {
  let isWide = false;
  for (const [index, operation] of operations.entries()) {
    if (operation.kind === 'while') isWide = checkChannels(operation.body, most) || isWide;
    else if (operation.kind === 'noise' && operation.qubits.length > most) {
      const { qubits, channel } = operation;
      if (errorOfDepolarizing(channel) === undefined) {
        throw new ChannelTooWideError(index, qubits.length, most);
      }
      isWide = true;
    }
  }
  return isWide;
}

/** A circuit, and the readout of its last measurements. */
interface WithReadout {
  /** Ends in measurements, then assignments, where nothing keeps these from coming last. */
  readonly circuit: DynamicCircuit;
  /** Misreadings of single bits after the measurements, in their order. */
  readonly misreads: readonly MisreadOperation[];
}

/**
 * Takes out the readout errors of the measurements that a circuit ends with: misreadings of their bits. They change the
 * reported outcome and not the state, so they come back as confusions of qubits where possible.
 */
function withReadout(circuit: DynamicCircuit): WithReadout {
  const { operations, measures, misreads, assignments } = lastReadings(circuit.operations);
  const measured = new Set(measures.flatMap(({ bits }) => bits));
  /** Misreadings of bits that were written before. */
  const before: DynamicOperation[] = [];
  const atEnd: MisreadOperation[] = [];
  for (const misread of misreads) {
    for (const bit of misread.bits) {
      (measured.has(bit) ? atEnd : before).push({ ...misread, bits: [bit] });
    }
  }
  const all = [...operations, ...before, ...measures, ...assignments];
  return { circuit: { ...circuit, operations: all }, misreads: atEnd };
}

/**
 * Misreadings as confusions of qubits where a program reads the qubit once at its end. Passes can bring measurements to
 * the end and away from it, so this is a question for the program that runs. The other misreadings stay those of bits.
 *
 * @param program - Of a doubled circuit of `numQubits` qubits.
 */
function placedReadout(
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
