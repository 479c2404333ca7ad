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
import { phaseOn } from './gate-like.ts';
import {
  type FoundWindow,
  GateSlots,
  REACH,
  type UndoneGate,
  WindowFinder,
} from './gate-window.ts';
import type { Pass } from './pass.ts';
import { isOpener } from './window-entry.ts';

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
    // An H before a decomposed gate cancels that gate's first H, and would leave the rest in pieces.
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
