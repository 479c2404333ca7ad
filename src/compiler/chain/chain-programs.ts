/** Gates on the sites of a chain as sweeps: those of a program, and of the segments of one with noise. */
import {
  type Condition,
  type NoiseOperation,
  operationQubits,
  type Qubit,
} from '../../circuit/circuit.ts';
import type { ComplexMatrix } from '../../math/complex-matrix.ts';
import {
  RESCALING_FACTOR,
  type SegmentOperation,
  type SegmentPrograms,
} from '../noise/section-programs.ts';
import type { Program, Sweep } from '../program.ts';
import { hashProgram } from '../program-hash.ts';
import { ChainBuilder, MatrixList } from './chain-builder.ts';
import { GateMatrices } from './operator-weights.ts';

/** An operation with a matrix. */
type Acting = Exclude<SegmentOperation, { readonly kind: 'barrier' }>;

/** Matrices of operations on one site or two neighbours, in which the first site is the more significant bit. */
export class SiteMatrices {
  readonly #gates = new GateMatrices();

  /** Adds an operation to a builder. */
  add(operation: Acting, builder: ChainBuilder): void {
    const sites = operation.kind === 'operator' ? operation.qubits : operationQubits(operation);
    const first = Math.min(...sites);
    const bitOf = (site: number) => sites.length - 1 - (site - first);
    switch (sites.length) {
      case 1:
        builder.addSite(first, this.#of(operation, bitOf, 1));
        return;
      case 2:
        builder.addPair(first, this.#of(operation, bitOf, 2));
        return;
      default:
        throw new Error(`unreachable: a matrix on ${sites.length} sites`);
    }
  }

  #of(operation: Acting, bitOf: (site: number) => number, numBits: 1 | 2): ComplexMatrix {
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        return this.#gates.of(operation, bitOf, numBits);
      case 'operator': {
        const { qubits: targets, matrix } = operation;
        return this.#gates.of({ kind: 'unitary', controls: [], targets, matrix }, bitOf, numBits);
      }
      case 'measure':
      case 'reset':
        throw new Error(`unreachable: a ${operation.kind} among gates`);
    }
  }
}

/** The sweeps of a run of gates: one, if there are no conditions. Channels keep the gates around them apart. */
export function sweepsOf(
  operations: readonly (SegmentOperation | NoiseOperation)[],
  builder: ChainBuilder,
  matrices: MatrixList,
  known: SiteMatrices,
): readonly Sweep[] {
  const sweeps: Sweep[] = [];
  const finish = (condition?: Condition) => {
    const kernels = builder.take(matrices);
    if (kernels.length === 0) return;
    const resident = [...new Set(kernels.flatMap(({ targets }) => targets))].sort((a, b) => a - b);
    const under = condition === undefined ? {} : { condition };
    sweeps.push({ kind: 'sweep', resident, kernels, ...under });
  };
  for (const operation of operations) {
    if (operation.kind === 'barrier') continue;
    if (operation.kind === 'noise') {
      builder.part(operation.qubits);
      continue;
    }
    const { condition } = operation;
    if (condition !== undefined) finish();
    known.add(operation, builder);
    if (condition !== undefined) finish(condition);
  }
  finish();
  return sweeps;
}

/** Compiles the segments of one circuit on a chain. */
export class ChainSegments implements SegmentPrograms {
  readonly #facts: Pick<Program, 'numQubits' | 'numBits' | 'finalLayout'>;
  readonly #known = new SiteMatrices();

  constructor({ numQubits, numBits }: Pick<Program, 'numQubits' | 'numBits'>) {
    const finalLayout = Array.from({ length: numQubits }, (_, site) => site);
    this.#facts = { numQubits, numBits, finalLayout };
  }

  compile(operations: readonly SegmentOperation[]): Program {
    const matrices = new MatrixList();
    const builder = new ChainBuilder(this.#facts.numQubits);
    const steps = sweepsOf(operations, builder, matrices, this.#known);
    const hasOperators = operations.some(({ kind }) => kind === 'operator');
    const program = {
      ...this.#facts,
      steps,
      matrices: matrices.all(),
      ...(hasOperators ? { isUnitary: false as const } : {}),
      startsAnywhere: true as const,
    };
    return { hash: hashProgram(program), ...program };
  }

  operator(qubits: readonly Qubit[], matrix: ComplexMatrix): Program {
    return this.compile([{ kind: 'operator', qubits, matrix }]);
  }

  rescaling(): Program {
    const factor = RESCALING_FACTOR;
    return this.operator([0], Float64Array.of(factor, 0, 0, 0, 0, 0, factor, 0));
  }
}
