/**
 * Boolean functions of measured bits, as reduced ordered binary decision diagrams.
 *
 * A condition of a circuit is one conjunction ("these bits read this value"). A condition of a program (c <
 * 5, a && !b, an else inside an if) is any function of bits. The paths to true in its diagram are exclusive
 * conjunctions, so each path becomes one condition, and no two of them hold together.
 *
 * @see Bryant, "Graph-based algorithms for Boolean function manipulation", IEEE ToC 35 (1986).
 */
import type { Condition } from '../circuit.ts';
import type { Bit } from '../classical-expression.ts';

/** A function: a constant, or a node that branches on one bit. Equal functions are the same object. */
export type BitFunction = Constant | Choice;

interface Constant {
  readonly kind: 'constant';
  readonly id: number;
  readonly value: boolean;
  readonly depth: 0;
}

interface Choice {
  readonly kind: 'choice';
  readonly id: number;
  readonly bit: Bit;
  /** Functions where the bit reads 0 and where it reads 1. Neither depends on this bit or a lower one. */
  readonly low: BitFunction;
  readonly high: BitFunction;
  /** Nodes on the longest path to a constant. */
  readonly depth: number;
}

/** The constant true. */
export const ALWAYS: BitFunction = { kind: 'constant', id: 1, value: true, depth: 0 };
/** The constant false. */
export const NEVER: BitFunction = { kind: 'constant', id: 0, value: false, depth: 0 };

/** Most nodes at a time. Functions of the few bits that programs test have a handful. */
const MAX_CHOICES = 50_000;
/** Most cached results for each node that there may be. */
const RESULTS_PER_CHOICE = 4;
/** Most bits that a function depends on, one after the other: diagrams are walked by recursion. */
export const MAX_BITS_TESTED = 2048;
/** Nodes and results that are kept from one statement to the next. */
const MAX_KEPT = 5000;

/** The diagrams exceed their limit. The reader turns this into an error with a place. */
export class DiagramTooLargeError extends Error {}

/** Makes functions. Functions of different objects must not be combined. */
export class DecisionDiagrams {
  readonly #choices = new Map<string, Choice>();
  readonly #results = new Map<string, BitFunction>();
  #nextId = 2;
  #work = 0;
  readonly #maxChoices: number;

  /** @param maxChoices - Most nodes at a time. */
  constructor(maxChoices = MAX_CHOICES) {
    this.#maxChoices = maxChoices;
  }

  /** The function that a bit reads 1. */
  bit(bit: Bit): BitFunction {
    return this.#choice(bit, NEVER, ALWAYS);
  }

  /** The negation. */
  not(f: BitFunction): BitFunction {
    return this.ifThenElse(f, NEVER, ALWAYS);
  }

  /** The conjunction. */
  and(f: BitFunction, g: BitFunction): BitFunction {
    return this.ifThenElse(f, g, NEVER);
  }

  /** The disjunction. */
  or(f: BitFunction, g: BitFunction): BitFunction {
    return this.ifThenElse(f, ALWAYS, g);
  }

  /** The exclusive disjunction. */
  xor(f: BitFunction, g: BitFunction): BitFunction {
    return this.ifThenElse(f, this.not(g), g);
  }

  /** g where f holds, else h. */
  ifThenElse(f: BitFunction, g: BitFunction, h: BitFunction): BitFunction {
    if (f.kind === 'constant') return f.value ? g : h;
    if (g === h) return g;
    if (g === ALWAYS && h === NEVER) return f;
    this.#work++;
    const key = `${f.id},${g.id},${h.id}`;
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    const deepest = Math.max(f.depth, g.depth, h.depth);
    if (this.#results.size >= RESULTS_PER_CHOICE * this.#maxChoices || deepest > MAX_BITS_TESTED)
      throw new DiagramTooLargeError();
    this.#work += 2;
    const bit = Math.min(lowestBit(f), lowestBit(g), lowestBit(h));
    const low = this.ifThenElse(at(f, bit, false), at(g, bit, false), at(h, bit, false));
    const high = this.ifThenElse(at(f, bit, true), at(g, bit, true), at(h, bit, true));
    const result = this.#choice(bit, low, high);
    this.#results.set(key, result);
    return result;
  }

  /** Work since the last call, in look-ups. */
  takeWork(): number {
    const work = this.#work;
    this.#work = 0;
    return work;
  }

  /**
   * Frees memory if there are many functions. Call it only when no function is in use. A few are kept,
   * because programs test the same bits again and again.
   */
  tidy(): void {
    if (this.#choices.size + this.#results.size < MAX_KEPT) return;
    this.#choices.clear();
    this.#results.clear();
  }

  #choice(bit: Bit, low: BitFunction, high: BitFunction): BitFunction {
    if (low === high) return low;
    const key = `${bit},${low.id},${high.id}`;
    let choice = this.#choices.get(key);
    if (choice === undefined) {
      const depth = 1 + Math.max(low.depth, high.depth);
      if (this.#choices.size >= this.#maxChoices || depth > MAX_BITS_TESTED) {
        throw new DiagramTooLargeError();
      }
      this.#work++;
      choice = { kind: 'choice', id: this.#nextId++, bit, low, high, depth };
      this.#choices.set(key, choice);
    }
    return choice;
  }
}

const lowestBit = (f: BitFunction): Bit => (f.kind === 'constant' ? Infinity : f.bit);

function at(f: BitFunction, bit: Bit, value: boolean): BitFunction {
  if (f.kind === 'constant' || f.bit !== bit) return f;
  return value ? f.high : f.low;
}

/** Bits that a function depends on. */
export function bitsOf(f: BitFunction): ReadonlySet<Bit> {
  const bits = new Set<Bit>();
  const seen = new Set<BitFunction>([f]);
  // The set grows during the walk: each node is visited once, however many paths lead to it.
  for (const node of seen) {
    if (node.kind === 'constant') continue;
    bits.add(node.bit);
    seen.add(node.low);
    seen.add(node.high);
  }
  return bits;
}

/**
 * Exclusive conditions, exactly one of which holds where the function does; the bits of each ascend.
 * Undefined if there are more than `maxConditions`, or one has more than `maxBits`.
 */
export function conditionsOf(
  f: BitFunction,
  maxConditions: number,
  maxBits: number,
): readonly (Condition | undefined)[] | undefined {
  const found: (Condition | undefined)[] = [];
  const follow = (node: BitFunction, bits: readonly Bit[], value: number): boolean => {
    if (node.kind === 'choice') {
      if (bits.length === maxBits) return false;
      const next = [...bits, node.bit];
      return (
        follow(node.low, next, value) && follow(node.high, next, value + 2 ** (next.length - 1))
      );
    }
    if (!node.value) return true;
    if (found.length === maxConditions) return false;
    found.push(bits.length === 0 ? undefined : { bits, value });
    return true;
  };
  return follow(f, [], 0) ? found : undefined;
}
