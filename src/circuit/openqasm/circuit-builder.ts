/** The circuit while a program is read: its operations so far, held to the limits as they grow. */
import type {
  AssignOperation,
  Condition,
  DynamicCircuit,
  DynamicOperation,
  Operation,
  Qubit,
} from '../circuit.ts';
import {
  type CircuitLimits,
  DEFAULT_MAX_ROUNDS,
  MAX_CLASSICAL_BITS,
  MAX_SCRATCH_BITS,
  tooManyQubits,
} from '../circuit-limits.ts';
import type { Bit } from '../classical-expression.ts';
import { renumbered } from '../classical-expression.ts';
import type { GateUse, OperationSink } from './gate-expansion.ts';
import type { ExpansionCost } from './gate-meaning.ts';
import type { TokenStream } from './token-stream.ts';

/**
 * Steps allowed for each gate allowed: calls and instructions of definitions, rounds of loops, bits
 * looked at. Real programs take a dozen, and a test of a 20-bit register about 80.
 */
const STEPS_PER_GATE = 128;
/** Definitions inside one another, so that expansion cannot end the stack. */
const MAX_NESTING = 256;

/** The steps that a caller gave the reading of a program are spent; no fault of the program. */
export class StepsSpentError extends Error {}

/** Scratch bits are numbered from here until the program is read: more declared bits may follow. */
const FIRST_SCRATCH_BIT = 2 ** 20;

/** A place between two operations of a list that is being made. */
export interface Place {
  readonly list: DynamicOperation[];
  readonly index: number;
}

/** Collects operations; throws, naming the place in the text, when a limit is passed. */
export class CircuitBuilder implements OperationSink {
  readonly #limits: CircuitLimits;
  readonly #tokens: TokenStream;
  /** The circuit's operations, or those of the innermost loop whose body is being read. */
  #operations: DynamicOperation[] = [];
  readonly #outer: DynamicOperation[][] = [];
  #numQubits = 0;
  #numBits = 0;
  #numScratchBits = 0;
  /** Bits of the outcome, in order; undefined for all that are declared. */
  #givenOut: Bit[] | undefined;
  #numGates = 0;
  #numBarriers = 0;
  #numSteps = 0;

  constructor(limits: CircuitLimits, tokens: TokenStream) {
    this.#limits = limits;
    this.#tokens = tokens;
  }

  /** Makes room for qubits and returns the first. */
  declareQubits(count: number, offset: number): Qubit {
    const first = this.#numQubits;
    this.#numQubits += count;
    if (this.#numQubits > this.#limits.maxQubits) {
      const what = `The program declares ${this.#numQubits} qubits`;
      throw this.#tokens.pastLimit(offset, tooManyQubits(what, this.#numQubits, this.#limits));
    }
    return first;
  }

  /** Makes room for classical bits and returns the first. */
  declareBits(count: number, offset: number): Bit {
    const first = this.#numBits;
    this.#numBits += count;
    if (this.#numBits > MAX_CLASSICAL_BITS) {
      const problem = `The program declares ${this.#numBits} classical bits`;
      throw this.#tokens.pastLimit(offset, `${problem}; the limit is ${MAX_CLASSICAL_BITS}.`);
    }
    return first;
  }

  /** Makes bits part of the outcome, which then has no others than those that are given out. */
  giveOut(bits: readonly Bit[]): void {
    this.#givenOut = [...(this.#givenOut ?? []), ...bits];
  }

  /** Makes room for bits that are no part of an outcome, and returns the first. */
  declareScratch(count: number, offset: number): Bit {
    const first = FIRST_SCRATCH_BIT + this.#numScratchBits;
    this.#numScratchBits += count;
    if (this.#numScratchBits > MAX_SCRATCH_BITS) {
      const problem = `The program's variables that depend on measured bits need ${this.#numScratchBits} bits`;
      throw this.#tokens.pastLimit(offset, `${problem}; the limit is ${MAX_SCRATCH_BITS}.`);
    }
    return first;
  }

  /** After the operations so far. */
  get place(): Place {
    return { list: this.#operations, index: this.#operations.length };
  }

  /** Puts an assignment at an earlier place. */
  insert({ list, index }: Place, assignment: AssignOperation, offset: number): void {
    this.#holdGates(++this.#numGates, offset);
    list.splice(index, 0, assignment);
  }

  /** Begins the body of a loop; what is added from here on is in it. */
  beginLoop(): void {
    this.#outer.push(this.#operations);
    this.#operations = [];
  }

  /** Ends the body of the innermost loop. */
  endLoop(condition: Condition): void {
    const body = this.#operations;
    this.#operations = this.#outer.pop()!;
    this.#operations.push({ kind: 'while', condition, body });
  }

  /** Makes sure, before anything is expanded, that `times` expansions stay within the limits. */
  reserve(cost: ExpansionCost, times: number, offset: number): void {
    if (cost.depth > MAX_NESTING) {
      const problem = `Gate definitions nest ${cost.depth} deep`;
      throw this.#tokens.pastLimit(offset, `${problem}; the limit is ${MAX_NESTING}.`);
    }
    this.#holdGates(this.#numGates + cost.gates * times, offset);
    this.#holdBarriers(this.#numBarriers + cost.barriers * times, offset);
    this.takeSteps(cost.steps * times, offset);
  }

  /** Adds a gate whose cost was reserved. */
  push(operation: Extract<Operation, { kind: 'gate' | 'unitary' }>): void {
    this.#numGates++;
    this.#operations.push(operation);
  }

  /** Adds a reset, in a gate's body, whose cost was reserved. */
  pushReset(qubits: readonly Qubit[], { condition }: Pick<GateUse, 'condition'>): void {
    this.#numGates++;
    this.#operations.push({ kind: 'reset', qubits, ...(condition && { condition }) });
  }

  /** Counts work that adds no operation, so that a loop without gates ends too. */
  takeSteps(count: number, offset: number): void {
    this.holdSteps(count, offset);
    this.#numSteps += count;
  }

  /** Makes sure that the program may take so many steps more, without counting them. */
  holdSteps(count: number, offset: number): void {
    const { maxGates, maxSteps = Number.POSITIVE_INFINITY } = this.#limits;
    if (this.#numSteps + count > maxSteps) throw new StepsSpentError();
    if (this.#numSteps + count > STEPS_PER_GATE * (maxGates + 1)) {
      const problem = 'Running the program takes too many steps';
      throw this.#tokens.pastLimit(offset, `${problem}; the limit max_gates is ${maxGates}.`);
    }
  }

  /** Adds a barrier. */
  pushBarrier(qubits: readonly Qubit[], offset: number): void {
    this.#numBarriers++;
    this.#holdBarriers(this.#numBarriers, offset);
    this.#operations.push({ kind: 'barrier', qubits });
  }

  /** Adds a measurement, a reset or an assignment. */
  add(
    operation: Extract<DynamicOperation, { kind: 'measure' | 'reset' | 'assign' }>,
    offset: number,
  ): void {
    this.#holdGates(++this.#numGates, offset);
    this.#operations.push(operation);
  }

  /** All qubits declared so far. */
  get allQubits(): readonly Qubit[] {
    return Array.from({ length: this.#numQubits }, (_, qubit) => qubit);
  }

  /** The circuit, when the text has ended at `offset`. */
  circuit(offset: number): DynamicCircuit {
    if (this.#numQubits === 0) {
      throw this.#tokens.meaningless(offset, 'The program declares no qubits.');
    }
    const numQubits = this.#numQubits;
    const given = this.#givenOut;
    if (given === undefined && !this.#isDynamic()) {
      return { numQubits, numBits: this.#numBits, operations: this.#operations };
    }
    const declared = Array.from({ length: this.#numBits }, (_, bit) => bit);
    const order = [...new Set([...(given ?? []), ...declared])];
    const places = new Map(order.map((bit, place) => [bit, place]));
    const numBits = given?.length ?? this.#numBits;
    const numScratchBits = this.#numBits - numBits + this.#numScratchBits;
    const maxRounds = this.#limits.maxRounds ?? DEFAULT_MAX_ROUNDS;
    const toBit = (bit: Bit) => places.get(bit) ?? bit - FIRST_SCRATCH_BIT + this.#numBits;
    return {
      numQubits,
      numBits,
      ...(numScratchBits > 0 || this.#isDynamic()
        ? { control: { numScratchBits, maxRounds } }
        : {}),
      operations: onBits(this.#operations, toBit),
    };
  }

  #isDynamic(): boolean {
    if (this.#numScratchBits > 0) return true;
    return this.#operations.some(({ kind }) => kind === 'assign' || kind === 'while');
  }

  #holdGates(count: number, offset: number): void {
    const { maxGates } = this.#limits;
    if (count <= maxGates) return;
    const problem = 'The program has more gates than are allowed';
    throw this.#tokens.pastLimit(offset, `${problem}; the limit max_gates is ${maxGates}.`);
  }

  /** Barriers cost nothing to run but are not free to keep: as many as gates are allowed. */
  #holdBarriers(count: number, offset: number): void {
    const { maxGates } = this.#limits;
    if (count <= maxGates) return;
    const problem = 'The program has more barriers than gates are allowed';
    throw this.#tokens.pastLimit(offset, `${problem}; the limit max_gates is ${maxGates}.`);
  }
}

/** Operations on other bits. */
function onBits(
  operations: readonly DynamicOperation[],
  toBit: (bit: Bit) => Bit,
): readonly DynamicOperation[] {
  const moved = (condition: Condition) => ({ ...condition, bits: condition.bits.map(toBit) });
  return operations.map((operation): DynamicOperation => {
    if (operation.kind === 'barrier') return operation;
    if (operation.kind === 'while') {
      return {
        kind: 'while',
        condition: moved(operation.condition),
        body: onBits(operation.body, toBit),
      };
    }
    const { condition, ...rest } = operation;
    const under = condition === undefined ? {} : { condition: moved(condition) };
    switch (rest.kind) {
      case 'measure':
        return { ...rest, bits: rest.bits.map(toBit), ...under };
      case 'assign':
        return {
          ...rest,
          bits: rest.bits.map(toBit),
          value: renumbered(rest.value, toBit),
          ...under,
        };
      default:
        return { ...rest, ...under };
    }
  });
}
