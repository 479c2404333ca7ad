/** The pipeline: Circuit → Program for one target profile. A pure function. */
import type { Circuit } from '../circuit/circuit.ts';
import type { Program, TargetProfile } from './program.ts';
import { hashProgram } from './program-hash.ts';
import { type CompilationReport, reportOn } from './report.ts';
import { schedule } from './schedule.ts';

export type { CompilationReport } from './report.ts';

/** A program, and what compiling changed. */
export interface Compiled {
  readonly program: Program;
  readonly report: CompilationReport;
}

/**
 * Compiles a valid circuit. Global phase is kept exactly.
 *
 * @throws {KernelTooWideError} if a matrix that is not diagonal spans more targets than
 *   `target.maxDenseQubits`.
 */
export function compile(circuit: Circuit, target: TargetProfile): Compiled {
  const scheduled = schedule(circuit, target);
  const program: Program = { hash: hashProgram(scheduled), ...scheduled };
  return { program, report: reportOn(circuit, scheduled.steps) };
}
