/** Compiles parts of a stretch: programs that begin in any state and leave every qubit in its own place. */
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
import type { Program, TargetProfile } from '../program.ts';
import { hashProgram } from '../program-hash.ts';
import { schedule } from '../schedule.ts';

/** A matrix that need not be unitary. Passes leave it where it is. */
export interface OperatorOperation {
  readonly kind: 'operator';
  readonly qubits: readonly Qubit[];
  readonly matrix: ComplexMatrix;
  readonly condition?: Condition;
}

/** An operation of a segment. */
export type SegmentOperation = Operation | OperatorOperation;

/** log2 of the factor of `growth`. */
const GROWTH_EXPONENT = 16;

/** Compiles segments of one circuit for one target. */
export class SegmentCompiler {
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

  /** @param startsFresh - Whether the segment begins in |0…0⟩, so that passes may use that. */
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

  /** A single matrix, which need not be unitary. */
  operator(qubits: readonly Qubit[], matrix: ComplexMatrix): Program {
    return this.#schedule([{ kind: 'unitary', controls: [], targets: qubits, matrix }], false);
  }

  /** A factor of 2^16. */
  growth(): Program {
    return this.operator([], Float64Array.of(2 ** GROWTH_EXPONENT, 0));
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
