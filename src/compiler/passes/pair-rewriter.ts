/**
 * Combines pairs of operations that can be moved next to each other past commuting ones. Passes give the
 * rules for which pairs combine, and to what. Operations with parameters combine with none.
 */
import {
  type Circuit,
  type Condition,
  type Operation,
  operationQubits,
  type Qubit,
} from '../../circuit/circuit.ts';
import { sumOfAngles } from '../../math/angles.ts';
import { isParametric } from '../parametric.ts';
import {
  ALL_AXES,
  type Axes,
  factsNamed,
  PHASE_GATE,
  UNITARY_FAMILY,
  Z_AXIS,
} from './gate-facts.ts';
import { axesOf, type GateLike, phaseOn } from './gate-like.ts';

/** Result of rewriting one or two operations. */
export interface Rewritten {
  /** On the same qubits, or fewer; absent if nothing is left. */
  readonly operation?: GateLike;
  /** Global phase, in radians. */
  readonly phase: number;
}

/** Rule for combining pairs. */
export interface PairRule {
  /**
   * Combines two gates of one family, or two unitaries, on the same targets and controls, each in any order
   * (phases: on the same qubits), with the same condition if any. Returns undefined if they do not combine.
   */
  combine(earlier: GateLike, later: GateLike): Rewritten | undefined;
  /** Simplifies a single operation; undefined if it is simple already. */
  simplify?(operation: GateLike): Rewritten | undefined;
}

/** An operation that waits for a partner. */
interface Entry {
  readonly operation: GateLike;
  readonly place: Place;
  readonly slot: number;
  isGone: boolean;
}

/** Combines all pairs that the rules allow; keeps the unitary. */
export function rewritePairs(circuit: Circuit, rules: readonly PairRule[]): Circuit {
  const rewriter = new PairRewriter(circuit, rules);
  for (const operation of circuit.operations) rewriter.add(operation);
  return { ...circuit, operations: rewriter.finish() };
}

class PairRewriter {
  readonly #rules: readonly PairRule[];
  readonly #groups: CommutingGroups;
  /** Waiting operations by key, the latest last. */
  readonly #waiting = new Map<PairKey, Entry[]>();
  readonly #slots: (Operation | undefined)[] = [];
  /**
   * Number of writes of each classical bit: equal conditions have the same result only between two writes.
   */
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
        this.#groups.separate(operation.qubits);
        return;
    }
  }

  /** Returns the operations that are left. A global phase comes first, before any measurement. */
  finish(): readonly Operation[] {
    const left = this.#slots.filter((operation) => operation !== undefined);
    const phase = phaseOn([], this.#phase, {});
    return phase === undefined ? left : [phase, ...left];
  }

  #addGate(operation: GateLike, slot: number): void {
    if (isParametric(operation)) {
      this.#slots[slot] = operation;
      this.#groups.add(operationQubits(operation), axesOf(operation));
      return;
    }
    for (const rule of this.#rules) {
      const simpler = rule.simplify?.(operation);
      if (simpler === undefined) continue;
      this.#settle(operation.condition, simpler, slot);
      return;
    }
    const qubits = operationQubits(operation);
    const axes = axesOf(operation);
    const key = pairKey(operation, this.#writes);
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

  /**
   * Adds the result of rewriting. The phase of a conditional operation is dropped, because it is global
   * within its branch.
   */
  #settle(condition: Condition | undefined, { operation, phase }: Rewritten, slot: number): void {
    if (condition === undefined) this.#phase = sumOfAngles(this.#phase, phase);
    if (operation !== undefined) this.#addGate(operation, slot);
  }

  #waitingUnder(key: PairKey): Entry[] {
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

/**
 * Key of an operation. Operations that might combine have equal keys, by `===`.
 *
 * Gates of one family, or unitaries, share a key if they act on the same qubits with the same condition.
 * Almost all keys are numbers, whose digits are the family and the qubits: a circuit has many gates, and
 * strings would cost more than all else that is done with a gate.
 */
type PairKey = number | string;

const BASE = 64;
/** Most digits that keep the number exact. */
const MAX_QUBITS_IN_NUMBER = 7;
const PHASE_FAMILY = factsNamed(PHASE_GATE).family;

/** @param writes - Number of writes of each classical bit so far. */
function pairKey(operation: GateLike, writes: Uint32Array): PairKey {
  const { targets, controls, condition } = operation;
  const family =
    operation.kind === 'unitary'
      ? UNITARY_FAMILY + targets.length
      : factsNamed(operation.gate).family;
  // A phase treats its qubits alike; other gates distinguish controls from targets.
  const first = ascending(family === PHASE_FAMILY ? [...targets, ...controls] : targets);
  const second = family === PHASE_FAMILY ? [] : ascending(controls);
  const key = numberOf(family, first, second) ?? `${family}|${first}|${second}`;
  return condition === undefined ? key : `${key}${conditionKey(condition, writes)}`;
}

function numberOf(
  family: number,
  first: readonly Qubit[],
  second: readonly Qubit[],
): number | undefined {
  if (first.length + second.length > MAX_QUBITS_IN_NUMBER || family >= BASE - 1) return undefined;
  let key = family + 1;
  for (const qubits of [first, second]) {
    for (const qubit of qubits) {
      if (qubit >= BASE - 1) return undefined;
      key = key * BASE + qubit + 1;
    }
  }
  return key;
}

function ascending(qubits: readonly Qubit[]): readonly Qubit[] {
  if (qubits.length < 2) return qubits;
  if (qubits.length > 2) return [...qubits].sort((a, b) => a - b);
  return qubits[0]! < qubits[1]! ? qubits : [qubits[1]!, qubits[0]!];
}

/** A condition keeps its result only while nothing writes its bits. */
function conditionKey({ bits, value }: Condition, writes: Uint32Array): string {
  return `?${bits.map((bit) => `${bit}.${writes[bit]}`)}=${value}`;
}

// Finds the earlier operations that a new one can be moved next to, in constant time per operation.
//
// On every qubit the operations so far form groups of neighbours that are all diagonal in one common basis of
// that qubit. An operation in the last group on all its qubits can be moved to the end, and a new operation
// that joins those groups can be moved back to it. The two may then be combined. When a group becomes empty,
// the one before it is the last again, so that operations around a cancelled pair meet. Walking back over
// commuting operations instead takes quadratic time in a circuit of many diagonals.

/** Consecutive commuting operations on one qubit. */
class Group {
  size = 0;
  /** Axes that all members commute with. */
  axes: Axes = ALL_AXES;
}

/** Position of an operation: its group on each of its qubits. */
export interface Place {
  readonly qubits: readonly Qubit[];
  /** One for each qubit. */
  readonly groups: readonly Group[];
}

/** Groups on all qubits. */
export class CommutingGroups {
  readonly #stacks: readonly Group[][];

  constructor(numQubits: number) {
    this.#stacks = Array.from({ length: numQubits }, () => []);
  }

  /** Adds the next operation. */
  add(qubits: readonly Qubit[], axes: readonly Axes[]): Place {
    const groups = qubits.map((qubit, i) => this.#join(qubit, axes[i]!));
    return { qubits, groups };
  }

  #join(qubit: Qubit, axes: Axes): Group {
    const stack = this.#stacks[qubit]!;
    let group = stack.at(-1);
    if (group === undefined || (group.axes & axes) === 0) {
      group = new Group();
      stack.push(group);
    }
    group.size++;
    group.axes &= axes;
    return group;
  }

  /** Removes an operation, which must be in the last group on each of its qubits. */
  remove({ qubits, groups }: Place): void {
    for (const [i, group] of groups.entries()) {
      group.size--;
      if (group.size === 0) this.#stacks[qubits[i]!]!.pop();
    }
  }

  /** Whether an operation on the same qubits, in any order, can be moved directly after this one. */
  reaches(place: Place, qubits: readonly Qubit[], axes: readonly Axes[]): boolean {
    return place.qubits.every((qubit, i) => {
      const group = place.groups[i]!;
      if (group !== this.#stacks[qubit]!.at(-1)) return false;
      return group.size === 1 || (group.axes & axes[qubits.indexOf(qubit)]!) !== 0;
    });
  }

  /** Separates all operations so far on these qubits from later ones. */
  separate(qubits: readonly Qubit[]): void {
    for (const qubit of qubits) this.#join(qubit, 0);
  }
}
