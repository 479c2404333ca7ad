/** Gates taken into a window, and what they come to as far as it is worth knowing. */
import type { Qubit } from '../../circuit/circuit.ts';
import { type ControlledForm, controlledForm } from './controlled-form.ts';
import type { Axes } from './gate-facts.ts';
import { bitsOf, type GateEntry } from './window-entry.ts';
import {
  DIMENSION,
  MAX_WINDOW_QUBITS,
  positionOf,
  WindowColumn,
  WindowProduct,
} from './window-product.ts';

/** Keeps the time that a window takes bounded. */
const MAX_MEMBERS = 64;

/** The simplest that a window has been so far. */
export interface Best {
  readonly numMembers: number;
  /** What the members cost more than the form. */
  readonly saved: number;
  readonly form: ControlledForm;
}

/** What windows compute with; one for all of them, because most are soon given up. */
export class WindowScratch {
  readonly zeros = new WindowColumn(0);
  readonly ones = new WindowColumn(DIMENSION - 1);
  readonly product = new WindowProduct();
}

/** Grows by one gate at a time. */
export class WindowMembers {
  readonly qubits: Qubit[];
  readonly #gates: GateEntry[];
  /** What all members commute with, on each of the qubits. */
  readonly #axes: Axes[];
  /** Of the first gate, and of all dense ones. */
  readonly #firstTarget: Qubit;
  #bits: number;
  #cost: number;
  #best: Best | undefined;
  /** Whether the product may be worth something. */
  #isPromising = false;
  readonly #scratch: WindowScratch;
  /** Whether the scratch is of this window; most never need it. */
  #hasColumns = false;
  #hasProduct = false;

  /** @param scratch - No other window that is still used has it. */
  constructor(opener: GateEntry, scratch: WindowScratch) {
    this.#scratch = scratch;
    this.qubits = [...opener.qubits];
    this.#gates = [opener];
    this.#axes = [...opener.axes];
    this.#firstTarget = opener.operation.targets[0]!;
    this.#bits = bitsOf(opener.operation);
    this.#cost = opener.cost;
  }

  /** As of `bitsOf`. */
  get bits(): number {
    return this.#bits;
  }

  get best(): Best | undefined {
    return this.#best;
  }

  get isFull(): boolean {
    return this.#gates.length >= MAX_MEMBERS;
  }

  /** Whether a gate on the window's qubits can be a member. */
  accepts(gate: GateEntry): boolean {
    return this.#numNew(gate.qubits) === 0 && this.#keepsTarget(gate);
  }

  /** Whether a gate can be one that shares some qubits with the window and brings others. */
  hasRoomFor(gate: GateEntry): boolean {
    const numNew = this.#numNew(gate.qubits);
    const isConnected = numNew < gate.qubits.length;
    return (
      isConnected && this.qubits.length + numNew <= MAX_WINDOW_QUBITS && this.#keepsTarget(gate)
    );
  }

  /** Dense gates share one target: what one does elsewhere is not for this window to undo. */
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

  /** Whether the members are a run on one qubit that makes no superpositions: no business of windows. */
  get isUndoneRun(): boolean {
    return this.#isPromising && this.qubits.length === 1;
  }

  /** Whether nothing can come of the window once its members cannot be followed on this gate's qubits. */
  isBlockedBy({ qubits }: GateEntry): boolean {
    return this.#best === undefined && positionOf(qubits, this.#firstTarget) >= 0;
  }

  /** Takes in a gate behind the others. */
  append(gate: GateEntry): void {
    this.#join(gate);
    this.#gates.push(gate);
    // Only a dense gate can undo what the first one did.
    if (gate.isDense) this.#isPromising = this.#mayBeControlled();
    if (this.#isPromising) this.#weigh();
  }

  /** Takes in a gate before the others; its qubits are the window's. Nothing is appended then. */
  prepend(gate: GateEntry): void {
    this.#multiplied().prepend(gate, this.qubits);
    this.#gates.unshift(gate);
    this.#cost += gate.cost;
    this.#weigh();
  }

  /** A window as this one was at its best. */
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

  /** Whether two columns are those of a permutation with phases, or of a gate under controls. */
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

  /** The product of all members. */
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
    // Runs on one qubit are taken together by a later pass.
    if (this.qubits.length === 1) return;
    const form = controlledForm(this.#multiplied().matrix, this.qubits);
    // Where less is gained, gates are only tied together that could have gone to different sweeps.
    if (form === undefined || 2 * form.numOperations > this.#gates.length) return;
    const saved = this.#cost - form.cost;
    if (saved <= 0 || (this.#best !== undefined && !isSimpler(form.cost, saved, this.#best)))
      return;
    this.#best = { numMembers: this.#gates.length, saved, form };
  }
}

/**
 * The cheapest form counts, not what is saved: a window that goes on behind a written-out gate saves
 * more with every part of the next one that it takes, which is then in pieces.
 */
function isSimpler(cost: number, saved: number, best: Best): boolean {
  return cost < best.form.cost || (cost === best.form.cost && saved > best.saved);
}
