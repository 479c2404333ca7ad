/** The circuit while a program is read: its operations so far, held to the limits as they grow. */
import type { Bit, Circuit, Condition, Operation, Qubit } from '../circuit.ts';
import { type CircuitLimits, MAX_CLASSICAL_BITS } from '../circuit-limits.ts';
import type { OpenQasmMeaningError } from '../errors.ts';
import type { ExpansionCost, TableGate } from './gate-meaning.ts';
import type { TokenStream } from './token-stream.ts';

/** Steps of gate expansion allowed for each gate allowed; real definitions take fewer than ten. */
const STEPS_PER_GATE = 64;
/** Definitions inside one another, so that expansion cannot end the stack. */
const MAX_NESTING = 256;

/** Collects operations; throws, naming the place in the text, when a limit is passed. */
export class CircuitBuilder {
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
    const { maxQubits } = this.#limits;
    if (this.#numQubits > maxQubits) {
      const problem = `The program declares ${this.#numQubits} qubits`;
      throw this.#tokens.pastLimit(offset, `${problem}; the limit max_qubits is ${maxQubits}.`);
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
    const { maxGates } = this.#limits;
    if (cost.depth > MAX_NESTING) {
      const problem = `Gate definitions nest ${cost.depth} deep`;
      throw this.#tokens.pastLimit(offset, `${problem}; the limit is ${MAX_NESTING}.`);
    }
    this.#holdGates(this.#operations.length - this.#numBarriers + cost.gates * times, offset);
    this.#holdBarriers(this.#numBarriers + cost.barriers * times, offset);
    this.#numSteps += cost.steps * times;
    if (this.#numSteps > STEPS_PER_GATE * (maxGates + 1)) {
      const problem = 'Expanding the gate definitions takes too many steps';
      throw this.#tokens.pastLimit(offset, `${problem}; the limit max_gates is ${maxGates}.`);
    }
  }

  /** Adds a gate whose cost was reserved. */
  addGate(
    gate: TableGate,
    angles: readonly number[],
    qubits: readonly Qubit[],
    condition: Condition | undefined,
  ): void {
    const { name, parameters } = gate.definition;
    const operation = {
      kind: 'gate',
      gate: name,
      controls: qubits.slice(0, gate.numControls),
      targets: qubits.slice(gate.numControls),
      angles: angles.length === parameters.length ? angles : angles.slice(0, parameters.length),
    } as const;
    this.#operations.push(condition === undefined ? operation : { ...operation, condition });
  }

  /** Adds a barrier. */
  addBarrier(qubits: readonly Qubit[], offset: number): void {
    this.#numBarriers++;
    this.#holdBarriers(this.#numBarriers, offset);
    this.#operations.push({ kind: 'barrier', qubits });
  }

  /** Adds a measurement or reset. */
  add(operation: Extract<Operation, { kind: 'measure' | 'reset' }>, offset: number): void {
    this.#operations.push(operation);
    this.#holdGates(this.#operations.length - this.#numBarriers, offset);
  }

  /** The error that a gate would turn by no finite angle. */
  infiniteAngle(gate: string, angle: number, offset: number): OpenQasmMeaningError {
    return this.#tokens.meaningless(offset, `An angle of ${gate} is ${angle}; it must be finite.`);
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
