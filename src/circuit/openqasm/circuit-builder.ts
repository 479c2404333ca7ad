/** The circuit while a program is read: its operations so far, held to the limits as they grow. */
import type { Bit, Circuit, Operation, Qubit } from '../circuit.ts';
import { type CircuitLimits, MAX_CLASSICAL_BITS, tooManyQubits } from '../circuit-limits.ts';
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

/** Collects operations; throws, naming the place in the text, when a limit is passed. */
export class CircuitBuilder implements OperationSink {
  readonly #limits: CircuitLimits;
  readonly #tokens: TokenStream;
  readonly #operations: Operation[] = [];
  #numQubits = 0;
  #numBits = 0;
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

  /** Makes sure, before anything is expanded, that `times` expansions stay within the limits. */
  reserve(cost: ExpansionCost, times: number, offset: number): void {
    if (cost.depth > MAX_NESTING) {
      const problem = `Gate definitions nest ${cost.depth} deep`;
      throw this.#tokens.pastLimit(offset, `${problem}; the limit is ${MAX_NESTING}.`);
    }
    this.#holdGates(this.#operations.length - this.#numBarriers + cost.gates * times, offset);
    this.#holdBarriers(this.#numBarriers + cost.barriers * times, offset);
    this.takeSteps(cost.steps * times, offset);
  }

  /** Adds a gate whose cost was reserved. */
  push(operation: Extract<Operation, { kind: 'gate' | 'unitary' }>): void {
    this.#operations.push(operation);
  }

  /** Adds a reset, in a gate's body, whose cost was reserved. */
  pushReset(qubits: readonly Qubit[], { condition }: Pick<GateUse, 'condition'>): void {
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

  /** Adds a measurement or reset. */
  add(operation: Extract<Operation, { kind: 'measure' | 'reset' }>, offset: number): void {
    this.#operations.push(operation);
    this.#holdGates(this.#operations.length - this.#numBarriers, offset);
  }

  /** All qubits declared so far. */
  get allQubits(): readonly Qubit[] {
    return Array.from({ length: this.#numQubits }, (_, qubit) => qubit);
  }

  /** The circuit, when the text has ended at `offset`. */
  circuit(offset: number): Circuit {
    if (this.#numQubits === 0) {
      throw this.#tokens.meaningless(offset, 'The program declares no qubits.');
    }
    return {
      numQubits: this.#numQubits,
      numBits: this.#numBits,
      operations: this.#operations,
    };
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
