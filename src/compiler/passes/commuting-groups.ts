/**
 * Which earlier operations a new one could stand next to, kept up to date in constant time.
 *
 * On every qubit the operations so far fall into groups: neighbours that all are diagonal in one
 * common basis of that qubit. What is in the last group on all its qubits can be moved to the end,
 * and a new operation that joins those groups can be moved back to it; the two may then be taken as
 * one. When a group is emptied, the one before it is the last again, so that what stood outside a
 * pair which cancelled comes together. The alternative, walking back over commuting operations,
 * takes quadratic time in a circuit of many diagonals.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import { ALL_AXES, type Axes } from './gate-facts.ts';

/** Neighbours on one qubit. */
class Group {
  size = 0;
  /** What all members commute with. */
  axes: Axes = ALL_AXES;
}

/** An operation's place: the group it is in on each of its qubits. */
export interface Place {
  readonly qubits: readonly Qubit[];
  /** One for each of the qubits. */
  readonly groups: readonly Group[];
}

/** The groups on all qubits. */
export class CommutingGroups {
  readonly #stacks: readonly Group[][];

  constructor(numQubits: number) {
    this.#stacks = Array.from({ length: numQubits }, () => []);
  }

  /** Takes in the next operation. */
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

  /** Takes an operation out of the last groups, in which it is. */
  remove({ qubits, groups }: Place): void {
    for (const [i, group] of groups.entries()) {
      group.size--;
      if (group.size === 0) this.#stacks[qubits[i]!]!.pop();
    }
  }

  /** Whether an operation on the same qubits, in any order, could stand right after this one. */
  reaches(place: Place, qubits: readonly Qubit[], axes: readonly Axes[]): boolean {
    return place.qubits.every((qubit, i) => {
      const group = place.groups[i]!;
      if (group !== this.#stacks[qubit]!.at(-1)) return false;
      return group.size === 1 || (group.axes & axes[qubits.indexOf(qubit)]!) !== 0;
    });
  }

  /** Nothing that comes later reaches what is on these qubits now. */
  wall(qubits: readonly Qubit[]): void {
    for (const qubit of qubits) this.#join(qubit, 0);
  }
}
