/**
 * Takes two operations as one wherever a rule knows how and they can be brought together past what
 * commutes. The engine of cancelling and merging; rules say what, this says when.
 */
import type { Circuit, Condition, Operation } from '../../circuit/circuit.ts';
import { operationQubits } from '../../circuit/circuit.ts';
import { sumOfAngles } from '../../math/angles.ts';
import { CommutingGroups, type Place } from './commuting-groups.ts';
import { Z_AXIS } from './gate-facts.ts';
import { axesOf, type GateLike, phaseOn } from './gate-like.ts';
import { type MeetingKey, meetingKey } from './meeting-key.ts';

/** What became of one operation or two. */
export interface Rewritten {
  /** On the same qubits, or fewer; absent when nothing is left. */
  readonly operation?: GateLike;
  /** Of the whole state, radians. */
  readonly phase: number;
}

/** Which pairs can be taken as one, and as what. */
export interface PairRule {
  /**
   * Two gates of one family, or two unitaries, on the same targets and the same controls, each in
   * any order (phases: on the same qubits), under the same condition if any; undefined when they
   * do not go together.
   */
  combine(earlier: GateLike, later: GateLike): Rewritten | undefined;
  /** What an operation is by itself, where that is simpler. */
  simplify?(operation: GateLike): Rewritten | undefined;
}

/** An operation that waits for partners. */
interface Entry {
  readonly operation: GateLike;
  readonly place: Place;
  readonly slot: number;
  isGone: boolean;
}

/** The circuit with all pairs rewritten that the rules find; keeps the unitary. */
export function rewritePairs(circuit: Circuit, rules: readonly PairRule[]): Circuit {
  const rewriter = new PairRewriter(circuit, rules);
  for (const operation of circuit.operations) rewriter.add(operation);
  return { ...circuit, operations: rewriter.finish() };
}

class PairRewriter {
  readonly #rules: readonly PairRule[];
  readonly #groups: CommutingGroups;
  /** Who waits under a key; the latest last. */
  readonly #waiting = new Map<MeetingKey, Entry[]>();
  readonly #slots: (Operation | undefined)[] = [];
  /** How often each classical bit was written: a condition means the same only in between. */
  readonly #writes: Uint32Array;
  #phase = 0;

  constructor({ numQubits, numBits }: Circuit, rules: readonly PairRule[]) {
    this.#rules = rules;
    this.#groups = new CommutingGroups(numQubits);
    this.#writes = new Uint32Array(numBits);
  }

  add(operation: Operation): void {
    const slot = this.#slots.length;
    this.#slots.push(undefined);
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        this.#addGate(operation, slot);
        return;
      case 'measure':
        this.#slots[slot] = operation;
        this.#groups.add(
          operation.qubits,
          operation.qubits.map(() => Z_AXIS),
        );
        for (const bit of operation.bits) this.#writes[bit]!++;
        return;
      case 'reset':
      case 'barrier':
        this.#slots[slot] = operation;
        this.#groups.wall(operation.qubits);
        return;
    }
  }

  /** The operations that are left; a global phase comes first, where no measurement is in its way. */
  finish(): readonly Operation[] {
    const left = this.#slots.filter((operation) => operation !== undefined);
    const phase = phaseOn([], this.#phase, {});
    return phase === undefined ? left : [phase, ...left];
  }

  #addGate(operation: GateLike, slot: number): void {
    for (const rule of this.#rules) {
      const simpler = rule.simplify?.(operation);
      if (simpler === undefined) continue;
      this.#settle(operation.condition, simpler, slot);
      return;
    }
    const qubits = operationQubits(operation);
    const axes = axesOf(operation);
    const key = meetingKey(operation, this.#writes);
    const waiting = this.#waitingUnder(key);
    const partner = waiting.at(-1);
    if (partner !== undefined && this.#groups.reaches(partner.place, qubits, axes)) {
      const rewritten = this.#combined(partner.operation, operation);
      if (rewritten !== undefined) {
        this.#groups.remove(partner.place);
        partner.isGone = true;
        this.#slots[partner.slot] = undefined;
        this.#settle(operation.condition, rewritten, partner.slot);
        return;
      }
    }
    this.#slots[slot] = operation;
    waiting.push({ operation, place: this.#groups.add(qubits, axes), slot, isGone: false });
  }

  #combined(earlier: GateLike, later: GateLike): Rewritten | undefined {
    for (const rule of this.#rules) {
      const rewritten = rule.combine(earlier, later);
      if (rewritten !== undefined) return rewritten;
    }
    return undefined;
  }

  /** Takes in what operations became; a phase under a condition is one of its branch, and unseen. */
  #settle(condition: Condition | undefined, { operation, phase }: Rewritten, slot: number): void {
    if (condition === undefined) this.#phase = sumOfAngles(this.#phase, phase);
    if (operation !== undefined) this.#addGate(operation, slot);
  }

  #waitingUnder(key: MeetingKey): Entry[] {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) {
      const none: Entry[] = [];
      this.#waiting.set(key, none);
      return none;
    }
    while (waiting.at(-1)?.isGone) waiting.pop();
    return waiting;
  }
}
