/** State of an OpenQASM 3 program while it is read: names, values, conditions, and the circuit so far. */
import type { CircuitLimits } from '../circuit-limits.ts';
import { Actions } from './actions.ts';
import type { CircuitBuilder } from './circuit-builder.ts';
import { ClassicalMemory } from './classical-memory.ts';
import { ConditionFrames } from './condition-frames.ts';
import { DecisionDiagrams } from './decision-diagram.ts';
import type { ValueType } from './expressions.ts';
import { Gates } from './gate-definitions.ts';
import type { Inputs } from './open-inputs.ts';
import { Results } from './results.ts';
import { Scopes, type VariableSymbol } from './scopes.ts';
import type { SubroutineDefinition } from './syntax-tree.ts';
import type { TokenStream } from './token-stream.ts';

/** Position in nested blocks: loops on measured bits around it, and conditions in the innermost. */
export interface Nesting {
  readonly level: number;
  readonly depth: number;
}

/** A call of a subroutine in progress. */
interface Call extends Nesting {
  readonly definition: SubroutineDefinition;
  /** Holds the returned value; undefined for a subroutine that returns nothing. */
  readonly result: VariableSymbol | undefined;
}

/** Parts that all statements of a program share. */
export class ProgramState {
  readonly tokens: TokenStream;
  readonly diagrams = new DecisionDiagrams();
  readonly gates: Gates;
  readonly results: Results;
  readonly actions: Actions;
  readonly scopes: Scopes;
  readonly frames: ConditionFrames;
  readonly memory: ClassicalMemory;
  readonly inputs: Inputs;
  /** Nesting of the innermost loop; undefined outside loops. */
  loop: Nesting | undefined;
  /** Innermost call of a subroutine; undefined outside subroutines. */
  subroutine: Call | undefined;

  /**
   * Whether registers are numbers of many bits, and a value that is assigned to one is cut to its width, as in
   * Quantinuum's version 2.
   */
  readonly hasWideRegisters: boolean;

  constructor(
    tokens: TokenStream,
    limits: CircuitLimits,
    inputs: Inputs,
    hasWideRegisters: boolean,
  ) {
    this.hasWideRegisters = hasWideRegisters;
    this.tokens = tokens;
    this.gates = new Gates(3, tokens, undefined, (name) => this.scopes.meaningOf(name));
    this.results = new Results(tokens);
    this.actions = new Actions(tokens, limits, inputs.open);
    this.scopes = new Scopes(tokens);
    this.frames = new ConditionFrames(this.builder, this.diagrams);
    this.memory = new ClassicalMemory(this.builder, this.diagrams, this.frames);
    this.inputs = inputs;
  }

  /** Builder of the circuit. */
  get builder(): CircuitBuilder {
    return this.actions.builder;
  }

  /** Nesting of the current statement. */
  here(): Nesting {
    return { level: this.frames.level, depth: this.frames.depth };
  }

  /** Makes a variable, without a value, that is declared at the current nesting. */
  newVariable(type: ValueType, isConst = false): VariableSymbol {
    return { kind: 'variable', type, isConst, ...this.here(), value: undefined };
  }

  /** Counts steps, and throws when the program has taken too many. */
  takeSteps(count: number, offset: number): void {
    if (this.inputs.open !== undefined) this.inputs.open.offset = offset;
    this.builder.takeSteps(count, offset);
  }
}
