/**
 * Operations with the facts that the search for windows uses often, the members of a window, and their product as far
 * as it is needed.
 */
import { type Operation, operationQubits, type Qubit } from '../../circuit/circuit.ts';
import { type ComplexMatrix, monomialRows } from '../../math/complex-matrix.ts';
import { isParametric } from '../parametric.ts';
import { type ControlledForm, controlledForm } from './controlled-form.ts';
import { type Axes, factsNamed, Z_AXIS } from './gate-facts.ts';
import { axesOf, type GateLike, matrixOf, targetAxes } from './gate-like.ts';
import {
  DIMENSION,
  MAX_WINDOW_QUBITS,
  positionOf,
  WindowColumn,
  type WindowGate,
  WindowProduct,
} from './window-product.ts';

/** A gate without a condition. */
export class GateEntry implements WindowGate {
  readonly operation: GateLike;
  /** Controls first. */
  readonly qubits: readonly Qubit[];
  /** Axes that it commutes with on each of its qubits. */
  readonly axes: readonly Axes[];
  /** Whether it makes superpositions of basis states. */
  readonly isDense: boolean;
  readonly cost: number;
  /** Whether the matrix depends on parameters. */
  readonly isParametric: boolean;
  #matrix: ComplexMatrix | undefined;

  constructor(operation: GateLike) {
    const { isDense, cost } = traitsOf(operation);
    this.operation = operation;
    this.qubits = operationQubits(operation);
    this.axes = axesOf(operation);
    this.isDense = isDense;
    this.cost = cost;
    this.isParametric = isParametric(operation);
  }

  /** Computed on demand, because most matrices are never needed. */
  get matrix(): ComplexMatrix {
    this.#matrix ??= matrixOf(this.operation);
    return this.#matrix;
  }
}

/** Any other operation: no gate of a window moves past it. */
export interface FenceEntry {
  readonly operation: Operation;
  readonly qubits: readonly Qubit[];
  readonly axes?: never;
}

/** An operation of the circuit. */
export type Entry = GateEntry | FenceEntry;

/** Makes the entry of an operation. */
export function entryOf(operation: Operation): Entry {
  const isGate = operation.kind === 'gate' || operation.kind === 'unitary';
  if (isGate && operation.condition === undefined) return new GateEntry(operation);
  return { operation, qubits: operationQubits(operation) };
}

/** One bit per qubit of an operation, modulo 32: no common bit means no common qubit. */
export function bitsOf(operation: Operation): number {
  switch (operation.kind) {
    case 'gate':
    case 'unitary':
      return bitsOfQubits(operation.targets) | bitsOfQubits(operation.controls);
    case 'measure':
    case 'reset':
    case 'barrier':
      return bitsOfQubits(operation.qubits);
  }
}

function bitsOfQubits(qubits: readonly Qubit[]): number {
  let bits = 0;
  for (let i = 0; i < qubits.length; i++) bits |= 1 << (qubits[i]! & 31);
  return bits;
}

/** Whether a window may start with an entry. */
export function isOpener(entry: Entry): entry is GateEntry {
  if (entry.axes === undefined || !entry.isDense || entry.isParametric) return false;
  return entry.operation.targets.length === 1 && entry.qubits.length <= MAX_WINDOW_QUBITS;
}

interface Traits {
  readonly isDense: boolean;
  readonly cost: number;
}

const traitsByName = new Map<string, Traits>();
const traitsByMatrix = new WeakMap<ComplexMatrix, Traits>();

/** Traits of a gate with any angles: RX(π) counts as dense, like RX(1). */
function traitsOf(operation: GateLike): Traits {
  const known =
    operation.kind === 'gate'
      ? traitsByName.get(operation.gate)
      : traitsByMatrix.get(operation.matrix);
  if (known !== undefined) return known;
  const traits = findTraits(operation);
  if (operation.kind === 'gate') traitsByName.set(operation.gate, traits);
  else traitsByMatrix.set(operation.matrix, traits);
  return traits;
}

/** Costs only rank rewritings: a diagonal is cheap, a permutation moves amplitudes, a matrix multiplies. */
function findTraits(operation: GateLike): Traits {
  const isDiagonal = targetAxes(operation).every((axes) => (axes & Z_AXIS) !== 0);
  if (isDiagonal) return { isDense: false, cost: 1 };
  const hasAngles = operation.kind === 'gate' && factsNamed(operation.gate).matrix === undefined;
  if (!hasAngles && monomialRows(matrixOf(operation)) !== undefined) {
    const isSwap = operation.kind === 'gate' && operation.gate === 'SWAP';
    return { isDense: false, cost: isSwap ? 0.5 : 2 };
  }
  return { isDense: true, cost: 2 * 2 ** operation.targets.length };
}

/** Most members, which limits the time per window. */
const MAX_MEMBERS = 64;

/** Simplest form of a window so far. */
export interface Best {
  readonly numMembers: number;
  /** Cost of the members less that of the form. */
  readonly saved: number;
  readonly form: ControlledForm;
}

/** Buffers for computing windows, shared by all of them because most are soon abandoned. */
export class WindowScratch {
  readonly zeros = new WindowColumn(0);
  readonly ones = new WindowColumn(DIMENSION - 1);
  readonly product = new WindowProduct();
}

/** A window that grows one gate at a time. */
export class WindowMembers {
  readonly qubits: Qubit[];
  readonly #gates: GateEntry[];
  /** Axes that all members commute with, on each qubit. */
  readonly #axes: Axes[];
  /** Target of the first gate and of all dense ones. */
  readonly #firstTarget: Qubit;
  #bits: number;
  #cost: number;
  #best: Best | undefined;
  /** Whether the product may have a simple form. */
  #isPromising = false;
  readonly #scratch: WindowScratch;
  /** Whether the shared buffers hold this window; most windows never need them. */
  #hasColumns = false;
  #hasProduct = false;

  /** @param scratch - Buffers that no other window in use shares. */
  constructor(opener: GateEntry, scratch: WindowScratch) {
    this.#scratch = scratch;
    this.qubits = [...opener.qubits];
    this.#gates = [opener];
    this.#axes = [...opener.axes];
    this.#firstTarget = opener.operation.targets[0]!;
    this.#bits = bitsOf(opener.operation);
    this.#cost = opener.cost;
  }

  /** One bit per qubit, as in `bitsOf`. */
  get bits(): number {
    return this.#bits;
  }

  get best(): Best | undefined {
    return this.#best;
  }

  get isFull(): boolean {
    return this.#gates.length >= MAX_MEMBERS;
  }

  /** Whether a gate on the window's qubits can become a member. */
  accepts(gate: GateEntry): boolean {
    return !gate.isParametric && this.#numNew(gate.qubits) === 0 && this.#keepsTarget(gate);
  }

  /** Whether a gate can become a member that shares some qubits with the window and adds others. */
  hasRoomFor(gate: GateEntry): boolean {
    if (gate.isParametric) return false;
    const numNew = this.#numNew(gate.qubits);
    const isConnected = numNew < gate.qubits.length;
    return (
      isConnected && this.qubits.length + numNew <= MAX_WINDOW_QUBITS && this.#keepsTarget(gate)
    );
  }

  /** Dense gates must share one target: a window cannot undo a dense gate on another. */
  #keepsTarget({ isDense, operation: { targets } }: GateEntry): boolean {
    return !isDense || (targets.length === 1 && targets[0] === this.#firstTarget);
  }

  /** Whether a gate commutes with all members. */
  commutesWith({ qubits, axes }: GateEntry): boolean {
    for (let i = 0; i < qubits.length; i++) {
      const position = positionOf(this.qubits, qubits[i]!);
      if (position >= 0 && (this.#axes[position]! & axes[i]!) === 0) return false;
    }
    return true;
  }

  /** Whether the members are on one qubit and make no superpositions. Later passes handle such runs. */
  get isUndoneRun(): boolean {
    return this.#isPromising && this.qubits.length === 1;
  }

  /**
   * Whether a gate ends the search: the window has no form yet, and later members could not use its target.
   */
  isBlockedBy({ qubits }: GateEntry): boolean {
    return this.#best === undefined && positionOf(qubits, this.#firstTarget) >= 0;
  }

  /** Adds a gate after the others. */
  append(gate: GateEntry): void {
    this.#join(gate);
    this.#gates.push(gate);
    // Only a dense gate can undo the superposition of the first one.
    if (gate.isDense) this.#isPromising = this.#mayBeControlled();
    if (this.#isPromising) this.#weigh();
  }

  /** Adds a gate before the others, on the window's qubits. Nothing is appended afterwards. */
  prepend(gate: GateEntry): void {
    this.#multiplied().prepend(gate, this.qubits);
    this.#gates.unshift(gate);
    this.#cost += gate.cost;
    this.#weigh();
  }

  /** Returns this window at the time of its best form. */
  atBest(): WindowMembers {
    const [opener, ...others] = this.#gates.slice(0, this.#best?.numMembers ?? 0);
    if (opener === undefined) throw new Error('unreachable: a window without a best moment');
    const window = new WindowMembers(opener, this.#scratch);
    for (const gate of others) {
      window.#join(gate);
      window.#gates.push(gate);
    }
    window.#best = this.#best;
    return window;
  }

  #numNew(qubits: readonly Qubit[]): number {
    let numNew = 0;
    for (let i = 0; i < qubits.length; i++) if (positionOf(this.qubits, qubits[i]!) < 0) numNew++;
    return numNew;
  }

  #join({ operation, qubits, axes, cost }: GateEntry): void {
    this.#cost += cost;
    this.#bits |= bitsOf(operation);
    for (let i = 0; i < qubits.length; i++) {
      const position = positionOf(this.qubits, qubits[i]!);
      if (position >= 0) {
        this.#axes[position]! &= axes[i]!;
      } else {
        this.qubits.push(qubits[i]!);
        this.#axes.push(axes[i]!);
      }
    }
  }

  /** Whether two columns are consistent with a permutation with phases, or with a gate with controls. */
  #mayBeControlled(): boolean {
    const { zeros, ones } = this.#scratch;
    if (!this.#hasColumns) {
      this.#hasColumns = true;
      zeros.restart();
      ones.restart();
    }
    const image = zeros.image(this.#gates, this.qubits);
    if (image !== 'other') return image === 'itself';
    return ones.image(this.#gates, this.qubits) !== undefined;
  }

  /** Product of all members. */
  #multiplied(): WindowProduct {
    const { product } = this.#scratch;
    if (!this.#hasProduct) {
      this.#hasProduct = true;
      product.restart();
    }
    while (product.numFactors < this.#gates.length) {
      product.append(this.#gates[product.numFactors]!, this.qubits);
    }
    return product;
  }

  #weigh(): void {
    // A later pass fuses runs on one qubit.
    if (this.qubits.length === 1) return;
    const form = controlledForm(this.#multiplied().matrix, this.qubits);
    // A smaller gain would only tie together gates that could be in different sweeps.
    if (form === undefined || 2 * form.numOperations > this.#gates.length) return;
    const saved = this.#cost - form.cost;
    if (saved <= 0 || (this.#best !== undefined && !isSimpler(form.cost, saved, this.#best)))
      return;
    this.#best = { numMembers: this.#gates.length, saved, form };
  }
}

/**
 * Compares forms by cost, not by saving. A window that continues beyond a decomposed gate saves more with
 * every part of the next one that it includes, which then can no longer be restored.
 */
function isSimpler(cost: number, saved: number, best: Best): boolean {
  return cost < best.form.cost || (cost === best.form.cost && saved > best.saved);
}
