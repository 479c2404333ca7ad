/**
 * Bounds on the error of product formulas by nested commutators.
 *
 * A formula S of order p differs from exp(−i·t·H), H = Σ c_i·P_i, in spectral norm by at most
 * |t|^(p+1) · Σ w(i_0, …, i_p) · 2^p · |c_i0 ⋯ c_ip|, summed over the terms for which the nested commutator
 * [P_ip, … [P_i1, P_i0]] of Pauli strings is not 0. The weights w depend on the order of the terms in the formula alone:
 *
 * - order 1: ½ where i_1 is after i_0;
 * - order 2: 1/12 where i_1 and i_2 are after i_0, and 1/24 where i_1 = i_2 is before i_0;
 * - order 4: Taylor's remainder of the formula's derivative, which is split in its middle as in appendix M.
 *
 * Steps add their errors, since all factors are unitary.
 *
 * @see Childs, Su, Tran, Wiebe, Zhu, "Theory of Trotter error with commutator scaling", Phys. Rev. X 11, 011020 (2021):
 *   propositions 9 and 10 (orders 1 and 2), theorem 5 (the remainder).
 */
import { type CommutationGraph, xorInto } from './commutation-graph.ts';
import { type FormulaOrder, stagesOf } from './product-formula.ts';

/** Nested commutators that are looked at, some 20 ns each. Beyond, those of the last levels are bounded together. */
const MAX_COMMUTATORS = 2_000_000;

/**
 * Number C for which the error of a formula of order p with r steps is at most C · |t|^(p+1) / r^p.
 *
 * @param sizes - |c_i| for each term of the graph, in the order of the formula.
 */
export function errorConstant(
  order: FormulaOrder,
  graph: CommutationGraph,
  sizes: Float64Array,
): number {
  return new CommutatorSum(graph, sizes).sum(order);
}

class CommutatorSum {
  readonly #graph: CommutationGraph;
  readonly #sizes: Float64Array;
  /** For each term, the sum of the sizes of those that anticommute with it. */
  readonly #reach: Float64Array;
  readonly #mostReach: number;
  readonly #numPairs: number;
  /** Row of the product of the first terms of a tuple, for each number of them. */
  readonly #products: readonly Uint32Array[];

  constructor(graph: CommutationGraph, sizes: Float64Array) {
    this.#graph = graph;
    this.#sizes = sizes;
    let numPairs = 0;
    this.#reach = sizes.map((_, i) => {
      let sum = 0;
      forEachBit(graph.row(i), (k) => {
        sum += sizes[k]!;
        numPairs++;
      });
      return sum;
    });
    this.#mostReach = this.#reach.reduce((most, reach) => Math.max(most, reach), 0);
    this.#numPairs = numPairs;
    this.#products = [1, 2, 3, 4].map(() => new Uint32Array(graph.numWords));
  }

  sum(order: FormulaOrder): number {
    const root = weightsOf(order);
    const depth = this.#depthWithin(order + 1);
    let sum = 0;
    for (let i = 0; i < this.#graph.numTerms; i++) {
      this.#products[0]!.set(this.#graph.row(i));
      sum += this.#sizes[i]! * this.#below(root.after.children[0]!, [i], this.#reach[i]!, depth);
    }
    return 2 ** order * sum;
  }

  /** Terms of a tuple that are looked at one by one, so that there are not too many commutators. */
  #depthWithin(length: number): number {
    const { numTerms, numWords } = this.#graph;
    const degree = this.#numPairs / Math.max(1, numTerms);
    let [count, depth] = [this.#numPairs, 2];
    while (depth < length) {
      count *= Math.min(numTerms, depth * degree) + numWords / 8;
      if (count > MAX_COMMUTATORS) break;
      depth++;
    }
    return depth;
  }

  /**
   * Sum of weights and sizes over the tuples that begin with some terms.
   *
   * @param ranked - The different terms so far, ascending; `place` knows the order in which they came.
   * @param reach - Sum of the reaches of the terms so far.
   * @param depth - Number of terms of a tuple after which the rest is bounded.
   */
  #below(place: Place, ranked: readonly number[], reach: number, depth: number): number {
    if (place.most === 0) return 0;
    const { level, after } = place;
    const product = this.#products[level - 1]!;
    let sum = 0;
    forEachBit(product, (k) => {
      let at = 0;
      while (at < ranked.length && ranked[at]! < k) at++;
      const isKnown = ranked[at] === k;
      // Children are numbered by place: before, at and after each of the ranked terms.
      const child = after.children[2 * at + (isKnown ? 1 : 0)]!;
      if (child.most === 0) return;
      const size = this.#sizes[k]!;
      if (child.level === depth) {
        sum += size * child.most * this.#tail(reach + this.#reach[k]!, child.after.levels);
        return;
      }
      const next = this.#products[level];
      if (next !== undefined) {
        next.set(product);
        xorInto(next, this.#graph.row(k));
      }
      const others = isKnown ? ranked : ranked.toSpliced(at, 0, k);
      sum += size * this.#below(child, others, reach + this.#reach[k]!, depth);
    });
    return sum;
  }

  /** Bound on the sum of the sizes of further terms: a string that anticommutes with a product does with a factor. */
  #tail(reach: number, levels: number): number {
    let product = 1;
    for (let i = 0; i < levels; i++) product *= reach + i * this.#mostReach;
    return product;
  }
}

/** Calls back for each bit of a row that is set. */
function forEachBit(row: Uint32Array, visit: (bit: number) => void): void {
  for (let i = 0; i < row.length; i++) {
    let word = row[i]!;
    while (word !== 0) {
      const low = 31 - Math.clz32(word & -word);
      visit(32 * i + low);
      word &= word - 1;
    }
  }
}

/** A beginning of tuples, by the order of its terms in the formula. */
interface Place {
  /** Number of terms. */
  readonly level: number;
  /** Greatest weight of a tuple that begins so; its own weight at the end. */
  readonly most: number;
  readonly after: {
    /** By the next term's place: before the first of the different terms so far, at it, between it and the second, … */
    readonly children: readonly Place[];
    /** Number of terms that follow. */
    readonly levels: number;
  };
}

const known = new Map<FormulaOrder, Place>();

/** The weights of a formula, as a tree. */
function weightsOf(order: FormulaOrder): Place {
  let root = known.get(order);
  if (root === undefined) {
    root = placeAfter([], order + 1, weigher(order));
    known.set(order, root);
  }
  return root;
}

type Weigher = (tuple: readonly number[]) => number;

/** @param ranks - Of the terms so far; ranks of different terms are different, and some are between any two. */
function placeAfter(ranks: readonly number[], length: number, weigh: Weigher): Place {
  const levels = length - ranks.length;
  if (levels === 0) {
    const order = [...new Set(ranks)].sort((a, b) => a - b);
    const weight = weigh(ranks.map((rank) => order.indexOf(rank)));
    return { level: length, most: weight, after: { children: [], levels } };
  }
  const order = [...new Set(ranks)].sort((a, b) => a - b);
  const places = order.flatMap((rank, i) => {
    const before = i === 0 ? rank - 1 : (order[i - 1]! + rank) / 2;
    return [before, rank];
  });
  places.push((order.at(-1) ?? 0) + 1);
  const children = places.map((rank) => placeAfter([...ranks, rank], length, weigh));
  const most = children.reduce((greatest, child) => Math.max(greatest, child.most), 0);
  return { level: ranks.length, most, after: { children, levels } };
}

function weigher(order: FormulaOrder): Weigher {
  switch (order) {
    case 1:
      return ([inner = 0, outer = 0]) => (outer > inner ? 1 / 2 : 0);
    case 2:
      return ([i = 0, j = 0, k = 0]) =>
        (j > i && k > i ? 1 / 12 : 0) + (j === k && j < i ? 1 / 24 : 0);
    case 4:
      return remainderWeight;
  }
}

/**
 * Weight of a tuple for the formula of fourth order.
 *
 * With S = L·R, L and R its halves, the norm of S′ + i·H·S is that of L⁻¹·L′ + R′·R⁻¹ + i·L⁻¹·H·L, a sum of terms under
 * conjugations by stages. All powers of t below the fourth cancel. What is left of each conjugation is at most its
 * fourth power in Taylor's series, with the absolute values of all parts (theorem 5), and is integrated over time.
 */
function remainderWeight(tuple: readonly number[]): number {
  const [inner = 0, ...others] = tuple;
  const stages = stagesOf(4, Math.max(...tuple) + 1);
  const middle = stages.length / 2;
  const [left, right] = [stages.slice(0, middle), stages.slice(middle)];
  let sum = ways(left, others);
  for (const [i, { term, part }] of left.entries()) {
    if (term === inner) sum += Math.abs(part) * ways(left.slice(i + 1), others);
  }
  for (const [i, { term, part }] of right.entries()) {
    if (term === inner) sum += Math.abs(part) * ways(right.slice(0, i).reverse(), others);
  }
  return sum / tuple.length;
}

/** Sum of |parts| / q! over the ways to take terms in this order from stages, each of them q times. */
function ways(stages: readonly { term: number; part: number }[], terms: readonly number[]): number {
  const sums = new Float64Array(terms.length + 1);
  sums[0] = 1;
  for (const { term, part } of stages) {
    for (let done = terms.length - 1; done >= 0; done--) {
      let factor = sums[done]!;
      for (let q = 1; done + q <= terms.length && terms[done + q - 1] === term; q++) {
        factor *= Math.abs(part) / q;
        sums[done + q]! += factor;
      }
    }
  }
  return sums[terms.length]!;
}
