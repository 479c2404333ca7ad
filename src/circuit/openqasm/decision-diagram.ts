/**
 * Boolean functions of measured bits, as reduced ordered decision diagrams.
 *
 * A circuit's condition is one conjunction ("these bits read this value"). What a program writes
 * (c < 5, a && !b, an else inside an if) is any function of bits; its diagram's paths to true are
 * exclusive conjunctions, so each path becomes one condition and no two of them hold together.
 *
 * @see Bryant, "Graph-based algorithms for Boolean function manipulation", IEEE ToC 35 (1986).
 */
import type { Condition } from '../circuit.ts';
import type { Bit } from '../classical-expression.ts';

/** A function: a constant, or a choice by one bit. Equal functions are the same object. */
export type BitFunction = Constant | Choice;

interface Constant {
  readonly kind: 'constant';
  readonly id: number;
  readonly value: boolean;
}

interface Choice {
  readonly kind: 'choice';
  readonly id: number;
  readonly bit: Bit;
  /** Where the bit reads 0, and where it reads 1; neither mentions this bit or a lower one. */
  readonly low: BitFunction;
  readonly high: BitFunction;
}

/** True whatever the bits read. */
export const ALWAYS: BitFunction = { kind: 'constant', id: 1, value: true };
/** True for no bits. */
export const NEVER: BitFunction = { kind: 'constant', id: 0, value: false };

/** Choices, and results kept, at once; functions of the few bits that programs test have a handful. */
const MAX_CHOICES = 50_000;
const MAX_RESULTS = 4 * MAX_CHOICES;
/** Choices and results kept from one statement to the next. */
const MAX_KEPT = 5000;

/** Thrown where functions grow past what is kept; the reader turns it into an error with a place. */
export class DiagramTooLargeError extends Error {}

/** Makes functions; those of one object may be combined with one another only. */
export class DecisionDiagrams {
  readonly #choices = new Map<string, Choice>();
  readonly #results = new Map<string, BitFunction>();
  #nextId = 2;
  #work = 0;

  /** Whether the bit reads 1. */
  bit(bit: Bit): BitFunction {
    return this.#choice(bit, NEVER, ALWAYS);
  }

  /** The opposite. */
  not(f: BitFunction): BitFunction {
    return this.ifThenElse(f, NEVER, ALWAYS);
  }

  /** Whether both hold. */
  and(f: BitFunction, g: BitFunction): BitFunction {
    return this.ifThenElse(f, g, NEVER);
  }

  /** Whether one of them holds, or both. */
  or(f: BitFunction, g: BitFunction): BitFunction {
    return this.ifThenElse(f, ALWAYS, g);
  }

  /** Whether just one of them holds. */
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
    if (this.#results.size >= MAX_RESULTS) throw new DiagramTooLargeError();
    this.#work += 2;
    const bit = Math.min(lowestBit(f), lowestBit(g), lowestBit(h));
    const low = this.ifThenElse(at(f, bit, false), at(g, bit, false), at(h, bit, false));
    const high = this.ifThenElse(at(f, bit, true), at(g, bit, true), at(h, bit, true));
    const result = this.#choice(bit, low, high);
    this.#results.set(key, result);
    return result;
  }

  /** How much was looked up and worked out since this was last asked, in look-ups. */
  takeWork(): number {
    const work = this.#work;
    this.#work = 0;
    return work;
  }

  /**
   * For when no function is in use: forgets them all if they have become many. Programs test the
   * same bits again and again, so a few are worth keeping.
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
      if (this.#choices.size >= MAX_CHOICES) throw new DiagramTooLargeError();
      this.#work++;
      choice = { kind: 'choice', id: this.#nextId++, bit, low, high };
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

/** The bits that a function depends on. */
export function bitsOf(f: BitFunction): ReadonlySet<Bit> {
  const bits = new Set<Bit>();
  const seen = new Set<BitFunction>([f]);
  // The set grows while it is walked: each choice once, however many paths lead to it.
  for (const node of seen) {
    if (node.kind === 'constant') continue;
    bits.add(node.bit);
    seen.add(node.low);
    seen.add(node.high);
  }
  return bits;
}

/**
 * Exclusive conditions one of which holds exactly where the function does; a condition's bits
 * ascend. Undefined when there would be more than `maxConditions`, or one of more than `maxBits`.
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
