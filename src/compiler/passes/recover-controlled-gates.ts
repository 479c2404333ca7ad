/**
 * Pass that finds gates that were decomposed into smaller ones and restores them: a Toffoli gate in fifteen
 * gates, a relative-phase Toffoli, a controlled rotation in five. Such a circuit seems full of dense gates,
 * but its product is a permutation with phases, or one gate with controls.
 *
 * It runs first, because other passes break such patterns: they merge a T of one Toffoli gate with that of
 * the next, and an H with its neighbour. It compares products, not patterns, so it finds any decomposition,
 * in any order that commuting allows.
 */
import type { Circuit, Operation } from '../../circuit/circuit.ts';
import { sumOfAngles } from '../../math/angles.ts';
import type { ControlledForm } from './controlled-form.ts';
import { ALL_AXES, type Axes } from './gate-facts.ts';
import { phaseOn } from './gate-like.ts';
import type { Pass } from './pass.ts';
import {
  bitsOf,
  type Entry,
  entryOf,
  type GateEntry,
  isOpener,
  WindowMembers,
  WindowScratch,
} from './window-members.ts';

/** Keeps the unitary, including its global phase. */
export const recoverControlledGates: Pass = {
  name: 'recover-controlled-gates',
  run(circuit) {
    const recovery = new Recovery(circuit);
    recovery.run();
    return { ...circuit, operations: recovery.operations() };
  },
};

class Recovery {
  readonly #slots: GateSlots;
  readonly #finder: WindowFinder;
  #phase = 0;

  constructor({ numQubits, operations }: Circuit) {
    this.#slots = new GateSlots(operations);
    this.#finder = new WindowFinder(this.#slots, numQubits);
  }

  run(): void {
    for (let slot = 0; slot < this.#slots.length; slot++) {
      // Each rewriting leaves fewer operations, and another one may fit here.
      while (this.#rewriteFrom(slot));
      if (slot >= REACH) this.#slots.forget(slot - REACH);
    }
  }

  operations(): readonly Operation[] {
    const phase = phaseOn([], this.#phase, {});
    const left = this.#slots.operations();
    return phase === undefined ? left : [phase, ...left];
  }

  /** Rewrites the window that starts at this slot, if there is one. */
  #rewriteFrom(slot: number): boolean {
    let found = this.#find(slot);
    // An H before a decomposed gate cancels that gate's first H, and would leave the rest uncancelled.
    if (found !== undefined && 'undoneBy' in found) found = this.#find(found.undoneBy);
    if (found === undefined || 'undoneBy' in found) return false;
    this.#replace(found);
    return true;
  }

  #find(slot: number): FoundWindow | UndoneGate | undefined {
    const entry = this.#slots.entryAt(slot);
    return entry !== undefined && isOpener(entry) ? this.#finder.find(slot, entry) : undefined;
  }

  /** Replaces the slots of a window: operations before it, its form, operations behind it. */
  #replace({ members, behind, form }: FoundWindow): void {
    const start = Math.min(...members);
    const end = Math.max(...members) + 1;
    const before: Operation[] = [];
    const after: Operation[] = [];
    for (let slot = start; slot < end; slot++) {
      const operation = this.#slots.operationAt(slot);
      if (operation === undefined || members.has(slot)) continue;
      (behind.has(slot) ? after : before).push(operation);
    }
    this.#slots.rewrite(start, end, [...before, ...form.write(), ...after]);
    this.#phase = sumOfAngles(this.#phase, form.phase);
  }
}

// Searches for windows: gates on at most three qubits, starting with a dense one, that can be moved together
// and have a simple product.
//
// Every operation on the way joins the window, goes before it or goes behind it. If it commutes with all
// members so far it goes before; else its qubits join the window if there is room; else it goes behind,
// followed by all that does not commute with it. Joining late matters: while one control of a Toffoli gate is
// in use, the other is often still being computed. A window that gains something is then extended backwards.

/** Operations in slots. The number of slots is fixed; rewriting may leave slots empty. */
export class GateSlots {
  /** For each slot one bit per qubit, modulo 32; 0 for an empty slot. */
  readonly bits: Int32Array;
  readonly #operations: (Operation | undefined)[];
  readonly #entries: (Entry | undefined)[];

  constructor(operations: readonly Operation[]) {
    this.#operations = [...operations];
    this.#entries = new Array<Entry | undefined>(operations.length).fill(undefined);
    this.bits = new Int32Array(operations.length);
    for (let slot = 0; slot < operations.length; slot++)
      this.bits[slot] = bitsOf(operations[slot]!);
  }

  get length(): number {
    return this.#operations.length;
  }

  operationAt(slot: number): Operation | undefined {
    return this.#operations[slot];
  }

  /** Returns the entry of the operation in a slot; undefined for an empty slot. */
  entryAt(slot: number): Entry | undefined {
    const known = this.#entries[slot];
    if (known !== undefined) return known;
    const operation = this.#operations[slot];
    if (operation === undefined) return undefined;
    const entry = entryOf(operation);
    this.#entries[slot] = entry;
    return entry;
  }

  /** Drops an entry, but not its operation. */
  forget(slot: number): void {
    this.#entries[slot] = undefined;
  }

  /** Fills the slots from `start` to `end`; the last ones may stay empty. */
  rewrite(start: number, end: number, operations: readonly Operation[]): void {
    for (let slot = start; slot < end; slot++) {
      const operation = operations[slot - start];
      this.#operations[slot] = operation;
      this.#entries[slot] = undefined;
      this.bits[slot] = operation === undefined ? 0 : bitsOf(operation);
    }
  }

  /** All operations, in order. */
  operations(): Operation[] {
    const left: Operation[] = [];
    for (const operation of this.#operations) if (operation !== undefined) left.push(operation);
    return left;
  }
}

/** Slots searched in either direction; the limit keeps time linear. */
const REACH = 512;

/** Axes of a qubit that nothing was put on: everything commutes. */
const UNTOUCHED = 2 * ALL_AXES + 1;

const isFreeOf = (put: Axes, axes: Axes) => put === UNTOUCHED || (put & axes) !== 0;

/** A window that is worth rewriting. */
export interface FoundWindow {
  /** Slots of the gates that the form replaces. */
  readonly members: ReadonlySet<number>;
  /** Slots of operations that must move behind the window. */
  readonly behind: ReadonlySet<number>;
  readonly form: ControlledForm;
}

/** Result of a search that met the inverse of its first gate, with nothing in between. */
export interface UndoneGate {
  /** Slot of the inverse gate. */
  readonly undoneBy: number;
}

/** Finds windows. One object serves many searches, because it holds arrays over all qubits. */
export class WindowFinder {
  readonly #slots: GateSlots;
  /** Axes that everything behind the window commutes with. */
  readonly #behindAxes: Uint8Array;
  readonly #scratch = new WindowScratch();

  constructor(slots: GateSlots, numQubits: number) {
    this.#slots = slots;
    this.#behindAxes = new Uint8Array(numQubits).fill(UNTOUCHED);
  }

  /** Returns the best window that starts with this dense gate, if one saves operations and work. */
  find(first: number, opener: GateEntry): FoundWindow | UndoneGate | undefined {
    const window = new WindowMembers(opener, this.#scratch);
    const members = [first];
    const behind: number[] = [];
    this.#scan(window, members, behind);
    for (const slot of behind) {
      for (const qubit of this.#slots.entryAt(slot)?.qubits ?? [])
        this.#behindAxes[qubit] = UNTOUCHED;
    }
    if (window.isUndoneRun) return { undoneBy: members.at(-1)! };
    if (window.best === undefined) return undefined;
    const kept = members.slice(0, window.best.numMembers);
    const passed = new Set(behind.filter((slot) => slot < kept.at(-1)!));
    return this.#extendBackwards(window.atBest(), kept, passed);
  }

  #scan(window: WindowMembers, members: number[], behind: number[]): void {
    const { bits } = this.#slots;
    const first = members[0]!;
    const end = Math.min(this.#slots.length, first + REACH);
    let behindBits = 0;
    let touched = window.bits;
    for (let slot = first + 1; slot < end; slot++) {
      if ((bits[slot]! & touched) === 0) continue;
      const entry = this.#slots.entryAt(slot);
      if (entry === undefined) continue;
      if (entry.axes === undefined) return;
      const isFree = (bits[slot]! & behindBits) === 0 || this.#passesBehind(entry);
      // A bit that the window lacks means a qubit that it lacks, which decides most cases.
      const isInside = (bits[slot]! & ~window.bits) === 0 && window.accepts(entry);
      if (isFree && !isInside && window.commutesWith(entry)) continue;
      if (isFree && (isInside || window.hasRoomFor(entry))) {
        window.append(entry);
        members.push(slot);
        touched = window.bits | behindBits;
        if (window.isFull || window.isUndoneRun) return;
        continue;
      }
      this.#putBehind(entry);
      behind.push(slot);
      behindBits |= bits[slot]!;
      touched |= behindBits;
      if (window.isBlockedBy(entry) || this.#blocks(window)) return;
    }
  }

  /** Whether nothing can join the window any more. */
  #blocks({ qubits }: WindowMembers): boolean {
    return qubits.every((qubit) => this.#behindAxes[qubit] === 0);
  }

  #passesBehind({ qubits, axes }: GateEntry): boolean {
    for (let i = 0; i < qubits.length; i++) {
      if (!isFreeOf(this.#behindAxes[qubits[i]!]!, axes[i]!)) return false;
    }
    return true;
  }

  #putBehind({ qubits, axes }: GateEntry): void {
    for (let i = 0; i < qubits.length; i++) this.#behindAxes[qubits[i]!]! &= axes[i]!;
  }

  /** Extends the window by earlier gates while that makes it simpler. */
  #extendBackwards(
    window: WindowMembers,
    members: readonly number[],
    behind: ReadonlySet<number>,
  ): FoundWindow {
    const { bits } = this.#slots;
    const known = new Set([...members, ...behind]);
    const earlier: number[] = [];
    const passedAxes = window.qubits.map(() => UNTOUCHED);
    const end = Math.max(0, members[0]! - REACH);
    for (let slot = members.at(-1)! - 1; slot >= end && !window.isFull; slot--) {
      if ((bits[slot]! & window.bits) === 0 || known.has(slot)) continue;
      const entry = this.#slots.entryAt(slot);
      if (entry === undefined) continue;
      const { qubits, axes } = entry;
      if (axes === undefined) break;
      const positions = qubits.map((qubit) => window.qubits.indexOf(qubit));
      const isFree = positions.every((p, i) => p >= 0 && isFreeOf(passedAxes[p]!, axes[i]!));
      if (isFree && window.accepts(entry)) {
        earlier.push(slot);
        window.prepend(entry);
        continue;
      }
      for (const [i, p] of positions.entries()) if (p >= 0) passedAxes[p]! &= axes[i]!;
      if (passedAxes.every((each) => each === 0)) break;
    }
    const { best } = window;
    if (best === undefined) throw new Error('unreachable: a window is extended from its best');
    const taken = earlier.slice(0, best.numMembers - members.length);
    return { members: new Set([...members, ...taken]), behind, form: best.form };
  }
}
