/**
 * Finds the earlier operations that a new one can be moved next to, in constant time per operation.
 *
 * On every qubit the operations so far form groups of neighbours that are all diagonal in one common basis of
 * that qubit. An operation in the last group on all its qubits can be moved to the end, and a new operation
 * that joins those groups can be moved back to it. The two may then be combined. When a group becomes empty,
 * the one before it is the last again, so that operations around a cancelled pair meet. Walking back over
 * commuting operations instead takes quadratic time in a circuit of many diagonals.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import { ALL_AXES, type Axes } from './gate-facts.ts';

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
