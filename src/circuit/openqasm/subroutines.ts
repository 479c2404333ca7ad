/** Subroutines of an OpenQASM 3 program, which run in place at each call. */
import { typeName } from '../classical-types.ts';
import { counted } from '../errors.ts';
import type { ControlFlow, EarlyExits } from './control-flow.ts';
import { ALWAYS, type BitFunction, NEVER } from './decision-diagram.ts';
import { type Evaluator, hasSizes } from './evaluator.ts';
import { type Expression, type WrittenType, withPlace } from './expressions.ts';
import type { ProgramState } from './program-state.ts';
import type { ArraySymbol } from './scopes.ts';
import {
  type ArrayParameter,
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
      returns === undefined ? undefined : this.#state.newVariable(this.#evaluator.typeOf(returns));
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
    return value;
  }

  /** Evaluates an argument; returns a function that declares the parameter. */
  #argument(
    { name, of, type, array, offset }: SubroutineParameter,
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
        const given = operand && this.#evaluator.array(argument);
        if (given === undefined || array === undefined) {
          throw this.#state.tokens.invalid(place, `An array is needed here, for ${quoted(name)}.`);
        }
        this.#checkArray(name, type, array, given, place);
        const isConst = !array.isMutable;
        return () => this.#state.scopes.declare(name, { ...given, isConst }, offset);
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
        const numberType = this.#evaluator.typeOf(type);
        const held = this.#evaluator.stored(numberType, argument);
        return () => {
          const symbol = this.#state.newVariable(numberType);
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

  /** Checks that an array passed for a parameter has its type and sizes, and may be changed if it says so. */
  #checkArray(
    name: string,
    type: WrittenType,
    { isMutable, sizes }: ArrayParameter,
    given: ArraySymbol,
    offset: number,
  ): void {
    const { tokens } = this.#state;
    if (isMutable && given.isConst) {
      throw tokens.invalid(offset, `${quoted(name)} is mutable, and this array is readonly.`);
    }
    const { base, width } = this.#evaluator.typeOf(type);
    const { type: found } = given.elements[0]!;
    if (found.base !== base || found.width !== width) {
      const types = `${typeName(base, width)}, not of ${typeName(found.base, found.width)}`;
      throw tokens.invalid(offset, `${quoted(name)} takes an array of ${types}.`);
    }
    if ('count' in sizes) {
      const count = this.#evaluator.whole(sizes.count);
      if (given.sizes.length === count) return;
      const problem = `${quoted(name)} takes an array of ${counted(count, 'dimension')}, not ${given.sizes.length}.`;
      throw tokens.invalid(offset, problem);
    }
    const expected = sizes.map((size) => this.#evaluator.whole(size));
    if (hasSizes(given.sizes, expected)) return;
    const problem = `${quoted(name)} takes an array of ${expected.join(' × ')} elements, not of ${given.sizes.join(' × ')}.`;
    throw tokens.invalid(offset, problem);
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
      const held = this.#evaluator.held(result.type, this.#evaluator.evaluate(value), offset);
      this.#state.memory.set(result, held, offset);
    }
    return this.#exits.exit('return', offset);
  }
}

/** Whether a function is the value of one bit. */
const isBit = (f: Extract<BitFunction, { kind: 'choice' }>): boolean =>
  f.low === NEVER && f.high === ALWAYS;
