/** Subroutines of an OpenQASM 3 program, which run in place at each call. */
import type { NumberType } from '../classical-evaluation.ts';
import type { ControlFlow } from './control-flow.ts';
import { stored } from './conversions.ts';
import { ALWAYS, type BitFunction, NEVER } from './decision-diagram.ts';
import type { EarlyExits } from './early-exits.ts';
import type { Evaluator } from './evaluator.ts';
import { type Expression, type WrittenType, withPlace } from './expressions.ts';
import { BIT, type ProgramState } from './program-state.ts';
import {
  type Completion,
  namesWritten,
  operandOf,
  type SubroutineDefinition,
  type SubroutineParameter,
} from './syntax-tree.ts';
import { quoted } from './token-stream.ts';
import { expressionOf, type Value } from './values.ts';

/** Nesting of calls; deeper recursion is rejected before the stack overflows. */
const MAX_CALLS = 64;

/** Calls subroutines. */
export class Subroutines {
  readonly #state: ProgramState;
  readonly #evaluator: Evaluator;
  readonly #exits: EarlyExits;
  readonly #flow: ControlFlow;
  #numCalls = 0;

  constructor(state: ProgramState, evaluator: Evaluator, exits: EarlyExits, flow: ControlFlow) {
    this.#state = state;
    this.#evaluator = evaluator;
    this.#exits = exits;
    this.#flow = flow;
  }

  /** Runs a subroutine in place; returns undefined if it returns nothing. */
  run(name: string, args: readonly Expression[], offset: number): Value | undefined {
    const symbol = this.#state.scopes.find(name);
    if (symbol === undefined) throw this.#state.scopes.undeclared(name, offset);
    if (symbol.kind !== 'subroutine') {
      throw this.#state.tokens.invalid(
        offset,
        `${quoted(name)} is neither a function nor a subroutine.`,
      );
    }
    const { definition } = symbol;
    const { parameters, returns } = definition;
    if (args.length !== parameters.length) {
      const problem = `${quoted(name)} takes ${parameters.length} arguments, not ${args.length}.`;
      throw this.#state.tokens.invalid(offset, problem);
    }
    if (this.#numCalls === MAX_CALLS) {
      const problem = `Subroutines call one another, or themselves, more than ${MAX_CALLS} deep`;
      throw this.#state.tokens.pastLimit(
        offset,
        `${problem}; each call is written out where it stands.`,
      );
    }
    const bind = parameters.map((parameter, i) => this.#argument(parameter, args[i]!, definition));
    const [outer, loop, before] = [this.#state.subroutine, this.#state.loop, this.#exits.pending];
    this.#numCalls++;
    const result =
      returns === undefined ? undefined : this.#state.newVariable(this.#resultType(returns));
    this.#state.subroutine = { ...this.#state.here(), definition, result };
    this.#state.loop = undefined;
    const forget = (symbols: Iterable<{ readonly kind: string }>) =>
      this.#state.memory.forget(symbols);
    this.#state.scopes.apart(() => {
      for (const declare of bind) declare();
      this.#flow.body(definition.body);
    }, forget);
    [this.#state.subroutine, this.#state.loop] = [outer, loop];
    this.#numCalls--;
    this.#exits.end('return', before);
    if (result === undefined) return undefined;
    this.#state.memory.forget([result]);
    const { value } = result;
    if (value === undefined) {
      throw this.#state.tokens.invalid(offset, `${quoted(name)} returned nothing here.`);
    }
    if (returns?.base !== 'bit' || value.kind !== 'bits') return value;
    return { ...value, isScalar: returns.width === undefined };
  }

  /** Evaluates an argument; returns a function that declares the parameter. */
  #argument(
    { name, of, type, offset }: SubroutineParameter,
    argument: Expression,
    { body }: SubroutineDefinition,
  ): () => void {
    const operand = operandOf(argument);
    const place = argument.offset;
    switch (of) {
      case 'qubit': {
        if (operand === undefined) {
          throw this.#state.tokens.invalid(place, `Qubits are needed here, for ${quoted(name)}.`);
        }
        const { elements } = this.#evaluator.operand(operand, 'qubit');
        this.#checkSize(name, type, elements.length, place);
        const symbol = { kind: of, elements, isScalar: type.width === undefined } as const;
        return () => this.#state.scopes.declare(name, symbol, offset);
      }
      case 'array': {
        const symbol = operand && this.#state.scopes.find(operand.name);
        if (symbol?.kind !== 'array') {
          throw this.#state.tokens.invalid(place, `An array is needed here, for ${quoted(name)}.`);
        }
        return () => this.#state.scopes.declare(name, symbol, offset);
      }
      case 'bit': {
        const isScalar = type.width === undefined;
        const width = type.width === undefined ? 1 : this.#evaluator.whole(type.width);
        const given = this.#evaluator.evaluate(argument);
        const value = withPlace(this.#state.tokens, place, () =>
          this.#state.memory.row(given, width, place),
        );
        const elements = value.bits.map((f) =>
          f.kind === 'choice' && isBit(f) ? f.bit : undefined,
        );
        // Without writes to the parameter, the caller's own bits are used.
        if (!namesWritten(body).has(name) && elements.every((bit) => bit !== undefined)) {
          return () =>
            this.#state.scopes.declare(name, { kind: 'bit', elements, isScalar }, offset);
        }
        const first = this.#state.builder.declareScratch(width, place);
        const bits = value.bits.map((_, i) => first + i);
        this.#state.memory.write(bits, expressionOf(value), place);
        return () =>
          this.#state.scopes.declare(name, { kind: 'bit', elements: bits, isScalar }, offset);
      }
      case 'number': {
        const held = this.#evaluator.stored(this.#evaluator.numberType(type), argument);
        return () => {
          const symbol = this.#state.newVariable(this.#evaluator.numberType(type));
          this.#state.scopes.declare(name, symbol, offset);
          this.#state.memory.set(symbol, held, place);
        };
      }
    }
  }

  /** Checks that a register passed for a parameter has its size. */
  #checkSize(name: string, { width }: WrittenType, size: number, offset: number): void {
    const expected = width === undefined ? 1 : this.#evaluator.whole(width);
    if (size === expected) return;
    const problem = `${quoted(name)} takes ${expected} elements, not ${size}.`;
    throw this.#state.tokens.invalid(offset, problem);
  }

  /** Type of the variable that holds a returned value; bits are held as a number. */
  #resultType(returns: WrittenType): NumberType {
    if (returns.base !== 'bit') return this.#evaluator.numberType(returns);
    return returns.width === undefined
      ? BIT
      : { base: 'uint', width: this.#evaluator.whole(returns.width) };
  }

  /** Executes a `return`. */
  return(value: Expression | undefined, offset: number): Completion {
    const call = this.#state.subroutine;
    if (call !== undefined && value !== undefined) {
      const { result, definition } = call;
      if (result === undefined) {
        const problem = `${quoted(definition.name)} is declared without "->", so it returns no value.`;
        throw this.#state.tokens.invalid(offset, problem);
      }
      const given = this.#evaluator.evaluate(value);
      const { base, width } = result.type;
      const held = withPlace(this.#state.tokens, offset, () =>
        definition.returns?.base === 'bit'
          ? this.#state.memory.row(given, width ?? 1, offset)
          : stored(this.#state.diagrams, { base, width }, given),
      );
      this.#state.memory.set(result, held, offset);
    }
    return this.#exits.exit('return', offset);
  }
}

/** Whether a function is the value of one bit. */
const isBit = (f: Extract<BitFunction, { kind: 'choice' }>): boolean =>
  f.low === NEVER && f.high === ALWAYS;
