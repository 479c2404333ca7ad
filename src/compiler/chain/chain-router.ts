/**
 * Places the qubits of a circuit on a chain. Swaps bring distant qubits together. They are not taken back: each operation finds
 * the qubits where those before it have left them. The result is a circuit on sites, whose gates act on neighbours.
 */
import {
  allOperations,
  type DynamicOperation,
  notByStabilizers,
  type Qubit,
} from '../../circuit/circuit.ts';
import { Arrangement, type Couplings, chainOrder } from './chain-order.ts';
import { type ChainOperation, GateFront, pairOf } from './gate-front.ts';
import { SWAP_MATRIX } from './operator-weights.ts';

/** Partners of a qubit that are looked at to choose where it meets the present one. */
const LOOK_AHEAD = 4;

/** Weight of a pair that crosses a cut, where a distance of one site weighs 1; each further pair doubles it. */
const CUT_WEIGHT = 0.003;

/** Mean number of partners of a qubit beyond which cuts do not count. */
const MAX_PARTNERS = 16;

const numPairsOf = (couplings: Couplings): number =>
  [...couplings.values()].reduce((sum, others) => sum + others.size, 0);

/** Routes the operations of one circuit. */
export class ChainRouter {
  readonly #operations: readonly DynamicOperation[];
  readonly #arrangement: Arrangement;
  /** Partners of each qubit in its gates on two qubits, the next one last. */
  readonly #partners: Qubit[][];

  /** @param operations - With gates and channels on at most two qubits, but for Pauli errors, and without barriers. */
  constructor(numQubits: number, operations: readonly DynamicOperation[]) {
    this.#operations = operations;
    this.#partners = Array.from({ length: numQubits }, () => []);
    const couplings = new Map<Qubit, Map<Qubit, number>>();
    for (const operation of allOperations(operations)) {
      if (!isOnChain(operation)) continue;
      const pair = pairOf(operation);
      if (pair === undefined) continue;
      const [a, b] = pair;
      for (const [from, to] of [
        [a, b],
        [b, a],
      ] as const) {
        this.#partners[from]!.push(to);
        const others = couplings.get(from) ?? new Map<Qubit, number>();
        others.set(to, (others.get(to) ?? 0) + 1);
        couplings.set(from, others);
      }
    }
    for (const partners of this.#partners) partners.reverse();
    // If most qubits share gates with many others, every cut is crossed too often for any order to help.
    const isDense = couplings.size > 0 && numPairsOf(couplings) > MAX_PARTNERS * couplings.size;
    const order = chainOrder(numQubits, couplings, !isDense);
    this.#arrangement = new Arrangement(order, isDense ? new Map() : couplings);
  }

  /** The operations on sites, and the site of each qubit after them. */
  routed() {
    const operations = this.#route(this.#operations);
    return { operations, sites: [...this.#arrangement.siteOf] };
  }

  #route(operations: readonly DynamicOperation[]): readonly DynamicOperation[] {
    const routed: DynamicOperation[] = [];
    let waiting: ChainOperation[] = [];
    const takeWaiting = () => {
      new GateFront(waiting, this.#arrangement).take((next) => this.#place(next, routed));
      waiting = [];
    };
    for (const operation of operations) {
      if (isOnChain(operation)) {
        waiting.push(operation);
        continue;
      }
      takeWaiting();
      const { siteOf } = this.#arrangement;
      switch (operation.kind) {
        case 'save':
        case 'measure':
        case 'reset':
          routed.push({ ...operation, qubits: operation.qubits.map((q) => siteOf[q]!) });
          break;
        case 'initialize': {
          // The first site is the most significant bit.
          const places = operation.qubits.map((q) => siteOf.length - 1 - siteOf[q]!);
          routed.push({ ...operation, qubits: places });
          break;
        }
        case 'misread':
        case 'assign':
          routed.push(operation);
          break;
        case 'while': {
          // A round ends with every qubit on the site where it began.
          const before = [...siteOf];
          const body = [...this.#route(operation.body)];
          this.#restore(before, body);
          routed.push({ ...operation, body });
          break;
        }
        case 'track':
        case 'repeat':
          throw notByStabilizers(operation);
        case 'barrier':
          throw new Error('unreachable: a barrier on a chain');
      }
    }
    takeWaiting();
    return routed;
  }

  /** Sorts the qubits to the sites that they had. */
  #restore(sites: readonly number[], routed: DynamicOperation[]): void {
    for (let isDone = false; !isDone; ) {
      isDone = true;
      for (let site = 0; site + 1 < sites.length; site++) {
        if (sites[this.#arrangement.qubitAt[site]!]! < sites[this.#arrangement.qubitAt[site + 1]!]!)
          continue;
        this.#swap(site, routed);
        isDone = false;
      }
    }
  }

  /** Writes an operation on sites, after the swaps that it needs. */
  #place(operation: ChainOperation, routed: DynamicOperation[]): void {
    const pair = pairOf(operation);
    if (pair !== undefined) this.#bringTogether(...pair, routed);
    const siteOf = (qubit: Qubit) => this.#arrangement.siteOf[qubit]!;
    if (operation.kind === 'noise') {
      routed.push({ ...operation, qubits: operation.qubits.map(siteOf) });
      return;
    }
    const [controls, targets] = [operation.controls.map(siteOf), operation.targets.map(siteOf)];
    routed.push({ ...operation, controls, targets });
  }

  #bringTogether(a: Qubit, b: Qubit, routed: DynamicOperation[]): void {
    this.#forget(a, b);
    this.#forget(b, a);
    const from = Math.min(this.#arrangement.siteOf[a]!, this.#arrangement.siteOf[b]!);
    const to = Math.max(this.#arrangement.siteOf[a]!, this.#arrangement.siteOf[b]!);
    if (to - from <= 1) return;
    const meeting = this.#meetingPlace(from, to);
    for (let site = from; site < meeting; site++) this.#swap(site, routed);
    for (let site = to - 1; site > meeting; site--) this.#swap(site, routed);
  }

  /** Takes a gate that is done off the partners of a qubit. */
  #forget(qubit: Qubit, partner: Qubit): void {
    const partners = this.#partners[qubit]!;
    partners.splice(partners.lastIndexOf(partner), 1);
  }

  /**
   * The site of the first of two qubits once they are neighbours: one where few pairs cross the cuts, and from which
   * their next partners are near.
   */
  #meetingPlace(from: number, to: number): number {
    const arrangement = this.#arrangement;
    const first = arrangement.qubitAt[from]!;
    const second = arrangement.qubitAt[to]!;
    let change = arrangement.move(second, from + 1);
    let best = from;
    let least = Number.POSITIVE_INFINITY;
    for (let place = from; ; place++) {
      const distance = this.#distanceToPartners(first) + this.#distanceToPartners(second);
      const cost = distance + CUT_WEIGHT * change;
      if (cost < least) [best, least] = [place, cost];
      if (place + 1 === to) break;
      // The next qubit on the way changes to the other side of the two.
      change += arrangement.swap(place + 1) + arrangement.swap(place);
    }
    arrangement.move(first, from);
    return best;
  }

  #distanceToPartners(qubit: Qubit): number {
    const { siteOf } = this.#arrangement;
    const partners = this.#partners[qubit]!;
    let sum = 0;
    for (let i = 1; i <= Math.min(LOOK_AHEAD, partners.length); i++) {
      sum += Math.abs(siteOf[partners.at(-i)!]! - siteOf[qubit]!) / i;
    }
    return sum;
  }

  /** Exchanges the qubits of a site and the next one. */
  #swap(site: number, routed: DynamicOperation[]): void {
    const targets = [site + 1, site];
    routed.push({ kind: 'unitary', controls: [], targets, matrix: SWAP_MATRIX });
    this.#arrangement.swap(site);
  }
}

/** Whether an operation is a gate or noise. */
function isOnChain(operation: DynamicOperation): operation is ChainOperation {
  const { kind } = operation;
  return kind === 'gate' || kind === 'unitary' || kind === 'noise';
}
