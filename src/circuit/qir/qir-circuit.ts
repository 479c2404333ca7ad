/**
 * The growing circuit of a program in QIR. Each measurement and each assignment writes bits of its own, so that a
 * function of bits means the same at any later place.
 */
import {
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  onBits,
  type Qubit,
} from '../circuit.ts';
import {
  type CircuitLimits,
  DEFAULT_MAX_ROUNDS,
  hasTooManySteps,
  MAX_CLASSICAL_BITS,
  MAX_CONDITION_BITS,
  MAX_SCRATCH_BITS,
  type ReadingWork,
  StepsSpentError,
  tooManyQubits,
  tooManySteps,
} from '../circuit-limits.ts';
import type { Bit, ClassicalExpression } from '../classical-expression.ts';
import { LIMIT_EXCEEDED } from '../errors.ts';
import {
  ALWAYS,
  type BitFunction,
  conditionsOf,
  DecisionDiagrams,
  NEVER,
} from '../openqasm/decision-diagram.ts';
import { expressionOf } from '../openqasm/values.ts';

/** Most exclusive conditions that an operation is repeated under; a function with more is assigned to a bit. */
const MAX_CONDITIONS = 8;
/** Most bits that a function tests one after the other; one that tests more is assigned to a bit. */
const MAX_DEPTH = 8;
/** Most nodes of all functions, which are kept until the program is read. */
const MAX_CHOICES = 200_000;

/** A state of the circuit to which it may go back. */
export interface Mark {
  readonly numOperations: number;
  readonly numLists: number;
  readonly numBits: number;
  readonly numQubits: number;
  readonly isMeasuring: boolean;
}

/** Collects operations within limits. */
export class QirCircuit {
  readonly diagrams = new DecisionDiagrams(MAX_CHOICES);
  #operations: DynamicOperation[] = [];
  /** Lists around the body of each loop that is open. */
  readonly #outer: DynamicOperation[][] = [];
  #numBits = 0;
  #numQubits = 0;
  #numAdded = 0;
  #isMeasuring = false;
  /** Condition that the latest operation had in a bit of its own. */
  #lastKept: { readonly holds: BitFunction; readonly bit: Bit } | undefined;
  readonly #limits: CircuitLimits;
  readonly #work: ReadingWork;
  readonly #stepsBefore: number;
  readonly #fault: (problem: string, code?: string) => Error;

  /** @param fault - Makes an error with the place of the current instruction. */
  constructor(limits: CircuitLimits, fault: (problem: string, code?: string) => Error) {
    this.#limits = limits;
    this.#work = limits.readingWork ?? { numSteps: 0, numGates: 0 };
    this.#stepsBefore = this.#work.numSteps;
    this.#fault = fault;
  }

  /** Whether a loop on measured bits is open. */
  get isInLoop(): boolean {
    return this.#outer.length > 0;
  }

  /** Qubits so far. */
  get numQubits(): number {
    return this.#numQubits;
  }

  /** Makes a qubit part of the circuit, and those before it. */
  useQubit(qubit: Qubit): Qubit {
    if (qubit >= this.#numQubits) {
      if (qubit >= this.#limits.maxQubits) {
        const what = `The program has ${qubit + 1} qubits`;
        throw this.#fault(tooManyQubits(what, qubit + 1, this.#limits), LIMIT_EXCEEDED);
      }
      this.#numQubits = qubit + 1;
    }
    return qubit;
  }

  /** Counts steps that may add no operation. */
  takeSteps(count: number): void {
    this.#work.numSteps += count + this.diagrams.takeWork();
    const { maxGates, maxSteps = Number.POSITIVE_INFINITY } = this.#limits;
    if (this.#work.numSteps - this.#stepsBefore > maxSteps) throw new StepsSpentError();
    if (!hasTooManySteps(this.#work, maxGates)) return;
    const problem = tooManySteps('Running the program', this.#work, maxGates);
    throw this.#fault(`${problem} Does a loop never end?`, LIMIT_EXCEEDED);
  }

  /** Numbers of bits that nothing else writes. */
  newBits(count: number): readonly Bit[] {
    const first = this.#numBits;
    this.#numBits += count;
    if (this.#numBits > MAX_SCRATCH_BITS) {
      const problem = `The program needs more than ${MAX_SCRATCH_BITS} bits for its measurements and the values that follow from them.`;
      throw this.#fault(problem, LIMIT_EXCEEDED);
    }
    return Array.from({ length: count }, (_, i) => first + i);
  }

  push(operation: DynamicOperation): void {
    const { maxGates } = this.#limits;
    if (++this.#numAdded > maxGates) {
      const problem = `The program has more operations than the limit max_gates of ${maxGates}, with its loops and calls written out.`;
      throw this.#fault(problem, LIMIT_EXCEEDED);
    }
    if (operation.kind === 'measure') this.#isMeasuring = true;
    this.#work.numGates++;
    this.#operations.push(operation);
  }

  /** Adds an operation where a function of bits holds. */
  pushWhere(
    holds: BitFunction,
    operation: Extract<DynamicOperation, { kind: 'gate' | 'measure' | 'reset' }>,
  ): void {
    const conditions = this.#conditions(holds);
    for (const [i, condition] of conditions.entries()) {
      this.push({
        ...operation,
        ...(condition && { condition }),
        ...(i < conditions.length - 1 && { role: 'choice' as const }),
      });
    }
  }

  #conditions(holds: BitFunction): readonly (Condition | undefined)[] {
    const found = conditionsOf(holds, MAX_CONDITIONS, MAX_CONDITION_BITS);
    if (found !== undefined) return found;
    // Operations that follow each other have the same condition.
    if (this.#lastKept?.holds !== holds) this.#lastKept = { holds, bit: this.#kept(holds) };
    return [{ bits: [this.#lastKept.bit], value: 1 }];
  }

  /** The function, or a bit that it is assigned to if it is large. */
  settled(f: BitFunction): BitFunction {
    return f.depth > MAX_DEPTH ? this.diagrams.bit(this.#kept(f)) : f;
  }

  #kept(f: BitFunction): Bit {
    const [bit] = this.newBits(1);
    this.push({ kind: 'assign', bits: [bit!], value: expressionOfBits([f]) });
    return bit!;
  }

  /** Begins the body of a loop. */
  begin(): void {
    this.#lastKept = undefined;
    this.#outer.push(this.#operations);
    this.#operations = [];
  }

  /** Ends the body of a loop and returns it. */
  end(): readonly DynamicOperation[] {
    this.#lastKept = undefined;
    const body = this.#operations;
    this.#operations = this.#outer.pop()!;
    return body;
  }

  mark(): Mark {
    return {
      numOperations: this.#operations.length,
      numLists: this.#outer.length,
      numBits: this.#numBits,
      numQubits: this.#numQubits,
      isMeasuring: this.#isMeasuring,
    };
  }

  /** Takes back what was added since a mark in the same list, or in bodies of loops inside. */
  goBack({ numOperations, numLists, numBits, numQubits, isMeasuring }: Mark): void {
    while (this.#outer.length > numLists) this.#operations = this.#outer.pop()!;
    this.#lastKept = undefined;
    this.#operations.length = numOperations;
    this.#numBits = numBits;
    this.#numQubits = numQubits;
    this.#isMeasuring = isMeasuring;
  }

  /**
   * The circuit whose outcome is these functions. A bit that is measured and is in the outcome once becomes that bit of
   * the outcome; other functions are assigned at the end.
   */
  finish(outcome: readonly BitFunction[]): DynamicCircuit {
    if (outcome.length > MAX_CLASSICAL_BITS) {
      const problem = `The program records ${outcome.length} bits; the limit is ${MAX_CLASSICAL_BITS}.`;
      throw this.#fault(problem, LIMIT_EXCEEDED);
    }
    const places = new Map<Bit, Bit>();
    const rest: number[] = [];
    for (const [place, f] of outcome.entries()) {
      const isBit =
        f.kind === 'choice' && f.low === NEVER && f.high === ALWAYS && !places.has(f.bit);
      if (isBit) places.set(f.bit, place);
      else if (f !== NEVER) rest.push(place);
    }
    const numBits = outcome.length;
    const others = Array.from({ length: this.#numBits }, (_, bit) => bit);
    const scratch = others.filter((bit) => !places.has(bit));
    for (const [i, bit] of scratch.entries()) places.set(bit, numBits + i);
    // Bits of the outcome that are assigned get numbers of their own until all are renumbered.
    const own = rest.map((place, i) => {
      places.set(this.#numBits + i, place);
      return this.#numBits + i;
    });
    if (rest.length > 0) {
      const value = expressionOfBits(rest.map((place) => outcome[place]!));
      this.push({ kind: 'assign', bits: own, value });
    }
    const givesOutputs = !this.#isMeasuring && numBits > 0;
    if (givesOutputs && rest.length === 0) {
      this.push({ kind: 'assign', bits: [this.#numBits], value: expressionOfBits([NEVER]) });
      places.set(this.#numBits, 0);
    }
    const numScratchBits = scratch.length;
    const operations = onBits(this.#operations, (bit) => places.get(bit)!);
    const isDynamic = operations.some(({ kind }) => kind === 'assign' || kind === 'while');
    const maxRounds = this.#limits.maxRounds ?? DEFAULT_MAX_ROUNDS;
    return {
      numQubits: this.#numQubits,
      numBits,
      ...((numScratchBits > 0 || isDynamic) && { control: { numScratchBits, maxRounds } }),
      ...(givesOutputs && { givesOutputs: true as const }),
      operations,
    };
  }
}

/** The number whose bits are functions, the first one least significant. */
export const expressionOfBits = (bits: readonly BitFunction[]): ClassicalExpression =>
  expressionOf({ kind: 'bits', bits, isScalar: false });
