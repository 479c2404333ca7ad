/**
 * Gates on a chain as a program has them: fused where they act on the same sites, and in an order that moves the centre
 * of the state little.
 */
import { type ComplexMatrix, isUnitary, multiply } from '../../math/complex-matrix.ts';
import type { DenseKernel } from '../program.ts';
import { isIdentity, onPair, productFactors } from './operator-weights.ts';

interface RawGate {
  readonly site: number;
  readonly numSites: 1 | 2;
  matrix: ComplexMatrix;
  isGone: boolean;
  /** The pairs before it on its sites, for a pair. */
  readonly before: readonly (RawGate | undefined)[];
}

/** The matrices of a program, one after the other. */
export class MatrixList {
  #entries = new Float64Array(64);
  #length = 0;

  /** Adds a matrix and gives its offset in complex numbers. */
  add(matrix: ComplexMatrix): number {
    const end = this.#length + matrix.length;
    if (end > this.#entries.length) {
      const entries = new Float64Array(2 * end);
      entries.set(this.#entries);
      this.#entries = entries;
    }
    this.#entries.set(matrix, this.#length);
    const offset = this.#length / 2;
    this.#length = end;
    return offset;
  }

  all(): Float64Array {
    return this.#entries.slice(0, this.#length);
  }
}

/** Gathers the gates of one step. They need not be unitary. */
export class ChainBuilder {
  readonly #numSites: number;
  #gates: RawGate[] = [];
  /** The last gate on each site. */
  #last: (RawGate | undefined)[] = [];
  #centre = 0;

  constructor(numSites: number) {
    this.#numSites = numSites;
  }

  addSite(site: number, matrix: ComplexMatrix): void {
    const last = this.#last[site];
    if (last === undefined) this.#push({ site, numSites: 1, matrix, isGone: false, before: [] });
    else if (last.numSites === 1) last.matrix = multiply(matrix, last.matrix);
    else last.matrix = multiply(onPair(matrix, last.site === site), last.matrix);
  }

  /** @param site - The first of the two. */
  addPair(site: number, matrix: ComplexMatrix): void {
    const first = this.#last[site];
    const second = this.#last[site + 1];
    if (first !== undefined && first === second) {
      first.matrix = multiply(matrix, first.matrix);
      this.#removeProduct(first);
      return;
    }
    let product = matrix;
    for (const before of [first, second]) {
      if (before?.numSites !== 1) continue;
      product = multiply(product, onPair(before.matrix, before.site === site));
      before.isGone = true;
    }
    const before = [first, second].map((gate) => (gate?.numSites === 2 ? gate : undefined));
    this.#push({ site, numSites: 2, matrix: product, isGone: false, before });
  }

  /** Keeps later gates on sites apart from those so far. */
  part(sites: readonly number[]): void {
    for (const site of sites) this.#last[site] = undefined;
  }

  /** Divides a pair that entangles nothing, as a gate after its inverse, so that gates before and after it may meet. */
  #removeProduct(gate: RawGate): void {
    const factors = productFactors(gate.matrix);
    if (factors === undefined) return;
    gate.isGone = true;
    for (const [i, factor] of factors.entries()) {
      this.#last[gate.site + i] = gate.before[i];
      if (!isIdentity(factor)) this.addSite(gate.site + i, factor);
    }
  }

  #push(gate: RawGate): void {
    this.#gates.push(gate);
    for (let i = 0; i < gate.numSites; i++) this.#last[gate.site + i] = gate;
  }

  /** The gates so far, in an order of execution; the next ones make a new step. */
  take(matrices: MatrixList): readonly DenseKernel[] {
    const gates = this.#gates.filter(({ matrix, isGone }) => !isGone && !isIdentity(matrix));
    this.#gates = [];
    this.#last = [];
    // A gate on one site alone is the only one there, because others are fused with it. A unitary needs no centre.
    const isFree = ({ numSites, matrix }: RawGate) => numSites === 1 && isUnitary(matrix);
    const ordered = this.#inOrder(gates.filter((gate) => !isFree(gate)));
    return [...gates.filter(isFree), ...ordered].map(({ site, numSites, matrix }) => ({
      kind: 'dense',
      targets: numSites === 1 ? [site] : [site + 1, site],
      controls: [],
      offset: matrices.add(matrix),
    }));
  }

  /**
   * Orders gates that need the centre: of those whose turn may come, the nearest to it; of two as near, the one ahead.
   * Gates on other sites commute, so that each site sees its gates in the order in which they were added.
   */
  #inOrder(gates: readonly RawGate[]): readonly RawGate[] {
    const queues: RawGate[][] = [];
    for (const gate of gates.toReversed()) {
      for (let site = gate.site; site < gate.site + gate.numSites; site++) {
        const queue = queues[site] ?? [];
        queue.push(gate);
        queues[site] = queue;
      }
    }
    const readyAt = (site: number) => {
      const gate = queues[site]?.at(-1);
      return gate?.site === site && queues[site + gate.numSites - 1]!.at(-1) === gate
        ? gate
        : undefined;
    };
    const order: RawGate[] = [];
    let direction = 1;
    while (order.length < gates.length) {
      const next = nearest(this.#centre, direction, this.#numSites, readyAt);
      const last = next.site + next.numSites - 1;
      for (let site = next.site; site <= last; site++) queues[site]!.pop();
      order.push(next);
      if (next.site !== this.#centre) direction = next.site > this.#centre ? 1 : -1;
      this.#centre = direction > 0 ? last : next.site;
    }
    return order;
  }
}

function nearest(
  centre: number,
  direction: number,
  numSites: number,
  readyAt: (site: number) => RawGate | undefined,
): RawGate {
  for (let distance = 0; distance <= numSites; distance++) {
    // A pair to the left ends one site before its distance from the centre.
    const right = readyAt(centre + distance);
    const left = readyAt(centre - 1 - distance);
    const found = direction > 0 ? (right ?? left) : (left ?? right);
    if (found !== undefined) return found;
  }
  throw new Error('unreachable: gates that wait for each other');
}
