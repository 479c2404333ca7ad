/**
 * Classical bits that a circuit with loss has beyond its own: for each qubit whether it is lost, and for each measured
 * bit whether its qubit was lost then, its mark. New bits get numbers past the register, and their places at the end.
 */
import {
  type AssignOperation,
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  numRegisterBits,
  onBits,
  type Qubit,
} from '../circuit.ts';
import { DEFAULT_MAX_ROUNDS } from '../circuit-limits.ts';
import { type Bit, type BitDiagram, FALSE_NODE, TRUE_NODE } from '../classical-expression.ts';

/** Bits of one assignment, whose value is a whole number. */
const MAX_ASSIGNED_BITS = 32;

/** New bits of a circuit. */
export class LossBits {
  readonly #circuit: DynamicCircuit;
  readonly #first: Bit;
  #count = 0;
  readonly #lost = new Map<Qubit, Bit>();
  readonly #marks = new Map<Bit, Bit>();

  constructor(circuit: DynamicCircuit) {
    this.#circuit = circuit;
    this.#first = numRegisterBits(circuit);
  }

  /** A bit of its own. */
  scratch(): Bit {
    return this.#first + this.#count++;
  }

  /** Whether a qubit is lost. */
  lost(qubit: Qubit): Bit {
    return this.#of(this.#lost, qubit);
  }

  /** Whether the qubit measured into a bit was lost then. */
  mark(bit: Bit): Bit {
    return this.#of(this.#marks, bit);
  }

  hasMark(bit: Bit): boolean {
    return this.#marks.has(bit);
  }

  #of(known: Map<number, Bit>, key: number): Bit {
    const bit = known.get(key) ?? this.scratch();
    known.set(key, bit);
    return bit;
  }

  /** The circuit of operations with new bits. Marks of bits of the outcome follow these, and come before scratch bits. */
  circuitOf(operations: readonly DynamicOperation[]): DynamicCircuit {
    const { numBits, control } = this.#circuit;
    const lossMarks = [...this.#marks.keys()].filter((bit) => bit < numBits).sort((a, b) => a - b);
    const places = new Map(lossMarks.map((bit, i) => [this.mark(bit), numBits + i]));
    let next = this.#first + lossMarks.length;
    for (let bit = this.#first; bit < this.#first + this.#count; bit++) {
      if (!places.has(bit)) places.set(bit, next++);
    }
    const placeOf = (bit: Bit) => places.get(bit) ?? (bit < numBits ? bit : bit + lossMarks.length);
    const numOutcomeBits = numBits + lossMarks.length;
    return {
      ...this.#circuit,
      numBits: numOutcomeBits,
      control: {
        numScratchBits: this.#first + this.#count - numOutcomeBits,
        maxRounds: control?.maxRounds ?? DEFAULT_MAX_ROUNDS,
      },
      lossMarks,
      operations: onBits(operations, placeOf),
    };
  }
}

/** Assigns a function of bits to each of some bits; all are read before one is written. */
export function assignment(
  parts: readonly (readonly [bit: Bit, value: BitDiagram])[],
  condition: Condition | undefined,
): readonly AssignOperation[] {
  const assignments: AssignOperation[] = [];
  for (let from = 0; from < parts.length; from += MAX_ASSIGNED_BITS) {
    const some = parts.slice(from, from + MAX_ASSIGNED_BITS);
    assignments.push({
      kind: 'assign',
      bits: some.map(([bit]) => bit),
      value: { kind: 'read', bits: some.map(([, value]) => value), encoding: 'uint', type: 'uint' },
      ...under(condition),
    });
  }
  return assignments;
}

/** The field of an operation under a condition. */
export const under = (condition: Condition | undefined): { readonly condition?: Condition } =>
  condition === undefined ? {} : { condition };

/** Whether any of some bits reads 1; at least one. */
export function anyOf(bits: readonly Bit[]): BitDiagram {
  return { nodes: bits.map((bit, i) => [bit, i === 0 ? FALSE_NODE : i - 1, TRUE_NODE] as const) };
}

/** Whether a bit reads 1 and its mark 0. */
export function unlessMarked(bit: Bit, mark: Bit): BitDiagram {
  return {
    nodes: [
      [mark, TRUE_NODE, FALSE_NODE],
      [bit, FALSE_NODE, 0],
    ],
  };
}
