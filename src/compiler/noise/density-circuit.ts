/**
 * A circuit on density matrices: twice the qubits, those of the rows first. A gate U acts as U on the rows and as its
 * conjugate on the columns; a channel is a linear map on both.
 */
import {
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  type GateOperation,
  notByStabilizers,
  type Operation,
  type Qubit,
  type UnitaryOperation,
} from '../../circuit/circuit.ts';
import {
  type Channel,
  type KrausChannel,
  type PauliChannel,
  simulated,
  withIdentity,
} from '../../circuit/noise/channel.ts';
import { depolarizing } from '../../circuit/noise/named-channels.ts';
import { targetMatrix } from '../../circuit/operation-matrix.ts';
import { hasOddParity } from '../../math/basis-index.ts';
import { type ComplexMatrix, dimension, multiply } from '../../math/complex-matrix.ts';
import { ACTS_DIAGONALLY, ACTS_GENERALLY, type BlockForm } from '../block.ts';
import { withoutRounding } from '../block-product.ts';

/** A map as of a `MapKernel`: `matrix` on the values `rows` of the targets, `rest` times the others. */
export interface LinearMap extends UnitaryOperation {
  readonly rows: readonly number[];
  readonly rest: number;
}

/** Whether an operation is a linear map. */
export function isLinearMap(operation: Operation): operation is LinearMap {
  return 'rest' in operation;
}

/** The form of a map as a block. */
export function mapForm({ matrix, rows, rest, targets }: LinearMap): BlockForm {
  const actions = targets.map((_, t) =>
    isKept(rows, matrix, 1 << t) ? ACTS_DIAGONALLY : ACTS_GENERALLY,
  );
  return { kind: 'map', entries: matrix, actions, rows, rest };
}

/** Whether no entry connects values that differ in a bit. */
function isKept(rows: readonly number[], matrix: ComplexMatrix, bit: number): boolean {
  const size = rows.length;
  return rows.every((row, i) =>
    rows.every((column, j) => {
      if (((row ^ column) & bit) === 0) return true;
      const at = 2 * (i * size + j);
      return matrix[at] === 0 && matrix[at + 1] === 0;
    }),
  );
}

/** Returns a qubit to |0⟩. */
const RESET: KrausChannel = {
  kind: 'kraus',
  numQubits: 1,
  matrices: [Float64Array.of(1, 0, 0, 0, 0, 0, 0, 0), Float64Array.of(0, 0, 1, 0, 0, 0, 0, 0)],
};

/** A depolarizing channel that leaves less of a state than this leaves nothing. */
const LEAST_FACTOR = 1e-12;

const WHOLLY_DEPOLARIZING: Channel = depolarizing(1, 0.75)!;

/** Probability of an error of a depolarizing channel, in any order of errors; undefined for other channels. */
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
        case 'initialize': {
          // A pure state stands for its density matrix.
          const { qubits } = operation;
          out.push({ ...operation, qubits: [...qubits, ...qubits.map(this.#column)] });
          break;
        }
        case 'save': {
          open.clear();
          const { qubits } = operation;
          out.push({ ...operation, qubits: [...qubits, ...qubits.map(this.#column)] });
          break;
        }
        case 'assign':
        case 'misread':
          out.push(operation);
          break;
        case 'track':
        case 'repeat':
          throw notByStabilizers(operation);
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

// Channels as matrices on the entries of a density matrix.
//
// On k qubits such a matrix acts on 2k qubits: bit i of its index is operand i of the row, bit k + i that of the
// column. Common channels connect few of the entries: all of those on one qubit connect ρ00 with ρ11, and some of them
// ρ01 with ρ10, so that a channel is done as small matrices on a few entries each, times a number for all others.
//
// @see Wood, Biamonte & Cory, "Tensor networks and graphical calculus for open quantum systems", 2015, section 2.

/** A part of a superoperator, as of a linear map. */
export type MapPart = Pick<LinearMap, 'matrix' | 'rows' | 'rest'>;

/** A number for all other entries is at least this: engines defer it, and nothing must become too large meanwhile. */
const LEAST_REST = 0.5;

/** The superoperator of a channel; row-major, 4^numQubits rows. */
function superoperatorOf(given: Channel): ComplexMatrix {
  const channel = simulated(given);
  return channel.kind === 'kraus' ? superoperatorOfKraus(channel) : superoperatorOfPaulis(channel);
}

/** Σ K ⊗ conj(K), the column on the higher bits. */
function superoperatorOfKraus({ numQubits, matrices }: KrausChannel): ComplexMatrix {
  const d = 2 ** numQubits;
  const size = d * d;
  const out = new Float64Array(2 * size * size);
  for (const kraus of matrices) {
    for (let left = 0; left < d * d; left++) {
      const [aRe, aIm] = [kraus[2 * left]!, kraus[2 * left + 1]!];
      if (aRe === 0 && aIm === 0) continue;
      const [row, column] = [Math.floor(left / d), left % d];
      for (let right = 0; right < d * d; right++) {
        const [bRe, bIm] = [kraus[2 * right]!, -kraus[2 * right + 1]!];
        const to = row + d * Math.floor(right / d);
        const from = column + d * (right % d);
        out[2 * (to * size + from)]! += aRe * bRe - aIm * bIm;
        out[2 * (to * size + from) + 1]! += aRe * bIm + aIm * bRe;
      }
    }
  }
  return rounded(out);
}

/** An error sends the entry (r, c) to (r ^ flips, c ^ flips), negated where r ^ c has an odd number of its signs. */
function superoperatorOfPaulis(channel: PauliChannel): ComplexMatrix {
  const { numQubits } = channel;
  const d = 2 ** numQubits;
  const size = d * d;
  const out = new Float64Array(2 * size * size);
  for (const { flips, signs, probability } of withIdentity(channel)) {
    for (let from = 0; from < size; from++) {
      const to = from ^ (flips * (d + 1));
      const isNegative = hasOddParity((from ^ (from >> numQubits)) & (d - 1) & signs);
      out[2 * (to * size + from)]! += isNegative ? -probability : probability;
    }
  }
  return rounded(out);
}

function rounded(matrix: ComplexMatrix): ComplexMatrix {
  for (let i = 0; i < matrix.length; i++) matrix[i] = withoutRounding(matrix[i]!);
  return matrix;
}

/** Maps whose product is a superoperator, in any order. None of them for the identity. */
function partsOf(superoperator: ComplexMatrix): readonly MapPart[] {
  const size = dimension(superoperator);
  const connected = connectedRows(superoperator, size);
  const single = connected.flatMap((rows) => (rows.length === 1 ? rows : []));
  const blocks = connected.filter((rows) => rows.length > 1);
  const diagonal = (row: number): readonly [number, number] => {
    const at = 2 * row * (size + 1);
    return [superoperator[at]!, superoperator[at + 1]!];
  };
  const rest = mostCommon(single.map(diagonal));
  const others = single.filter((row) => !isNear(diagonal(row), rest));
  const parts = blocks.map((rows) => matrixOn(superoperator, size, rows));
  if (others.length > 0) parts.push(matrixOn(superoperator, size, others));
  // The first part multiplies all entries but its own, so the others take that back.
  return parts.map((part, i) =>
    i === 0 ? { ...part, rest } : { ...part, rest: 1, matrix: part.matrix.map((x) => x / rest) },
  );
}

/** Sets of rows that entries connect, each ascending. */
function connectedRows(matrix: ComplexMatrix, size: number): readonly (readonly number[])[] {
  const group = Array.from({ length: size }, (_, row) => row);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const at = 2 * (row * size + column);
      if (matrix[at] === 0 && matrix[at + 1] === 0) continue;
      const [a, b] = [group[row]!, group[column]!];
      if (a === b) continue;
      for (let i = 0; i < size; i++) if (group[i] === b) group[i] = a;
    }
  }
  const found = Map.groupBy(group.keys(), (row) => group[row]!);
  return [...found.values()];
}

/** The real number in [0.5, 1] that most of the numbers are; 1 if there is none, or of several. */
function mostCommon(numbers: readonly (readonly [number, number])[]): number {
  let [best, most] = [1, numbers.filter((number) => isNear(number, 1)).length];
  for (const [re, im] of numbers) {
    if (im !== 0 || re < LEAST_REST || re >= 1) continue;
    const count = numbers.filter((number) => isNear(number, re)).length;
    if (count > most) [best, most] = [re, count];
  }
  return best;
}

/** Whether a number is a real one, up to rounding. */
function isNear([re, im]: readonly [number, number], real: number): boolean {
  return im === 0 && Math.abs(re - real) < 4e-16;
}

function matrixOn(matrix: ComplexMatrix, size: number, rows: readonly number[]): MapPart {
  const own = new Float64Array(2 * rows.length ** 2);
  for (const [i, row] of rows.entries()) {
    for (const [j, column] of rows.entries()) {
      const at = 2 * (row * size + column);
      own.set(matrix.subarray(at, at + 2), 2 * (i * rows.length + j));
    }
  }
  return { rows, matrix: own, rest: 1 };
}
