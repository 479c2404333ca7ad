/** Circuits compiled for one engine by the method of a run. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import { compileMatrixProduct } from '../../compiler/chain/compile-matrix-product.ts';
import { compileNearClifford } from '../../compiler/clifford/compile-near-clifford.ts';
import { compileStabilizer } from '../../compiler/clifford/compile-stabilizer.ts';
import { type CompilationReport, compile } from '../../compiler/compile.ts';
import { compileDensity } from '../../compiler/noise/compile-density.ts';
import { compileTrajectories } from '../../compiler/noise/compile-trajectories.ts';
import type { TargetProfile } from '../../compiler/program.ts';
import { reportAsWritten } from '../../compiler/report.ts';
import type { Engine, Executable, MethodPrograms } from '../../engine/engine.ts';
import { MAX_CORE_QUBITS } from '../../engine/stabilizer/run-near-clifford.ts';
import { MethodMissingError } from '../errors.ts';
import type { MethodRequest, RunMethod } from '../schedule/scheduled-run.ts';

/** A compiled circuit. */
interface CompiledByMethod {
  readonly report: CompilationReport;
  /** Prepares it on the engine. */
  readonly prepare: () => Promise<Executable>;
}

type OtherMethod = keyof MethodPrograms;

/** The target and the options that circuits are compiled for. */
interface Compiling extends Pick<MethodRequest, 'bonds'> {
  readonly target: TargetProfile;
  readonly keepState: boolean;
}

/** How the circuits of each method are compiled. */
const COMPILERS: {
  readonly [Method in OtherMethod]: (
    circuit: DynamicCircuit,
    compiling: Compiling,
  ) => { readonly program: MethodPrograms[Method]; readonly report: CompilationReport };
} = {
  trajectories: (circuit, { target }) => compileTrajectories(circuit, target),
  density_matrix: (circuit, { target, keepState }) =>
    compileDensity(circuit, target, { keepState }),
  stabilizer: (circuit) => {
    const clifford = compileStabilizer(circuit);
    const program =
      'kind' in clifford
        ? compileNearClifford(circuit, { maxCoreQubits: MAX_CORE_QUBITS })
        : clifford;
    if ('kind' in program) throw new Error(`unreachable: no program, for ${program.kind}`);
    return { program, report: reportAsWritten(circuit) };
  },
  matrix_product_state: (circuit, { bonds }) => ({
    program: compileMatrixProduct(circuit, bonds),
    report: reportAsWritten(circuit),
  }),
};

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
  if (method === 'statevector') {
    const { program, report } = compile(circuit, target, { keepState });
    return { report, prepare: () => engine.prepare(program) };
  }
  return byOtherMethod(engine, method, circuit, { target, keepState, ...(bonds && { bonds }) });
}

function byOtherMethod<Method extends OtherMethod>(
  { methods, name }: Engine,
  method: Method,
  circuit: DynamicCircuit,
  compiling: Compiling,
): CompiledByMethod {
  const prepare = methods[method];
  if (prepare === undefined) throw new MethodMissingError(method, name);
  const { program, report } = COMPILERS[method](circuit, compiling);
  return { report, prepare: () => prepare(program) };
}
