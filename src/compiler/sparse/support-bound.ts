/**
 * Bounds the amplitudes of a circuit that can be non-zero at a time, in any shot.
 *
 * A qubit has a known value; or it is free, which stands for both values in each basis state of the others; or it is
 * tied to others. All basis states are then among 2^ties values of the tied qubits times 2^free of the free ones. A gate
 * that is no permutation frees its targets or doubles the ties; a permutation ties free qubits that it acts on; a
 * measurement never adds basis states.
 */
import type {
  Condition,
  DynamicCircuit,
  DynamicOperation,
  NoiseOperation,
  PreparedState,
  Qubit,
} from '../../circuit/circuit.ts';
import { allOperations, notByStabilizers, operationQubits } from '../../circuit/circuit.ts';
import type { Channel } from '../../circuit/noise/channel.ts';
import { dimension } from '../../math/complex-matrix.ts';
import type { BlockForm } from '../block.ts';
import { unravel } from '../noise/unravelling.ts';
import type { GateLike } from '../passes/gate-like.ts';
import { GateForms } from './compile-sparse.ts';

/** What is known of the amplitudes of a circuit. */
export interface SupportBound {
  /** log2 of the most amplitudes that are non-zero at a time. */
  readonly log2Most: number;
  /** Amplitudes that gates act on, added up: those that are moved or multiplied, and those that are mixed. */
  readonly moved: number;
  readonly mixed: number;
}

/**
 * Bounds the amplitudes of a circuit; the body of a loop counts once in the sums.
 *
 * @param room - Most amplitudes that a gate adds to the sums: a state with more of them is refused.
 */
export function supportBound(
  circuit: DynamicCircuit,
  room = Number.POSITIVE_INFINITY,
): SupportBound {
  const walk = new SupportWalk(circuit.numQubits, room);
  walk.take(circuit.operations);
  return walk;
}

const ZERO = 0;
const ONE = 1;
const TIED = 2;
const FREE = 3;

/** Rounds of a loop that are followed to find what no round changes. */
const FOLLOWED_ROUNDS = 3;

class SupportWalk implements SupportBound {
  log2Most = 0;
  moved = 0;
  mixed = 0;
  /** What is known of each qubit. */
  readonly #kinds: Uint8Array;
  /** log2 of the values that the tied qubits take together, at most. */
  #ties = 0;
  #numTied = 0;
  #numFree = 0;
  readonly #forms = new GateForms();
  readonly #monomial = new Map<Channel, boolean>();

  readonly #room: number;

  constructor(numQubits: number, room: number) {
    this.#room = room;
    this.#kinds = new Uint8Array(numQubits);
  }

  take(operations: readonly DynamicOperation[]): void {
    for (const operation of operations) {
      switch (operation.kind) {
        case 'gate':
        case 'unitary':
          this.#takeGate(operation);
          break;
        case 'measure':
        case 'reset':
          for (const qubit of operation.qubits) {
            this.#collapse(qubit, operation.kind === 'reset', operation.condition);
          }
          break;
        case 'noise':
          this.#takeNoise(operation);
          break;
        case 'while':
          this.#takeLoop(operation.body);
          break;
        case 'save':
        case 'barrier':
        case 'assign':
        case 'misread':
          break;
        case 'initialize':
          for (const qubit of operation.qubits) this.#set(qubit, TIED);
          this.#ties = Math.log2(numNonZero(operation.state));
          this.#count(false);
          break;
        case 'track':
        case 'repeat':
          throw notByStabilizers(operation);
      }
    }
  }

  /** log2 of the basis states of now. */
  get #size(): number {
    return Math.min(this.#ties, this.#numTied) + this.#numFree;
  }

  #set(qubit: Qubit, kind: number): void {
    const before = this.#kinds[qubit]!;
    if (before === TIED) this.#numTied--;
    if (before === FREE) this.#numFree--;
    if (kind === TIED) this.#numTied++;
    if (kind === FREE) this.#numFree++;
    this.#kinds[qubit] = kind;
  }

  /** Ties qubits; free ones take both values in each of the values before. */
  #tie(qubits: readonly Qubit[]): void {
    this.#ties = Math.min(this.#ties, this.#numTied);
    for (const qubit of qubits) {
      if (this.#kinds[qubit] === FREE) this.#ties++;
      this.#set(qubit, TIED);
    }
  }

  #count(isMixed: boolean): void {
    const size = this.#size;
    this.log2Most = Math.max(this.log2Most, size);
    const counted = Math.min(this.#room, 2 ** size);
    if (isMixed) this.mixed += counted;
    else this.moved += counted;
  }

  #takeGate(operation: GateLike): void {
    const { targets, condition } = operation;
    const form = this.#forms.of(operation);
    if (form === undefined || operation.controls.some((q) => this.#kinds[q] === ZERO)) return;
    const controls = operation.controls.filter((qubit) => this.#kinds[qubit] !== ONE);
    if (form.kind === 'permutation') this.#permute(form.rows, targets, controls, condition);
    else if (form.kind === 'dense') this.#mix(form, targets, controls);
    this.#count(form.kind === 'dense');
  }

  #permute(
    rows: readonly number[],
    targets: readonly Qubit[],
    controls: readonly Qubit[],
    condition: Condition | undefined,
  ): void {
    const kinds = targets.map((qubit) => this.#kinds[qubit]!);
    // All values of free qubits are among the basis states before and after.
    if (kinds.every((kind) => kind === FREE)) return;
    const isSure = controls.length === 0 && condition === undefined;
    if (isSure && kinds.every((kind) => kind === ZERO || kind === ONE)) {
      const row = rows[kinds.reduce<number>((value, kind, t) => value | (kind << t), 0)]!;
      for (const [t, qubit] of targets.entries()) this.#set(qubit, (row >>> t) & 1);
      return;
    }
    if (isSure && rows.length === 4 && rows[0] === 0 && rows[1] === 2 && rows[2] === 1) {
      for (const [t, qubit] of targets.entries()) this.#set(qubit, kinds[1 - t]!);
      return;
    }
    if (targets.length === 1 && kinds[0] === TIED && controls.length === 0) return;
    this.#tie([...targets, ...controls]);
  }

  #mix(form: BlockForm, targets: readonly Qubit[], controls: readonly Qubit[]): void {
    const toFree = targets.filter((qubit) => this.#kinds[qubit] !== FREE);
    const growth = Math.log2(widestColumn(form.entries));
    if (growth < toFree.length) {
      this.#tie([...targets, ...controls]);
      this.#ties += growth;
    } else {
      this.#ties = Math.min(this.#ties, this.#numTied);
      for (const qubit of toFree) this.#set(qubit, FREE);
    }
  }

  #collapse(qubit: Qubit, isReset: boolean, condition: Condition | undefined): void {
    const kind = this.#kinds[qubit]!;
    if (kind === ZERO || (kind === ONE && !isReset)) return;
    if (condition !== undefined) {
      if (kind === ONE) this.#set(qubit, TIED);
      return;
    }
    this.#ties = Math.min(this.#ties, this.#numTied);
    // The other qubits take no more values together than they did with this one.
    this.#set(qubit, isReset ? ZERO : TIED);
  }

  #takeNoise({ qubits, channel }: NoiseOperation): void {
    let keepsCount = this.#monomial.get(channel);
    if (keepsCount === undefined) {
      keepsCount = isMonomial(channel);
      this.#monomial.set(channel, keepsCount);
    }
    // Pauli errors send all values of free qubits to all; other permutations may tie qubits to each other.
    const isPauli = channel.kind === 'pauli';
    if (keepsCount) this.#tie(isPauli ? qubits.filter((q) => this.#kinds[q]! < TIED) : qubits);
    else for (const qubit of qubits) this.#set(qubit, FREE);
    this.#count(!keepsCount);
  }

  #takeLoop(body: readonly DynamicOperation[]): void {
    for (let round = 0; round < FOLLOWED_ROUNDS; round++) {
      const [kinds, ties] = [this.#kinds.slice(), this.#ties];
      this.take(body);
      // The loop may end before this round.
      for (const [qubit, kind] of kinds.entries()) {
        const now = this.#kinds[qubit]!;
        if (kind === now) continue;
        this.#set(qubit, Math.max(kind, now, TIED));
      }
      this.#ties = Math.max(this.#ties, ties);
      if (this.#ties === ties && this.#kinds.every((kind, q) => kind === kinds[q])) return;
    }
    for (const operation of allOperations(body)) {
      if (operation.kind === 'assign' || operation.kind === 'misread') continue;
      for (const qubit of operationQubits(operation)) this.#set(qubit, FREE);
    }
    this.#count(true);
  }
}

function numNonZero(state: PreparedState): number {
  if (state.kind !== 'pure') throw new Error('unreachable: a mixture in a sparse state');
  const { amplitudes } = state;
  let count = 0;
  for (let i = 0; i < amplitudes.length; i += 2) {
    if (amplitudes[i] !== 0 || amplitudes[i + 1] !== 0) count++;
  }
  return count;
}

/** Most entries of a column that are not 0. */
function widestColumn(matrix: Float64Array): number {
  const d = dimension(matrix);
  let most = 0;
  for (let column = 0; column < d; column++) {
    let count = 0;
    for (let row = 0; row < d; row++) {
      const at = 2 * (row * d + column);
      if (matrix[at] !== 0 || matrix[at + 1] !== 0) count++;
    }
    most = Math.max(most, count);
  }
  return most;
}

/** Whether no operator by which a channel acts sends a basis state to several. */
function isMonomial(channel: Channel): boolean {
  const { main, jumps } = unravel(channel);
  const matrices = jumps.flatMap(({ operator }) =>
    operator.kind === 'matrix' ? [operator.matrix] : [],
  );
  return [...(main === undefined ? [] : [main]), ...matrices].every(
    (matrix) => widestColumn(matrix) <= 1,
  );
}
