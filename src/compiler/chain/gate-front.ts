/**
 * Gates and noise whose turn may come: all gates before them on their qubits are done, or commute with them because both are
 * diagonal. Which of them comes first is free, so that gates on neighbours need not wait for distant ones. Noise alone stays
 * in its order, in which shots draw it.
 */
import {
  type GateOperation,
  type NoiseOperation,
  operationQubits,
  type Qubit,
  type UnitaryOperation,
} from '../../circuit/circuit.ts';
import { gateNamed } from '../../circuit/gates.ts';
import { type Channel, withIdentity } from '../../circuit/noise/channel.ts';
import { isDiagonal } from '../../math/complex-matrix.ts';

/** A gate on one or two qubits. */
export type PairGate = GateOperation | UnitaryOperation;

/** A gate, or noise. */
export type ChainOperation = PairGate | NoiseOperation;

/** An operation that waits, and on how many of its lines operations before it are left. */
interface Waiting {
  readonly operation: ChainOperation;
  /** Its qubits; of noise also the line of all noise, which is numbered after the qubits. */
  readonly lines: readonly Qubit[];
  /** Qubits that must be neighbours. */
  readonly pair: readonly [Qubit, Qubit] | undefined;
  numBlocked: number;
}

/** Gates on a qubit that are done in any order, before those of the next group. */
interface Group {
  readonly isDiagonal: boolean;
  readonly members: Waiting[];
  numLeft: number;
}

/** Sites of qubits on a chain. */
export interface Places {
  readonly siteOf: readonly number[];
  readonly qubitAt: readonly Qubit[];
}

/** The qubits that must be neighbours for an operation, if any. Pauli errors act on each qubit by itself. */
export function pairOf(operation: ChainOperation): readonly [Qubit, Qubit] | undefined {
  if (operation.kind === 'noise' && isOnEachQubit(operation.channel)) return undefined;
  const [a = 0, b] = operationQubits(operation);
  return b === undefined ? undefined : [a, b];
}

/** Whether a channel is nearly always nothing, and else Pauli errors. */
export const isOnEachQubit = (channel: Channel): boolean => {
  if (channel.numQubits === 1) return true;
  if (channel.kind !== 'pauli') return false;
  const [none, ...errors] = withIdentity(channel);
  return errors.every(({ probability }) => probability <= none.probability);
};

/** The gates and noise of a part of a circuit. */
export class GateFront {
  readonly #places: Places;
  readonly #numQubits: number;
  /** The groups of each line, the present one last. */
  readonly #groups = new Map<Qubit, Group[]>();
  /** Gates that are ready, on one qubit or, when they became ready, on neighbours. */
  readonly #free: Waiting[] = [];
  /** The other gates that are ready, by their pair. */
  readonly #pairs = new Map<number, Waiting[]>();

  /** @param places - They may change when a gate is taken. */
  constructor(operations: readonly ChainOperation[], places: Places) {
    this.#places = places;
    this.#numQubits = places.siteOf.length;
    for (const operation of operations) this.#add(operation);
    for (const groups of this.#groups.values()) {
      groups.reverse();
      this.#open(groups);
    }
  }

  #add(operation: ChainOperation): void {
    const isNoise = operation.kind === 'noise';
    const qubits = operationQubits(operation);
    const lines = isNoise ? [...qubits, this.#numQubits] : qubits;
    const pair = pairOf(operation);
    const waiting: Waiting = { operation, lines, pair, numBlocked: lines.length };
    const diagonal = !isNoise && isDiagonalGate(operation);
    for (const line of lines) {
      const groups = this.#groups.get(line) ?? [];
      this.#groups.set(line, groups);
      const last = groups.at(-1);
      if (diagonal && last?.isDiagonal === true) {
        last.members.push(waiting);
        last.numLeft++;
      } else groups.push({ isDiagonal: diagonal, members: [waiting], numLeft: 1 });
    }
  }

  /** Makes the gates of the last of these groups ready, as far as they are not blocked elsewhere. */
  #open(groups: readonly Group[]): void {
    for (const waiting of groups.at(-1)?.members ?? []) {
      if (--waiting.numBlocked > 0) continue;
      if (waiting.pair === undefined || this.#distance(...waiting.pair) === 1) {
        this.#free.push(waiting);
        continue;
      }
      const [a, b] = waiting.pair;
      const key = this.#keyOf(a, b);
      const others = this.#pairs.get(key);
      if (others === undefined) this.#pairs.set(key, [waiting]);
      else others.push(waiting);
    }
  }

  #distance(a: Qubit, b: Qubit): number {
    const { siteOf } = this.#places;
    return Math.abs(siteOf[a]! - siteOf[b]!);
  }

  #keyOf(a: Qubit, b: Qubit): number {
    return Math.min(a, b) * this.#numQubits + Math.max(a, b);
  }

  /**
   * Takes gates until none is left: always all that are ready and on neighbours or one qubit, then those on the two
   * qubits that are nearest to each other.
   */
  take(next: (operation: ChainOperation) => void): void {
    for (;;) {
      this.#takeFree(next);
      if (this.#pairs.size === 0) return;
      this.#freeNeighbours();
      if (this.#free.length === 0) this.#takeAll(this.#nearest(), next);
    }
  }

  /** Gates that follow on gates on neighbours, which move nothing, are free at once. */
  #takeFree(next: (operation: ChainOperation) => void): void {
    for (let waiting = this.#free.pop(); waiting !== undefined; waiting = this.#free.pop()) {
      next(waiting.operation);
      this.#finish(waiting);
    }
  }

  #freeNeighbours(): void {
    const { qubitAt } = this.#places;
    for (let site = 0; site + 1 < this.#numQubits; site++) {
      const key = this.#keyOf(qubitAt[site]!, qubitAt[site + 1]!);
      const gates = this.#pairs.get(key);
      if (gates === undefined) continue;
      this.#free.push(...gates);
      this.#pairs.delete(key);
    }
  }

  #takeAll(key: number, next: (operation: ChainOperation) => void): void {
    const taken = this.#pairs.get(key)!;
    this.#pairs.delete(key);
    for (const waiting of taken) {
      next(waiting.operation);
      this.#finish(waiting);
    }
  }

  /** The pair with the least distance: among the pairs if they are few, else from neighbours on outwards. */
  #nearest(): number {
    const numQubits = this.#numQubits;
    const { qubitAt } = this.#places;
    if (this.#pairs.size > numQubits) {
      for (let distance = 2; distance < numQubits; distance++) {
        for (let site = 0; site + distance < numQubits; site++) {
          const key = this.#keyOf(qubitAt[site]!, qubitAt[site + distance]!);
          if (this.#pairs.has(key)) return key;
        }
      }
    }
    let nearest = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const key of this.#pairs.keys()) {
      const a = Math.floor(key / numQubits);
      const distance = this.#distance(a, key - a * numQubits);
      if (distance < least) [nearest, least] = [key, distance];
    }
    return nearest;
  }

  #finish({ lines }: Waiting): void {
    for (const line of lines) {
      const groups = this.#groups.get(line)!;
      if (--groups.at(-1)!.numLeft > 0) continue;
      groups.pop();
      this.#open(groups);
    }
  }
}

/** Whether a gate is diagonal, whatever its angles. */
export function isDiagonalGate(gate: PairGate): boolean {
  return gate.kind === 'unitary'
    ? isDiagonal(gate.matrix)
    : gateNamed(gate.gate).traits.includes('diagonal');
}
