/**
 * Compiles a circuit with noise for density matrices. A pure function.
 *
 * Passes work on the circuit as it was written, piece by piece between the noise. Then its qubits are doubled, and it is
 * scheduled like any other one.
 */
import {
  allOperations,
  type DynamicCircuit,
  type DynamicOperation,
  hasMidCircuitMeasurement,
  operationQubits,
  type Qubit,
  type WhileOperation,
} from '../../circuit/circuit.ts';
import type { CompileOptions } from '../compile.ts';
import { ChannelTooWideError, KernelTooWideError } from '../errors.ts';
import { pairForm } from '../pair-form.ts';
import { optimize } from '../passes/pipeline.ts';
import type { DensityProgram, TargetProfile } from '../program.ts';
import { hashProgram } from '../program-hash.ts';
import { type CompilationReport, reportOn } from '../report.ts';
import { type Scheduled, scheduleAndCount, scheduleOf } from '../schedule.ts';
import { densityCircuit, errorOfDepolarizing } from './density-circuit.ts';
import { withReadout } from './terminal-readout.ts';

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
  const { circuit: ending, readout, lastMisreads } = withReadout(circuit);
  const optimized = runsPasses
    ? optimize(keepState ? withMeasuredStates(ending) : ending, { keepState })
    : { circuit: ending, passes: [] };
  const paired = runsPasses ? pairForm(optimized.circuit, target.costs) : ending;
  const scheduled = scheduledFor(circuit, densityCircuit(paired, most), target);
  // Wide depolarizing channels are factors among gates, with which they may be fused.
  const ofFactors = { ...scheduled.program, ...(isWide && { isUnitary: false as const }) };
  const program = { hash: hashProgram(ofFactors), ...ofFactors };
  const report = reportOn(circuit, optimized, scheduled, target.precision);
  // The report counts amplitudes of n qubits; a density matrix has 2^n rows of as many.
  const bytesMoved = report.bytesMoved * 2 ** circuit.numQubits;
  return {
    program: { numQubits: circuit.numQubits, program, readout, lastMisreads },
    report: { ...report, bytesMoved },
  };
}

/**
 * Keeps measurements that operations follow from becoming trailing ones, whose collapse is not part of the state. Passes
 * move gates that are diagonal across a measurement, which changes no outcome.
 */
function withMeasuredStates(circuit: DynamicCircuit): DynamicCircuit {
  const { operations } = circuit;
  const later = new Set<Qubit>();
  const kept: DynamicOperation[] = [];
  for (const operation of operations.toReversed()) {
    if (operation.kind === 'measure') {
      const qubits = operation.qubits.filter((qubit) => later.has(qubit));
      if (qubits.length > 0) kept.push({ kind: 'barrier', qubits });
    }
    kept.push(operation);
    if (operation.kind === 'while') {
      for (const inner of allOperations(operation.body)) addQubits(inner, later);
    } else addQubits(operation, later);
  }
  return { ...circuit, operations: kept.reverse() };
}

function addQubits(operation: Exclude<DynamicOperation, WhileOperation>, to: Set<Qubit>): void {
  if (operation.kind === 'assign' || operation.kind === 'misread') return;
  if (operation.kind === 'barrier') return;
  for (const qubit of operationQubits(operation)) to.add(qubit);
}

/** Schedules a doubled circuit. Where an operation is too wide, the error names its index in the caller's circuit. */
function scheduledFor(
  original: DynamicCircuit,
  doubled: DynamicCircuit,
  target: TargetProfile,
): Scheduled {
  try {
    // Probabilities are read off the diagonal, which has them only where rows and columns have had the same gates, and
    // where it is known in which places they are.
    return scheduleAndCount(doubled, target, undefined, hasMidCircuitMeasurement(doubled));
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
