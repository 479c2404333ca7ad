/** The pipeline: Circuit → Program for one target profile. A pure function. */
import type { DynamicCircuit } from '../circuit/circuit.ts';
import { KernelTooWideError } from './errors.ts';
import { optimize } from './passes/pipeline.ts';
import type { Program, TargetProfile } from './program.ts';
import { hashProgram } from './program-hash.ts';
import { type CompilationReport, reportOn } from './report.ts';
import { scheduleAndCount } from './schedule.ts';

export type { CompilationReport } from './report.ts';

/** How to compile; the defaults suit every request. */
export interface CompileOptions {
  /**
   * Whether passes rewrite the circuit before it is scheduled; they do unless this is false. The
   * oracle of tests is a program that no pass has touched.
   */
  readonly optimize?: boolean;
  /**
   * Whether the run may be asked for its state vector or for observables; it may unless this is
   * false. A run that only wants counts or probabilities needs less, and then what cannot reach a
   * classical bit is dropped. The distribution of the counts is the same either way, but a seed
   * may give another sample of it.
   */
  readonly keepState?: boolean;
}

/** A program, and what compiling changed. */
export interface Compiled<C extends DynamicCircuit = DynamicCircuit> {
  readonly program: Program;
  /** What the program was scheduled from: the circuit after all passes. */
  readonly circuit: C;
  readonly report: CompilationReport;
}

/**
 * Compiles a valid circuit. Global phase is kept exactly, unless `keepState` is false.
 *
 * @throws {KernelTooWideError} if a matrix that is not diagonal spans more targets than
 *   `target.maxDenseQubits`.
 */
export function compile<C extends DynamicCircuit>(
  circuit: C,
  target: TargetProfile,
  { optimize: runsPasses = true, keepState = true }: CompileOptions = {},
): Compiled<C> {
  const optimized = runsPasses ? optimize(circuit, { keepState }) : { circuit, passes: [] };
  const scheduled = scheduleEither(optimized.circuit, circuit, target);
  const program: Program = { hash: hashProgram(scheduled.program), ...scheduled.program };
  const report = reportOn(circuit, optimized, scheduled, target.precision);
  return { program, circuit: optimized.circuit, report };
}

/**
 * An operation too wide is named by its place in the caller's circuit: passes never widen one, so
 * what is too wide after them already was before, and the caller's circuit fails in turn.
 */
function scheduleEither(
  optimized: DynamicCircuit,
  original: DynamicCircuit,
  target: TargetProfile,
) {
  try {
    return scheduleAndCount(optimized, target);
  } catch (error) {
    if (error instanceof KernelTooWideError) return scheduleAndCount(original, target);
    throw error;
  }
}
