/** Builds the circuit of an OpenQASM program, and checks the limits as it grows. */
import {
  type AssignOperation,
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  type Operation,
  onBits,
  type Qubit,
} from '../circuit.ts';
import {
  type CircuitLimits,
  DEFAULT_MAX_ROUNDS,
  hasTooManySteps,
  MAX_CLASSICAL_BITS,
  MAX_SCRATCH_BITS,
  type ReadingWork,
  StepsSpentError,
  tooManyQubits,
  tooManySteps,
} from '../circuit-limits.ts';
import type { Bit } from '../classical-expression.ts';
import { scalar } from '../classical-expression.ts';
import type { GateUse, OperationSink } from './gate-expansion.ts';
import type { ExpansionCost } from './gate-meaning.ts';
import type { OpenAngles, OpenInputs } from './open-inputs.ts';
import type { TokenStream } from './token-stream.ts';

/** Nesting of gate definitions; deeper expansion could overflow the stack. */
const MAX_NESTING = 256;

/**
 * Number of the first scratch bit while a program is read. Scratch bits are renumbered at the end, because
 * further bits may be declared.
 */
const FIRST_SCRATCH_BIT = 2 ** 20;

/** A place between two operations of an unfinished list. */
export interface Place {
  readonly list: DynamicOperation[];
  readonly index: number;
}

/** Classical register of a program. */
export interface BitRegister {
  readonly name: string;
  /** Bits of the outcome; `bits[i]` holds element i. */
  readonly bits: readonly Bit[];
}

/** Collects operations; throws an error with the place in the text when a limit is exceeded. */
export class CircuitBuilder implements OperationSink {
  readonly #limits: CircuitLimits;
  readonly #tokens: TokenStream;
  /** Operations of the circuit, or of the innermost loop whose body is being read. */
  #operations: DynamicOperation[] = [];
  readonly #outer: DynamicOperation[][] = [];
  #numQubits = 0;
  #numBits = 0;
  /** Whether the current statement is in a verbatim box. */
  #isVerbatim = false;
  #numScratchBits = 0;
  /** Bits of the outcome, in order; undefined if all declared bits belong to it. */
  #givenOut: Bit[] | undefined;
  /** Named classical registers, in the order of their declaration. */
  readonly #registers: { readonly name: string; readonly first: Bit; readonly count: number }[] =
    [];
  #numGates = 0;
  #numBarriers = 0;
  readonly #work: ReadingWork;
  readonly #stepsBefore: number;
  /** Whether the circuit has loops or assignments. */
  #isDynamic = false;
  #isMeasuring = false;
  readonly #written = new Set<Bit>();
  #noiseOffset: number | undefined;

  readonly #inputs: OpenInputs | undefined;

  /** @param inputs - Records the angles, if the program is read for many points. */
  constructor(limits: CircuitLimits, tokens: TokenStream, inputs?: OpenInputs) {
    this.#limits = limits;
    this.#tokens = tokens;
    this.#inputs = inputs;
    this.#work = limits.readingWork ?? { numSteps: 0, numGates: 0 };
    this.#stepsBefore = this.#work.numSteps;
  }

  /** Declares qubits and returns the first. */
  declareQubits(count: number, offset: number): Qubit {
    const first = this.#numQubits;
    this.#numQubits += count;
    if (this.#numQubits > this.#limits.maxQubits) {
      const what = `The program declares ${this.#numQubits} qubits`;
      throw this.#tokens.pastLimit(offset, tooManyQubits(what, this.#numQubits, this.#limits));
    }
    return first;
  }

  /**
   * Declares classical bits and returns the first.
   *
   * @param name - Name of the register or output; bits without one are in no register.
   */
  declareBits(count: number, offset: number, name?: string): Bit {
    const first = this.#numBits;
    if (name !== undefined) this.#registers.push({ name, first, count });
    this.#numBits += count;
    if (this.#numBits > MAX_CLASSICAL_BITS) {
      const problem = `The program declares ${this.#numBits} classical bits`;
      throw this.#tokens.pastLimit(offset, `${problem}; the limit is ${MAX_CLASSICAL_BITS}.`);
    }
    return first;
  }

  /** Makes bits part of the outcome, which then consists of such bits only. */
  giveOut(bits: readonly Bit[]): void {
    this.#givenOut = [...(this.#givenOut ?? []), ...bits];
  }

  /** Declares scratch bits, which are not part of the outcome, and returns the first. */
  declareScratch(count: number, offset: number): Bit {
    const first = FIRST_SCRATCH_BIT + this.#numScratchBits;
    this.#numScratchBits += count;
    if (this.#numScratchBits > MAX_SCRATCH_BITS) {
      const problem = `The program's variables that depend on measured bits need ${this.#numScratchBits} bits`;
      throw this.#tokens.pastLimit(offset, `${problem}; the limit is ${MAX_SCRATCH_BITS}.`);
    }
    return first;
  }

  /** Place after the operations added so far. */
  get place(): Place {
    return { list: this.#operations, index: this.#operations.length };
  }

  /** Inserts an assignment at an earlier place. */
  insert({ list, index }: Place, assignment: AssignOperation, offset: number): void {
    this.#holdGates(++this.#numGates, offset);
    this.#isDynamic = true;
    list.splice(index, 0, assignment);
  }

  /** Begins the body of a loop; operations are added to it until `endLoop`. */
  beginLoop(): void {
    this.#outer.push(this.#operations);
    this.#operations = [];
  }

  /** Ends the body of the innermost loop. */
  endLoop(condition: Condition): void {
    const body = this.#operations;
    this.#operations = this.#outer.pop()!;
    this.#isDynamic = true;
    this.#operations.push({ kind: 'while', condition, body });
  }

  /** Checks the limits and counts the steps of `times` expansions before they are made. */
  reserve(cost: ExpansionCost, times: number, offset: number): void {
    if (cost.depth > MAX_NESTING) {
      const problem = `Gate definitions nest ${cost.depth} deep`;
      throw this.#tokens.pastLimit(offset, `${problem}; the limit is ${MAX_NESTING}.`);
    }
    this.#holdGates(this.#numGates + cost.gates * times, offset);
    this.#holdBarriers(this.#numBarriers + cost.barriers * times, offset);
    this.#work.numGates += cost.gates * times;
    this.takeSteps(cost.steps * times, offset);
  }

  /** Adds a gate whose cost is reserved. */
  push(operation: Extract<Operation, { kind: 'gate' | 'unitary' }>, open?: OpenAngles): void {
    this.#numGates++;
    // Loops keep the order in which gates are added.
    if (operation.kind === 'gate') this.#inputs?.addGate(operation.angles, open);
    this.#operations.push(this.#isVerbatim ? { ...operation, isVerbatim: true } : operation);
  }

  /** Runs the statements of a box; the gates of a verbatim one, and of boxes in it, are marked. */
  inBox<T>(isVerbatim: boolean, run: () => T): T {
    const before = this.#isVerbatim;
    this.#isVerbatim ||= isVerbatim;
    const result = run();
    this.#isVerbatim = before;
    return result;
  }

  /** Adds a reset of a gate's body, whose cost is reserved. */
  pushReset(
    qubits: readonly Qubit[],
    { condition, role }: Pick<GateUse, 'condition' | 'role'>,
  ): void {
    this.#numGates++;
    const rest = { ...(condition && { condition }), ...(role && { role }) };
    this.#operations.push({ kind: 'reset', qubits, ...rest });
  }

  /** Counts steps that add no operation, so that a loop without gates reaches a limit too. */
  takeSteps(count: number, offset: number): void {
    this.#work.numSteps += count;
    this.#holdSteps(this.#work, offset);
  }

  /** Checks that the program may take `count` further steps if it adds all gates that it may, without counting them. */
  holdSteps(count: number, offset: number): void {
    const { numSteps, numGates } = this.#work;
    const { maxGates } = this.#limits;
    this.#holdSteps({ numSteps: numSteps + count, numGates: numGates + maxGates }, offset);
  }

  #holdSteps(work: ReadingWork, offset: number): void {
    const { maxGates, maxSteps = Number.POSITIVE_INFINITY } = this.#limits;
    if (work.numSteps - this.#stepsBefore > maxSteps) throw new StepsSpentError();
    if (!hasTooManySteps(work, maxGates)) return;
    const rest = this.#stepsBefore > 0 ? ', with all that was read before it,' : '';
    const problem = tooManySteps(`Running the program${rest}`, this.#work, maxGates);
    throw this.#tokens.pastLimit(offset, `${problem} Does a loop never end?`);
  }

  /**
   * Adds a barrier.
   *
   * @param duration - Nanoseconds that the qubits wait at it.
   */
  pushBarrier(qubits: readonly Qubit[], offset: number, duration?: number): void {
    this.#numBarriers++;
    this.#holdBarriers(this.#numBarriers, offset);
    const waits = duration !== undefined && { duration };
    this.#operations.push({ kind: 'barrier', qubits, ...waits });
  }

  /** Place in the text of the first noise channel; undefined where there is none. */
  get noiseOffset(): number | undefined {
    return this.#noiseOffset;
  }

  /** Adds a measurement, a reset, an assignment or a noise channel. */
  add(
    operation: Extract<DynamicOperation, { kind: 'measure' | 'reset' | 'assign' | 'noise' }>,
    offset: number,
  ): void {
    this.#holdGates(++this.#numGates, offset);
    this.#work.numGates++;
    if (operation.kind === 'assign') this.#isDynamic = true;
    if (operation.kind === 'measure') this.#isMeasuring = true;
    if ('bits' in operation) for (const bit of operation.bits) this.#written.add(bit);
    if (operation.kind === 'noise') this.#noiseOffset ??= offset;
    this.#operations.push(operation);
  }

  /** Whether an operation so far writes any of the bits, which read 0 before. */
  hasWritten(bits: readonly Bit[]): boolean {
    return bits.some((bit) => this.#written.has(bit));
  }

  /** Qubits declared so far. */
  get allQubits(): readonly Qubit[] {
    return Array.from({ length: this.#numQubits }, (_, qubit) => qubit);
  }

  /** Classical registers whose bits are part of the outcome, once the text has ended. */
  get bitRegisters(): readonly BitRegister[] {
    const given = this.#givenOut;
    return this.#registers.flatMap(({ name, first, count }) => {
      const declared = Array.from({ length: count }, (_, i) => first + i);
      const bits = given === undefined ? declared : declared.map((bit) => given.indexOf(bit));
      return bits.includes(-1) ? [] : [{ name, bits }];
    });
  }

  /** Returns the circuit, once the text has ended at `offset`. */
  circuit(offset: number): DynamicCircuit {
    if (this.#numQubits === 0) {
      throw this.#tokens.invalid(
        offset,
        'The program declares no qubits. It needs at least one, such as "qubit[2] q;"; a declared qubit need not be used.',
      );
    }
    const numQubits = this.#numQubits;
    const given = this.#givenOut;
    const givesOutputs = given !== undefined && !this.#isMeasuring;
    if (givesOutputs && !this.#isDynamic) this.#clearOutputs(given);
    const isDynamic = this.#isDynamic || this.#numScratchBits > 0;
    if (given === undefined && !isDynamic) {
      return { numQubits, numBits: this.#numBits, operations: this.#operations };
    }
    const declared = Array.from({ length: this.#numBits }, (_, bit) => bit);
    const order = [...new Set([...(given ?? []), ...declared])];
    const numBits = given?.length ?? this.#numBits;
    const places = new Map(order.map((bit, place) => [bit, place]));
    const numScratchBits = this.#numBits - numBits + this.#numScratchBits;
    const maxRounds = this.#limits.maxRounds ?? DEFAULT_MAX_ROUNDS;
    const toBit = (bit: Bit) => places.get(bit) ?? bit - FIRST_SCRATCH_BIT + this.#numBits;
    return {
      numQubits,
      numBits,
      ...(numScratchBits > 0 || isDynamic ? { control: { numScratchBits, maxRounds } } : {}),
      ...(givesOutputs && { givesOutputs: true as const }),
      operations: onBits(this.#operations, toBit),
    };
  }

  /** Lets a program without measurements write its outputs, which read 0 unless it does so itself. */
  #clearOutputs(bits: readonly Bit[]): void {
    this.#operations.unshift({ kind: 'assign', bits, value: scalar('uint', 0, bits.length) });
    this.#isDynamic = true;
  }

  #holdGates(count: number, offset: number): void {
    const { maxGates } = this.#limits;
    if (count <= maxGates) return;
    const problem = 'The program has more gates than are allowed';
    throw this.#tokens.pastLimit(offset, `${problem}; the limit max_gates is ${maxGates}.`);
  }

  /**
   * Checks the number of barriers, which cost nothing to run but take memory: as many as gates are allowed.
   */
  #holdBarriers(count: number, offset: number): void {
    const { maxGates } = this.#limits;
    if (count <= maxGates) return;
    const problem = 'The program has more barriers than gates are allowed';
    throw this.#tokens.pastLimit(offset, `${problem}; the limit max_gates is ${maxGates}.`);
  }
}
