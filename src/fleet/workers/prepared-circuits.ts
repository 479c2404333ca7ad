/**
 * Circuits prepared for one engine, by the method of their run. Compiled programs are kept for circuits that come
 * again, or that differ from an earlier one in their angles alone.
 */
import { createHash } from 'node:crypto';
import { type DynamicCircuit, savesOf } from '../../circuit/circuit.ts';
import { withoutSaves } from '../../circuit/prefixes.ts';
import {
  compileMatrixProduct,
  compileMatrixProductTrajectories,
} from '../../compiler/chain/compile-matrix-product.ts';
import { asCollapsed } from '../../compiler/clifford/as-collapsed.ts';
import { compileActive } from '../../compiler/clifford/compile-active.ts';
import { compileNearClifford } from '../../compiler/clifford/compile-near-clifford.ts';
import { compileAsWritten, compileStabilizer } from '../../compiler/clifford/compile-stabilizer.ts';
import { type CompilationReport, type CompileOptions, compile } from '../../compiler/compile.ts';
import type { compileGradient } from '../../compiler/gradient/compile-gradient.ts';
import { compileDensity } from '../../compiler/noise/compile-density.ts';
import { compileTrajectories } from '../../compiler/noise/compile-trajectories.ts';
import { type AngleKinds, angleKinds } from '../../compiler/parametric.ts';
import { compilePaulis } from '../../compiler/pauli/compile-paulis.ts';
import type { Program, TargetProfile } from '../../compiler/program.ts';
import { reportAsWritten } from '../../compiler/report.ts';
import type { CompiledShape, compileShape } from '../../compiler/shape.ts';
import { compileSparse } from '../../compiler/sparse/compile-sparse.ts';
import type { Engine, Executable, Preparing, Programs } from '../../engine/engine.ts';
import { MAX_CORE_QUBITS } from '../../engine/stabilizer/run-near-clifford.ts';
import { MethodMissingError } from '../errors.ts';
import type { CircuitRequest, MethodRequest, RunMethod } from '../schedule/scheduled-run.ts';
import { PREFIX_METHODS, withPrefixRuns } from './prefix-runs.ts';
import { RecentlyUsed } from './recently-used.ts';
import { circuitOf, isSameCircuit, type WrittenCircuit, writeCircuit } from './sent-circuit.ts';
import type { Reuse, SentCircuit } from './worker-messages.ts';

/** A circuit that is ready to run. */
export interface PreparedCircuit {
  readonly executable: Executable;
  readonly report: CompilationReport;
  /** Part of an earlier circuit that a run of it reuses. */
  readonly reused: Reuse;
}

/** A request whose method is chosen. */
type Compiling = MethodRequest &
  Pick<CircuitRequest, 'referenceSample'> & { readonly method: RunMethod };

/** The program of the first kind that takes a circuit, in the order in which a method is chosen. */
function stabilizerProgram(circuit: DynamicCircuit, withReference: boolean) {
  const clifford = compileStabilizer(circuit);
  if (!('kind' in clifford)) {
    const collapsed = withReference ? compileAsWritten(asCollapsed(circuit)) : undefined;
    if (collapsed === undefined || 'kind' in collapsed) return clifford;
    return { ...clifford, asCollapsed: collapsed };
  }
  const sums = compileNearClifford(circuit, { maxCoreQubits: MAX_CORE_QUBITS });
  if (!('kind' in sums) || sums.kind !== 'unsupported-operation') return sums;
  return compileActive(circuit, { maxActiveQubits: MAX_CORE_QUBITS });
}

/** Compilers of the circuits of each method. */
const COMPILERS: {
  readonly [Method in RunMethod]: (
    circuit: DynamicCircuit,
    compiling: Pick<CircuitRequest, 'bonds' | 'paulis' | 'referenceSample'> & {
      readonly target: TargetProfile;
      readonly keepState: boolean;
    },
  ) => { readonly program: Programs[Method]['program']; readonly report: CompilationReport };
} = {
  statevector: (circuit, { target, keepState }) => compile(circuit, target, { keepState }),
  trajectories: (circuit, { target }) => compileTrajectories(circuit, target),
  density_matrix: (circuit, { target, keepState }) =>
    compileDensity(circuit, target, { keepState }),
  stabilizer: (circuit, { referenceSample = false }) => {
    const program = stabilizerProgram(circuit, referenceSample);
    if ('kind' in program) throw new Error(`unreachable: no program, for ${program.kind}`);
    return { program, report: reportAsWritten(circuit) };
  },
  matrix_product_state: (circuit, { bonds }) => ({
    program: compileMatrixProduct(circuit, bonds),
    report: reportAsWritten(circuit),
  }),
  matrix_product_trajectories: (circuit, { bonds }) => ({
    program: compileMatrixProductTrajectories(circuit, bonds),
    report: reportAsWritten(circuit),
  }),
  pauli_propagation: (circuit, { paulis }) => {
    const program = compilePaulis(circuit, paulis);
    if ('problem' in program) throw new Error(`unreachable: no program, for ${program.problem}`);
    return { program, report: reportAsWritten(circuit) };
  },
  sparse: (circuit) => ({
    program: compileSparse(circuit),
    report: reportAsWritten(circuit),
  }),
};

/**
 * Compiles a circuit for a method.
 *
 * @returns The compiler's report, and a function that prepares the circuit on the engine.
 * @throws {MethodMissingError} if the engine does not have the method.
 * @throws what the compiler throws.
 */
export function compiledByMethod<Method extends RunMethod>(
  engine: Engine,
  circuit: DynamicCircuit,
  { method, bonds, paulis, referenceSample = false }: Compiling & { readonly method: Method },
  keepState: boolean,
): { readonly report: CompilationReport; readonly prepare: () => Promise<Executable> } {
  const { [method]: prepare }: Preparing = engine.prepare;
  if (prepare === undefined) throw new MethodMissingError(method, engine.name);
  const compiling = {
    target: engine.target,
    keepState,
    referenceSample,
    ...(bonds && { bonds }),
    ...(paulis && { paulis }),
  };
  const compiled = (each: DynamicCircuit) => COMPILERS[method](each, compiling);
  const hasPrefixes = PREFIX_METHODS.has(method) && savesOf(circuit).length > 0;
  const { program, report } = compiled(hasPrefixes ? withoutSaves(circuit) : circuit);
  const prepareWhole = () => prepare(program);
  if (!hasPrefixes) return { report, prepare: prepareWhole };
  const preparePrefix = (each: DynamicCircuit) => prepare(compiled(each).program);
  return { report, prepare: () => withPrefixRuns(circuit, prepareWhole, preparePrefix) };
}

/** The compiler's pipelines: for a circuit, and for all circuits that differ from it in their angles. */
export interface Compiler {
  readonly compile: (
    circuit: DynamicCircuit,
    target: TargetProfile,
    options: CompileOptions,
  ) => { readonly program: Program; readonly report: CompilationReport };
  readonly compileShape: typeof compileShape;
  readonly compileGradient: typeof compileGradient;
}

/** Operations of the shapes that are kept, together; one takes 1 to 3 KB, with what the engine keeps of it. */
const MAX_SHAPE_OPERATIONS = 20_000;
const MAX_SHAPES = 64;

/** A circuit but for the values of its parameters. */
interface ShapeEntry {
  readonly text: string;
  /** As in `AngleKinds`. */
  readonly slots: Int32Array;
  /** The angles of the circuit that came first, which has the same constants as the others. */
  readonly angles: readonly number[];
  readonly keepState: boolean;
  readonly numOperations: number;
  readonly compiled: CompiledShape;
}

/**
 * Prepares circuits on one engine, and keeps the shapes that it compiled last. The shape of a circuit without
 * parameters is the circuit.
 *
 * A circuit that can be written as text is always compiled as a shape, also the first of it: a seed gives the same
 * counts whatever came before.
 */
export class CircuitPreparation {
  readonly #engine: Engine;
  readonly #compiler: Compiler;
  readonly #shapes = new RecentlyUsed<ShapeEntry>(
    MAX_SHAPES,
    MAX_SHAPE_OPERATIONS,
    ({ numOperations }) => numOperations,
  );

  constructor(engine: Engine, compiler: Compiler) {
    this.#engine = engine;
    this.#compiler = compiler;
  }

  /** @throws what the compiler and the engine throw. */
  async prepare(
    circuit: SentCircuit,
    compiling: Compiling,
    keepState: boolean,
  ): Promise<PreparedCircuit> {
    if (compiling.method === 'statevector') {
      const { program, ...how } = this.#compile(circuit, keepState);
      return { executable: await this.#engine.prepare.statevector(program), ...how };
    }
    const compiled = compiledByMethod(this.#engine, circuitOf(circuit), compiling, keepState);
    return { executable: await compiled.prepare(), report: compiled.report, reused: 'nothing' };
  }

  #compile(
    circuit: SentCircuit,
    keepState: boolean,
  ): { readonly program: Program; readonly report: CompilationReport; readonly reused: Reuse } {
    // A circuit that comes as objects cannot be written as text, but long circuits come as bytes.
    const read = 'bytes' in circuit ? circuitOf(circuit) : circuit;
    const written = 'shape' in read ? read : 'bytes' in circuit ? writeCircuit(read) : undefined;
    if (written !== undefined) {
      const kinds = angleKinds(written.angles);
      const known = this.#shapes.take((entry) => isOfShape(written, kinds, keepState, entry));
      const entry = known ?? this.#newEntry(written, kinds, keepState);
      this.#shapes.keep(entry);
      const program = entry.compiled.bind(kinds.values);
      const hasParameters = kinds.values.length > 0;
      const reused = known === undefined ? 'nothing' : hasParameters ? 'shape' : 'program';
      if (program !== undefined) return { program, report: entry.compiled.report, reused };
    }
    const { target } = this.#engine;
    const whole = this.#compiler.compile(circuitOf(read), target, { keepState });
    return { ...whole, reused: 'nothing' };
  }

  #newEntry(written: WrittenCircuit, { slots }: AngleKinds, keepState: boolean): ShapeEntry {
    const { shape: text, angles, numOperations } = written;
    const { target } = this.#engine;
    const circuit = circuitOf(written);
    const compiled = this.#compiler.compileShape(circuit, { slots }, target, { keepState });
    return { text, slots, angles, keepState, numOperations, compiled };
  }
}

function isOfShape(
  { shape, angles }: WrittenCircuit,
  { slots }: AngleKinds,
  keepState: boolean,
  entry: ShapeEntry,
): boolean {
  return (
    entry.keepState === keepState &&
    entry.text === shape &&
    entry.slots.every(
      (slot, i) => slot === slots[i] && (slot >= 0 || entry.angles[i] === angles[i]),
    )
  );
}

const MAX_KEPT = 16;

/** Limits of the circuits that are worth keeping. */
export interface KeepLimits {
  readonly maxQubits: number;
  /** Beyond this a key costs more than it is likely to save. */
  readonly maxOperations: number;
  /** Largest size of a circuit that comes as bytes. */
  readonly maxBytes: number;
}

/**
 * Limits on the CPU engine, whose programs hold their states: 16 KiB in double precision at 10 qubits, and
 * as much again for each branch that a run had at once.
 */
export const KEPT_ON_CPU: KeepLimits = { maxQubits: 10, maxOperations: 64, maxBytes: 0 };

/** Limits on an adapter, whose programs hold no state but their code and its tables. */
export const KEPT_ON_ADAPTER: KeepLimits = {
  maxQubits: 64,
  maxOperations: 4096,
  maxBytes: 2 ** 20,
};

/** Identity of a circuit: the digest of its bytes, or the written circuit itself. */
type CircuitKey = string | WrittenCircuit;

/** Prepared circuits that are kept for one engine, by key. */
export class KeptCircuits {
  readonly #kept = new RecentlyUsed<{
    readonly key: CircuitKey;
    readonly circuit: PreparedCircuit;
  }>(MAX_KEPT);
  readonly limits: KeepLimits;

  constructor(limits: KeepLimits) {
    this.limits = limits;
  }

  /** Takes a circuit out; `keep` puts it back after a run. */
  take(key: CircuitKey): PreparedCircuit | undefined {
    return this.#kept.take((entry) => isSameKey(entry.key, key))?.circuit;
  }

  /** Keeps a circuit that is not among the kept ones. */
  async keep(key: CircuitKey, circuit: PreparedCircuit): Promise<void> {
    for (const dropped of this.#kept.keep({ key, circuit })) {
      await dropped.circuit.executable[Symbol.asyncDispose]();
    }
  }
}

/** The key of a circuit; undefined for one that is not worth keeping. */
export function keyOfCircuit(
  circuit: SentCircuit,
  { maxQubits, maxOperations, maxBytes }: KeepLimits,
): CircuitKey | undefined {
  if (circuit.numQubits > maxQubits) return undefined;
  if ('bytes' in circuit) {
    if (circuit.bytes.length > maxBytes) return undefined;
    const { bytes, strengths } = circuit;
    return createHash('sha256').update(bytes).update(strengths).digest('base64');
  }
  // Operations are objects where their matrices could not be written.
  if (!('shape' in circuit) || circuit.numOperations > maxOperations) return undefined;
  return circuit;
}

function isSameKey(a: CircuitKey, b: CircuitKey): boolean {
  return typeof a === 'string' || typeof b === 'string' ? a === b : isSameCircuit(a, b);
}
