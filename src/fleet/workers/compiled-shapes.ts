/** Compiles circuits for an engine in a worker, and keeps their shapes. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import type { CompilationReport, CompileOptions } from '../../compiler/compile.ts';
import type { compileGradient } from '../../compiler/gradient/compile-gradient.ts';
import { type AngleKinds, angleKinds } from '../../compiler/parametric.ts';
import type { Program, TargetProfile } from '../../compiler/program.ts';
import type { CompiledShape, compileShape } from '../../compiler/shape.ts';
import { circuitOf, type WrittenCircuit, writeCircuit } from './sent-circuit.ts';
import type { Reuse, SentCircuit } from './worker-messages.ts';

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
 * Compiles circuits for one engine, and keeps the shapes that it compiled last. The shape of a circuit without
 * parameters is the circuit.
 *
 * A circuit that can be written as text is always compiled as a shape, also the first of it: a seed gives the same
 * counts whatever came before.
 */
export class CompiledShapes {
  readonly #target: TargetProfile;
  readonly #compiler: Compiler;
  /** In the order of use, the oldest first. Few enough to look at each. */
  readonly #entries: ShapeEntry[] = [];
  #numOperations = 0;

  constructor(target: TargetProfile, compiler: Compiler) {
    this.#target = target;
    this.#compiler = compiler;
  }

  /** @throws what the compiler throws. */
  compile(
    circuit: SentCircuit,
    keepState: boolean,
  ): { readonly program: Program; readonly report: CompilationReport; readonly reused: Reuse } {
    // A circuit that comes as objects cannot be written as text, but long circuits come as bytes.
    const read = 'bytes' in circuit ? circuitOf(circuit) : circuit;
    const written = 'shape' in read ? read : 'bytes' in circuit ? writeCircuit(read) : undefined;
    if (written !== undefined) {
      const kinds = angleKinds(written.angles);
      const known = this.#take(written, kinds, keepState);
      const entry = known ?? this.#newEntry(written, kinds, keepState);
      this.#keep(entry);
      const program = entry.compiled.bind(kinds.values);
      const hasParameters = kinds.values.length > 0;
      const reused = known === undefined ? 'nothing' : hasParameters ? 'shape' : 'program';
      if (program !== undefined) return { program, report: entry.compiled.report, reused };
    }
    const whole = this.#compiler.compile(circuitOf(read), this.#target, { keepState });
    return { ...whole, reused: 'nothing' };
  }

  #newEntry(written: WrittenCircuit, { slots }: AngleKinds, keepState: boolean): ShapeEntry {
    const { shape: text, angles, numOperations } = written;
    const circuit = circuitOf(written);
    const compiled = this.#compiler.compileShape(circuit, { slots }, this.#target, { keepState });
    return { text, slots, angles, keepState, numOperations, compiled };
  }

  #take(
    { shape, angles }: WrittenCircuit,
    { slots }: AngleKinds,
    keepState: boolean,
  ): ShapeEntry | undefined {
    const place = this.#entries.findLastIndex(
      (entry) =>
        entry.keepState === keepState &&
        entry.text === shape &&
        entry.slots.every(
          (slot, i) => slot === slots[i] && (slot >= 0 || entry.angles[i] === angles[i]),
        ),
    );
    if (place < 0) return undefined;
    const [entry] = this.#entries.splice(place, 1);
    this.#numOperations -= entry!.numOperations;
    return entry;
  }

  #keep(entry: ShapeEntry): void {
    // A very long one would displace all others.
    if (entry.numOperations > MAX_SHAPE_OPERATIONS) return;
    this.#entries.push(entry);
    this.#numOperations += entry.numOperations;
    while (this.#entries.length > MAX_SHAPES || this.#numOperations > MAX_SHAPE_OPERATIONS) {
      this.#numOperations -= this.#entries.shift()!.numOperations;
    }
  }
}
