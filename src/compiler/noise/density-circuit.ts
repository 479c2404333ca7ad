/**
 * A circuit on density matrices: twice the qubits, those of the rows first. A gate U acts as U on the rows and as its
 * conjugate on the columns; a channel is a linear map on both.
 */
import type {
  Condition,
  DynamicCircuit,
  DynamicOperation,
  GateOperation,
  Operation,
  Qubit,
  UnitaryOperation,
} from '../../circuit/circuit.ts';
import type { Channel, KrausChannel } from '../../circuit/noise/channel.ts';
import { depolarizing } from '../../circuit/noise/named-channels.ts';
import { targetMatrix } from '../../circuit/operation-matrix.ts';
import { type ComplexMatrix, multiply } from '../../math/complex-matrix.ts';
import type { LinearMap } from './linear-map.ts';
import { partsOf, superoperatorOf } from './superoperator.ts';

/** Returns a qubit to |0⟩. */
const RESET: KrausChannel = {
  kind: 'kraus',
  numQubits: 1,
  matrices: [Float64Array.of(1, 0, 0, 0, 0, 0, 0, 0), Float64Array.of(0, 0, 1, 0, 0, 0, 0, 0)],
};

/** A depolarizing channel that leaves less of a state than this leaves nothing. */
const LEAST_FACTOR = 1e-12;

const WHOLLY_DEPOLARIZING: Channel = depolarizing(1, 0.75)!;

/** Probability of an error of a depolarizing channel, whatever the order of its errors; undefined for other channels. */
export function errorOfDepolarizing(channel: Channel): number | undefined {
  if (channel.kind !== 'pauli') return undefined;
  const { numQubits, errors } = channel;
  const numErrors = 4 ** numQubits - 1;
  const each = errors[0]?.probability ?? 0;
  const areAll = errors.length === numErrors;
  return areAll && errors.every(({ probability }) => probability === each)
    ? numErrors * each
    : undefined;
}

/**
 * The circuit on rows and columns. Resets become channels, so that they draw nothing.
 *
 * @param maxMapQubits - Channels on more qubits are depolarizing ones, and become factors between gates.
 */
export function densityCircuit(circuit: DynamicCircuit, maxMapQubits: number): DynamicCircuit {
  const operations = new Doubler(circuit.numQubits, maxMapQubits).doubled(circuit.operations);
  return { ...circuit, numQubits: 2 * circuit.numQubits, operations };
}

/** A channel on one qubit that the next one on it is multiplied onto. */
interface OpenChannel {
  superoperator: ComplexMatrix;
}

class Doubler {
  readonly #numQubits: number;
  readonly #maxMapQubits: number;
  readonly #superoperators = new Map<Channel, ComplexMatrix>();
  /** Matrices of gates without angles, conjugated. */
  readonly #conjugates = new Map<ComplexMatrix, ComplexMatrix>();

  constructor(numQubits: number, maxMapQubits: number) {
    this.#numQubits = numQubits;
    this.#maxMapQubits = maxMapQubits;
  }

  doubled(operations: readonly DynamicOperation[]): readonly DynamicOperation[] {
    const out: (DynamicOperation | { readonly qubit: Qubit; readonly open: OpenChannel })[] = [];
    const open = new Map<Qubit, OpenChannel>();
    const addChannel = (
      qubits: readonly Qubit[],
      superoperator: ComplexMatrix,
      condition: Condition | undefined,
    ) => {
      const [qubit] = qubits as [Qubit];
      if (qubits.length > 1 || condition !== undefined) {
        for (const each of qubits) open.delete(each);
        out.push(...this.#maps(qubits, superoperator, condition));
        return;
      }
      const earlier = open.get(qubit);
      if (earlier !== undefined) {
        earlier.superoperator = multiply(superoperator, earlier.superoperator);
        return;
      }
      const channel = { superoperator };
      open.set(qubit, channel);
      out.push({ qubit, open: channel });
    };
    for (const operation of operations) {
      switch (operation.kind) {
        case 'noise': {
          const { qubits, channel, condition } = operation;
          if (qubits.length <= this.#maxMapQubits) {
            addChannel(qubits, this.#superoperatorOf(channel), condition);
            break;
          }
          for (const each of qubits) open.delete(each);
          const given = condition === undefined ? {} : { condition };
          for (const each of this.#depolarizing(qubits, channel)) out.push({ ...each, ...given });
          break;
        }
        case 'reset':
          for (const qubit of operation.qubits) {
            addChannel([qubit], this.#superoperatorOf(RESET), operation.condition);
          }
          break;
        case 'gate':
        case 'unitary':
          for (const qubit of operation.controls) open.delete(qubit);
          for (const qubit of operation.targets) open.delete(qubit);
          out.push(...this.#gates(operation));
          break;
        case 'measure': {
          for (const qubit of operation.qubits) open.delete(qubit);
          const { qubits, bits } = operation;
          const all = [...qubits, ...qubits.map((qubit) => this.#column(qubit))];
          out.push({ ...operation, qubits: all, bits: [...bits, ...bits] });
          break;
        }
        case 'while':
          open.clear();
          out.push({ ...operation, body: this.doubled(operation.body) });
          break;
        case 'barrier':
          // Only passes heed barriers, and they are done.
          break;
        case 'assign':
        case 'misread':
          out.push(operation);
          break;
      }
    }
    return out.flatMap((each): readonly DynamicOperation[] =>
      'open' in each ? this.#maps([each.qubit], each.open.superoperator, undefined) : [each],
    );
  }

  readonly #column = (qubit: Qubit): Qubit => this.#numQubits + qubit;

  #superoperatorOf(channel: Channel): ComplexMatrix {
    const known = this.#superoperators.get(channel);
    if (known !== undefined) return known;
    const superoperator = superoperatorOf(channel);
    this.#superoperators.set(channel, superoperator);
    return superoperator;
  }

  #maps(
    qubits: readonly Qubit[],
    superoperator: ComplexMatrix,
    condition: Condition | undefined,
  ): readonly LinearMap[] {
    const targets = [...qubits, ...qubits.map(this.#column)];
    return partsOf(superoperator).map((part) => ({
      kind: 'unitary',
      controls: [],
      targets,
      ...part,
      ...(condition === undefined ? {} : { condition }),
    }));
  }

  /**
   * A depolarizing channel ρ → (1 − λ)·ρ + λ·(1 ⊗ tr ρ)/2^k. The second term is ρ projected on a Bell state of each row
   * with its column. Where every Bell state is brought to |11⟩, the channel is a factor 1 − λ for all entries, and one
   * that takes it back where all these qubits are 1.
   */
  #depolarizing(qubits: readonly Qubit[], channel: Channel): readonly Operation[] {
    const probability = errorOfDepolarizing(channel);
    if (probability === undefined) throw new Error('unreachable: a channel that is too wide');
    const numStrings = 4 ** qubits.length;
    const factor = 1 - (probability * numStrings) / (numStrings - 1);
    if (Math.abs(factor) < LEAST_FACTOR) {
      const whole = this.#superoperatorOf(WHOLLY_DEPOLARIZING);
      return qubits.flatMap((qubit) => this.#maps([qubit], whole, undefined));
    }
    const all = [...qubits, ...qubits.map(this.#column)];
    const gate = (name: string, target: Qubit, controls: readonly Qubit[] = []): Operation => {
      return { kind: 'gate', gate: name, controls, targets: [target], angles: [] };
    };
    const entangling = qubits.map((qubit) => gate('CX', this.#column(qubit), [qubit]));
    const turning = qubits.map((qubit) => gate('H', qubit));
    const flipping = all.map((qubit) => gate('X', qubit));
    const [target, ...controls] = all as [Qubit, ...Qubit[]];
    const back = Float64Array.of(1, 0, 0, 0, 0, 0, 1 / factor, 0);
    return [
      ...[...entangling, ...turning, ...flipping],
      { kind: 'unitary', controls, targets: [target], matrix: back },
      { kind: 'unitary', controls: [], targets: [], matrix: Float64Array.of(factor, 0) },
      ...[...flipping, ...turning, ...entangling],
    ];
  }

  #gates(operation: GateOperation | UnitaryOperation): readonly Operation[] {
    const controls = operation.controls.map(this.#column);
    const targets = operation.targets.map(this.#column);
    const matrix = targetMatrix(operation);
    const isReal = matrix.every((x, i) => i % 2 === 0 || x === 0);
    if (isReal) return [operation, { ...operation, controls, targets }];
    const { condition } = operation;
    return [
      operation,
      {
        kind: 'unitary',
        controls,
        targets,
        matrix: this.#conjugate(matrix),
        ...(condition === undefined ? {} : { condition }),
      },
    ];
  }

  #conjugate(matrix: ComplexMatrix): ComplexMatrix {
    const known = this.#conjugates.get(matrix);
    if (known !== undefined) return known;
    const conjugate = matrix.map((x, i) => (i % 2 === 0 ? x : -x));
    this.#conjugates.set(matrix, conjugate);
    return conjugate;
  }
}
