/**
 * Programs of a section of gates and noise (`NoiseSection`) and of its parts. They begin in any state, leave every qubit
 * in its own place, and are compiled when first needed.
 */
import type {
  Condition,
  DynamicOperation,
  NoiseOperation,
  Operation,
  Qubit,
} from '../../circuit/circuit.ts';
import type { Channel } from '../../circuit/noise/channel.ts';
import type { ComplexMatrix } from '../../math/complex-matrix.ts';
import { pairForm } from '../pair-form.ts';
import { optimize } from '../passes/pipeline.ts';
import type { NoiseSection, NoiseSite, Program, TargetProfile } from '../program.ts';
import { hashProgram } from '../program-hash.ts';
import { schedule } from '../schedule.ts';
import { type JumpOperator, type Unravelling, unravel } from './unravelling.ts';

/** An operation of a section of gates and noise. */
export type SectionOperation =
  | NoiseOperation
  | Extract<Operation, { kind: 'gate' | 'unitary' | 'barrier' }>;

/** The gates before a site of noise, and the site; the last one has none. */
interface Element {
  readonly gates: readonly Operation[];
  readonly noise?: NoiseOperation;
  readonly unravelling?: Unravelling;
}

/**
 * Most kernels of all segments that a section keeps: about 300 MB. A long section has log2 of its length times as many,
 * and compiles the others whenever it needs them.
 */
const MAX_KEPT_KERNELS = 2 ** 20;

/** Compiles the programs of a section. */
export interface SegmentPrograms {
  /** @param startsFresh - Whether the segment begins in |0…0⟩, so that passes may use that. */
  compile(operations: readonly SegmentOperation[], startsFresh: boolean): Program;
  /** A single matrix, which need not be unitary. */
  operator(qubits: readonly Qubit[], matrix: ComplexMatrix): Program;
  /** Multiplies a state by `RESCALING_FACTOR`. */
  rescaling(): Program;
}

/** @param startsFresh - Whether the section begins in |0…0⟩. */
export function sectionOf(
  operations: readonly SectionOperation[],
  compiler: SegmentPrograms,
  startsFresh: boolean,
): NoiseSection {
  const elements = elementsOf(operations);
  const jumps = new JumpPrograms(compiler);
  const segments = new Map<number, Program>();
  let keptKernels = 0;
  const gates = new Map<number, Program>();
  return {
    kind: 'section',
    sites: elements.flatMap(({ noise, unravelling }) =>
      noise === undefined || unravelling === undefined ? [] : [siteOf(noise, unravelling, jumps)],
    ),
    segment(from, to) {
      const key = from * elements.length + to - 1;
      let program = segments.get(key);
      if (program === undefined) {
        const inside = elements.slice(from, to).flatMap(operationsOf);
        program = compiler.compile(inside, startsFresh && from === 0);
        const kernels = numKernels(program);
        if (keptKernels + kernels <= MAX_KEPT_KERNELS) {
          keptKernels += kernels;
          segments.set(key, program);
        }
      }
      return program;
    },
    main(element) {
      const main = mainOf(elements[element]!);
      return main && compiler.compile([main], false);
    },
    gates(element) {
      let program = gates.get(element);
      if (program === undefined) {
        program = compiler.compile(elements[element]!.gates, startsFresh && element === 0);
        gates.set(element, program);
      }
      return program;
    },
  };
}

function numKernels({ steps }: Program): number {
  return steps.reduce((sum, step) => sum + (step.kind === 'sweep' ? step.kernels.length : 0), 0);
}

function elementsOf(operations: readonly SectionOperation[]): readonly Element[] {
  const unravellings = new Map<NoiseOperation['channel'], Unravelling>();
  const elements: Element[] = [];
  let gates: Operation[] = [];
  for (const operation of operations) {
    if (operation.kind !== 'noise') {
      gates.push(operation);
      continue;
    }
    let unravelling = unravellings.get(operation.channel);
    if (unravelling === undefined) {
      unravelling = unravel(operation.channel);
      unravellings.set(operation.channel, unravelling);
    }
    elements.push({ gates, noise: operation, unravelling });
    gates = [];
  }
  elements.push({ gates });
  return elements;
}

/** The gates of an element, and the main operator of its site. */
function operationsOf(element: Element): readonly SegmentOperation[] {
  const main = mainOf(element);
  return main === undefined ? element.gates : [...element.gates, main];
}

function mainOf({ noise, unravelling }: Element): SegmentOperation | undefined {
  const matrix = unravelling?.main;
  if (noise === undefined || matrix === undefined) return undefined;
  const { qubits, condition } = noise;
  const given = condition === undefined ? {} : { condition };
  if (unravelling?.survival === undefined) return { kind: 'operator', qubits, matrix, ...given };
  return { kind: 'unitary', controls: [], targets: qubits, matrix, ...given };
}

function siteOf(
  { qubits, condition }: NoiseOperation,
  { survival, hazard, jumps }: Unravelling,
  programs: JumpPrograms,
): NoiseSite {
  return {
    ...(condition === undefined ? {} : { condition }),
    ...(survival === undefined ? {} : { survival }),
    hazard,
    jumpWeights: jumps.map(({ weight }) => weight),
    jumpsAreUnitary: jumps.every(({ isUnitary }) => isUnitary),
    jump: (index) => programs.of(jumps[index]!.operator, qubits),
  };
}

/** Programs of jumps, by their qubits. */
class JumpPrograms {
  readonly #compiler: SegmentPrograms;
  readonly #known = new Map<JumpOperator['operator'], Map<string, Program>>();

  constructor(compiler: SegmentPrograms) {
    this.#compiler = compiler;
  }

  of(operator: JumpOperator['operator'], qubits: readonly number[]): Program | undefined {
    if (operator.kind === 'identity') return undefined;
    const key = qubits.join();
    const known = this.#known.get(operator) ?? new Map<string, Program>();
    this.#known.set(operator, known);
    const program = known.get(key) ?? this.#compile(operator, qubits);
    known.set(key, program);
    return program;
  }

  #compile(
    operator: Exclude<JumpOperator['operator'], { kind: 'identity' }>,
    qubits: readonly number[],
  ): Program {
    if (operator.kind === 'matrix') return this.#compiler.operator(qubits, operator.matrix);
    const paulis = qubits.flatMap((qubit, i): Operation[] => {
      const isFlip = ((operator.flips >> i) & 1) === 1;
      const isSign = ((operator.signs >> i) & 1) === 1;
      if (!isFlip && !isSign) return [];
      const gate = isFlip ? (isSign ? 'Y' : 'X') : 'Z';
      return [{ kind: 'gate', gate, controls: [], targets: [qubit], angles: [] }];
    });
    return this.#compiler.compile(paulis, false);
  }
}

/** A matrix that need not be unitary. Passes leave it where it is. */
export interface OperatorOperation {
  readonly kind: 'operator';
  readonly qubits: readonly Qubit[];
  readonly matrix: ComplexMatrix;
  readonly condition?: Condition;
}

/** An operation of a segment. */
export type SegmentOperation = Operation | OperatorOperation;

/** Factor by which the `rescaling` program multiplies a state. */
export const RESCALING_FACTOR = 2 ** 16;

/** Compiles segments of one circuit for one target. */
export class SegmentCompiler implements SegmentPrograms {
  readonly #numQubits: number;
  readonly #numBits: number;
  readonly #target: TargetProfile;
  readonly #start;
  #fusedBlocks = 0;

  /** @param numBits - Of the register, which conditions read. */
  constructor(numQubits: number, numBits: number, target: TargetProfile) {
    this.#numQubits = numQubits;
    this.#numBits = numBits;
    this.#target = target;
    const home = Array.from({ length: numQubits }, (_, qubit) => qubit);
    this.#start = { placeOf: home, pinned: undefined, returns: true };
  }

  /** Kernels so far that combine several operations. */
  get fusedBlocks(): number {
    return this.#fusedBlocks;
  }

  compile(operations: readonly SegmentOperation[], startsFresh: boolean): Program {
    const matrices = new Map<Channel, ComplexMatrix>();
    // Passes know noise, and move nothing across it.
    const marked = operations.map((operation): DynamicOperation => {
      if (operation.kind !== 'operator') return operation;
      const { qubits, matrix, condition } = operation;
      const channel: Channel = { kind: 'kraus', numQubits: qubits.length, matrices: [matrix] };
      matrices.set(channel, matrix);
      return { kind: 'noise', qubits, channel, ...(condition === undefined ? {} : { condition }) };
    });
    const whole = { numQubits: this.#numQubits, numBits: this.#numBits, operations: marked };
    const { circuit } = optimize(whole, { keepState: true, startsFresh });
    const paired = pairForm(circuit, this.#target.costs);
    const scheduled = paired.operations.map((operation) =>
      operation.kind === 'noise' ? unitaryLike(operation, matrices) : operation,
    );
    return this.#schedule(scheduled, matrices.size === 0);
  }

  operator(qubits: readonly Qubit[], matrix: ComplexMatrix): Program {
    return this.#schedule([{ kind: 'unitary', controls: [], targets: qubits, matrix }], false);
  }

  rescaling(): Program {
    return this.operator([], Float64Array.of(RESCALING_FACTOR, 0));
  }

  #schedule(operations: readonly DynamicOperation[], isUnitary: boolean): Program {
    const circuit = { numQubits: this.#numQubits, numBits: this.#numBits, operations };
    const { program, fusedBlocks } = schedule(circuit, this.#target, this.#start);
    this.#fusedBlocks += fusedBlocks;
    const flagged: Omit<Program, 'hash'> = {
      ...program,
      startsAnywhere: true,
      ...(isUnitary ? {} : { isUnitary: false }),
    };
    return { hash: hashProgram(flagged), ...flagged };
  }
}

/** The matrix of noise as an operation that is scheduled. */
function unitaryLike(
  { qubits, channel, condition }: NoiseOperation,
  matrices: ReadonlyMap<Channel, ComplexMatrix>,
): Operation {
  const matrix = matrices.get(channel);
  if (matrix === undefined) throw new Error('unreachable: noise in a segment');
  const given = condition === undefined ? {} : { condition };
  return { kind: 'unitary', controls: [], targets: qubits, matrix, ...given };
}
