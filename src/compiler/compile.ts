/** Compiles a circuit into a program for one target profile. A pure function. */
import type { DynamicCircuit } from '../circuit/circuit.ts';
import { pairForm } from './pair-form.ts';
import { optimize } from './passes/pipeline.ts';
import type { Program, TargetProfile } from './program.ts';
import { hashProgram } from './program-hash.ts';
import { type CompilationReport, gateFigures, NO_PROGRAM, reportOn } from './report.ts';
import { scheduleOf } from './schedule.ts';

export type { CompilationReport } from './report.ts';

/** Options of compiling; the defaults suit every request. */
export interface CompileOptions {
  /**
   * Whether passes rewrite the circuit before it is scheduled; true by default. Tests compare with a program
   * that no pass has changed.
   */
  readonly optimize?: boolean;
  /**
   * Whether the run may return its state vector or observables; true by default. A run that returns only
   * counts or probabilities needs less, so the passes drop operations that cannot reach a classical bit. The
   * distribution of the counts is the same, but a seed may give another sample of it.
   */
  readonly keepState?: boolean;
  /** Whether the gates of verbatim boxes stay as they were written; false by default. */
  readonly keepVerbatim?: boolean;
}

/**
 * Rewrites a valid circuit by the passes, without a program for an engine. It takes circuits of any width.
 *
 * @returns The circuit, and a report whose figures of kernels and sweeps are 0.
 */
export function rewrite<C extends DynamicCircuit>(
  circuit: C,
  { keepState = true, keepVerbatim = false }: Omit<CompileOptions, 'optimize'> = {},
): Omit<Compiled<C>, 'program'> {
  const optimized = optimize(circuit, { keepState, keepVerbatim });
  const figures = gateFigures(circuit, optimized.circuit);
  const report = { ...figures, ...NO_PROGRAM, passes: optimized.passes };
  return { circuit: optimized.circuit, report };
}

/** A program, and the changes that compiling made. */
export interface Compiled<C extends DynamicCircuit = DynamicCircuit> {
  readonly program: Program;
  /** Circuit after all passes, which the program was scheduled from. */
  readonly circuit: C;
  readonly report: CompilationReport;
}

/**
 * Compiles a valid circuit. The global phase is exact, unless `keepState` is false.
 *
 * @throws {KernelTooWideError} if a matrix that is not diagonal spans more targets than
 *   `target.maxDenseQubits`.
 */
export function compile<C extends DynamicCircuit>(
  circuit: C,
  target: TargetProfile,
  { optimize: runsPasses = true, keepState = true, keepVerbatim = false }: CompileOptions = {},
): Compiled<C> {
  const optimized = runsPasses
    ? optimize(circuit, { keepState, keepVerbatim })
    : { circuit, passes: [] };
  const paired = runsPasses ? pairForm(optimized.circuit, target.costs) : circuit;
  const scheduled = scheduleOf(paired, circuit, target);
  const program: Program = { hash: hashProgram(scheduled.program), ...scheduled.program };
  const report = reportOn(circuit, optimized, scheduled, target.precision);
  return { program, circuit: optimized.circuit, report };
}
