/** Circuits compiled for one engine by the method of a run. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import { compileMatrixProduct } from '../../compiler/chain/compile-matrix-product.ts';
import { compileNearClifford } from '../../compiler/clifford/compile-near-clifford.ts';
import { compileStabilizer } from '../../compiler/clifford/compile-stabilizer.ts';
import { type CompilationReport, compile } from '../../compiler/compile.ts';
import { compileDensity } from '../../compiler/noise/compile-density.ts';
import { compileTrajectories } from '../../compiler/noise/compile-trajectories.ts';
import { reportAsWritten } from '../../compiler/report.ts';
import type { Engine, Executable } from '../../engine/engine.ts';
import { MAX_CORE_QUBITS } from '../../engine/stabilizer/run-near-clifford.ts';
import { MethodMissingError } from '../errors.ts';
import type { MethodRequest, RunMethod } from '../schedule/scheduled-run.ts';

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
  { method, bonds }: MethodRequest & { readonly method: RunMethod },
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
    case 'stabilizer': {
      const prepare = engine.prepareStabilizer?.bind(engine);
      if (prepare === undefined) throw new MethodMissingError(method, engine.name);
      const clifford = compileStabilizer(circuit);
      const program =
        'kind' in clifford
          ? compileNearClifford(circuit, { maxCoreQubits: MAX_CORE_QUBITS })
          : clifford;
      if ('kind' in program) throw new Error(`unreachable: no program, for ${program.kind}`);
      return { report: reportAsWritten(circuit), prepare: () => prepare(program) };
    }
    case 'matrix_product_state': {
      const prepare = engine.prepareMatrixProduct?.bind(engine);
      if (prepare === undefined) throw new MethodMissingError(method, engine.name);
      const program = compileMatrixProduct(circuit, bonds);
      return { report: reportAsWritten(circuit), prepare: () => prepare(program) };
    }
  }
}
