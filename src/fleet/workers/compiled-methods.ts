/** Circuits compiled for one engine by the method of a run: one state, trajectories, or a density matrix. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import { type CompilationReport, compile } from '../../compiler/compile.ts';
import { compileDensity } from '../../compiler/noise/compile-density.ts';
import { compileTrajectories } from '../../compiler/noise/compile-trajectories.ts';
import type { Engine, Executable } from '../../engine/engine.ts';
import { MethodMissingError } from '../errors.ts';
import type { RunMethod } from '../schedule/scheduled-run.ts';

/** A compiled circuit. */
interface CompiledByMethod {
  readonly report: CompilationReport;
  /** Prepares it on the engine. */
  readonly prepare: () => Promise<Executable>;
}

/**
 * Compiles a circuit for a method.
 *
 * @throws {MethodMissingError} if the engine does not have the method.
 * @throws what the compiler throws.
 */
export function compiledByMethod(
  engine: Engine,
  circuit: DynamicCircuit,
  method: RunMethod,
  keepState: boolean,
): CompiledByMethod {
  const { target } = engine;
  switch (method) {
    case 'statevector': {
      const { program, report } = compile(circuit, target, { keepState });
      return { report, prepare: () => engine.prepare(program) };
    }
    case 'trajectories': {
      const prepare = engine.prepareTrajectories?.bind(engine);
      if (prepare === undefined) throw new MethodMissingError(method, engine.name);
      const { program, report } = compileTrajectories(circuit, target);
      return { report, prepare: () => prepare(program) };
    }
    case 'density_matrix': {
      const prepare = engine.prepareDensity?.bind(engine);
      if (prepare === undefined) throw new MethodMissingError(method, engine.name);
      const { program, report } = compileDensity(circuit, target, { keepState });
      return { report, prepare: () => prepare(program) };
    }
  }
}
