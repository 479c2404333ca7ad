/** Names of an OpenQASM 3 program, and the elements that operands such as `q[{0, -1}]` select. */
import { didYouMean } from '../../errors/nearest-names.ts';
import type { Bit } from '../classical-expression.ts';
import type { Operand } from './actions.ts';
import type { Expression, OperandSyntax, RangeSyntax, Selector, ValueType } from './expressions.ts';
import type { SubroutineDefinition } from './syntax-tree.ts';
import { quoted, type TokenStream } from './token-stream.ts';
import type { Value } from './values.ts';

/** A register, an alias of parts of registers, or a single qubit or bit. */
export interface RegisterSymbol {
  readonly kind: 'qubit' | 'bit';
  readonly elements: readonly number[];
  readonly isScalar: boolean;
}

/** A variable or constant: a number, or bits that are no register. */
export interface VariableSymbol {
  readonly kind: 'variable';
  readonly type: ValueType;
  readonly isConst: boolean;
  /** Number of loops and of conditions on measured bits around its declaration. */
  readonly level: number;
  readonly depth: number;
  /** Undefined until it is set. */
  value: Value | undefined;
  /** Scratch bits that hold it while the circuit runs, once it needs any. */
  memory?: readonly Bit[];
}

/** An array of numbers or bits, or a part of one. */
export interface ArraySymbol {
  readonly kind: 'array';
  /** Whether it is a `readonly` parameter. */
  readonly isConst: boolean;
  readonly sizes: readonly number[];
  /** Elements in order; the last index varies fastest. */
  readonly elements: readonly VariableSymbol[];
}

/** A subroutine. */
interface SubroutineSymbol {
  readonly kind: 'subroutine';
  readonly definition: SubroutineDefinition;
}

/** A duration with a name. */
interface DurationSymbol {
  readonly kind: 'duration';
  /** Nanoseconds; undefined where they are not known. */
  readonly value: number | undefined;
}

/** Meaning of a name. */
type SymbolEntry =
  | RegisterSymbol
  | VariableSymbol
  | ArraySymbol
  | SubroutineSymbol
  | DurationSymbol;

const KINDS = { qubit: 'quantum', bit: 'classical' } as const;
const NOUNS = {
  variable: 'a number',
  array: 'an array',
  subroutine: 'a subroutine',
  duration: 'a duration',
} as const;

/** Evaluates an index in the current scope. */
type WholeNumber = (expression: Expression) => number;

/** Callback that receives the names of a block that has ended. */
type EndOfBlock = (symbols: Iterable<SymbolEntry>) => void;

/** Nested blocks, each with its names. */
export class Scopes {
  readonly #tokens: TokenStream;
  #blocks: Map<string, SymbolEntry>[] = [new Map()];

  constructor(tokens: TokenStream) {
    this.#tokens = tokens;
  }

  /** Whether no block is open. */
  get isGlobal(): boolean {
    return this.#blocks.length === 1;
  }

  /** Runs a callback in a new block. */
  within<T>(run: () => T, onEnd: EndOfBlock): T {
    const block = new Map<string, SymbolEntry>();
    this.#blocks.push(block);
    const result = run();
    this.#blocks.pop();
    onEnd(block.values());
    return result;
  }

  /** Runs a callback that sees only the global names and its own, as a subroutine does. */
  apart<T>(run: () => T, onEnd: EndOfBlock): T {
    const blocks = this.#blocks;
    this.#blocks = [blocks[0]!];
    const result = this.within(run, onEnd);
    this.#blocks = blocks;
    return result;
  }

  /** Whether a name refers to a global declaration. */
  isFromOutside(name: string): boolean {
    return this.#blocks.findLastIndex((block) => block.has(name)) === 0;
  }

  /**
   * Declares a name in the innermost block.
   *
   * @throws {OpenQasmMeaningError} if the block has that name already.
   */
  declare(name: string, symbol: SymbolEntry, offset: number): void {
    const block = this.#blocks.at(-1)!;
    if (block.has(name)) {
      throw this.#tokens.invalid(offset, `${quoted(name)} is declared twice.`);
    }
    block.set(name, symbol);
  }

  /** Finds the meaning of a name; undefined where it is not declared. */
  find(name: string): SymbolEntry | undefined {
    for (let i = this.#blocks.length - 1; i >= 0; i--) {
      const symbol = this.#blocks[i]!.get(name);
      if (symbol !== undefined) return symbol;
    }
    return undefined;
  }

  /** Describes a declared name: `a classical register`, `a duration`. */
  meaningOf(name: string): string | undefined {
    const symbol = this.find(name);
    if (symbol === undefined) return undefined;
    if (symbol.kind !== 'qubit' && symbol.kind !== 'bit') return NOUNS[symbol.kind];
    return symbol.isScalar ? `a ${symbol.kind}` : `a ${KINDS[symbol.kind]} register`;
  }

  /** Error for a name that is not declared. */
  undeclared(name: string, offset: number) {
    const known = this.#blocks.flatMap((block) => [...block.keys()]);
    const suggestion = didYouMean(name, known);
    return this.#tokens.invalid(offset, `${quoted(name)} is not declared.${suggestion}`);
  }

  /**
   * Finds the qubits or bits that an operand names.
   *
   * @param kind - Required kind; any unless given.
   */
  resolve(
    operand: OperandSyntax,
    kind: RegisterSymbol['kind'] | undefined,
    toWhole: WholeNumber,
  ): Operand & { readonly kind: RegisterSymbol['kind'] } {
    const { name, selectors, offset } = operand;
    const symbol = this.find(name);
    if (symbol === undefined) throw this.undeclared(name, offset);
    if (symbol.kind !== 'qubit' && symbol.kind !== 'bit') {
      const needed =
        kind === undefined
          ? 'a register'
          : kind === 'qubit'
            ? 'a qubit or a quantum register'
            : 'a bit or a classical register';
      const problem = `${quoted(name)} is ${NOUNS[symbol.kind]}; ${needed} is needed here.`;
      throw this.#tokens.invalid(offset, problem);
    }
    if (kind !== undefined && symbol.kind !== kind) {
      const is = `${quoted(name)} is a ${KINDS[symbol.kind]} register`;
      throw this.#tokens.invalid(offset, `${is}; a ${KINDS[kind]} one is needed here.`);
    }
    const { elements, isScalar } = this.select(operand, symbol, selectors, toWhole);
    return { elements, isScalar, kind: symbol.kind, name, offset };
  }

  /** Selects elements of a register, or of the bits of a number. */
  select(
    { name, offset }: OperandSyntax,
    of: RegisterSymbol,
    selectors: readonly Selector[],
    toWhole: WholeNumber,
  ): Pick<RegisterSymbol, 'elements' | 'isScalar'> {
    let { elements, isScalar } = of;
    for (const selector of selectors) {
      if (isScalar) {
        const is = `${name} is here a single ${of.kind}`;
        throw this.#tokens.invalid(offset, `${is}, which has no elements to select.`);
      }
      const before = elements;
      elements = this.places(name, before.length, selector, toWhole).map((i) => before[i]!);
      isScalar = selector.kind === 'index';
    }
    return { elements, isScalar };
  }

  /** Positions that a selector names among `size` elements in a row. */
  places(name: string, size: number, selector: Selector, toWhole: WholeNumber): readonly number[] {
    switch (selector.kind) {
      case 'index':
        return [this.#place(name, size, selector.index, toWhole)];
      case 'set':
        return this.#distinct(
          selector.indices.map((index) => this.#place(name, size, index, toWhole)),
          name,
          selector.indices[0]!.offset,
        );
      case 'range':
        return this.#slice(name, size, selector, toWhole);
      case 'dimensions': {
        const problem = `${quoted(name)} has one dimension here, not ${selector.each.length}.`;
        throw this.#tokens.invalid(selector.offset, problem);
      }
    }
  }

  /** Position of an index; negative ones count from the end. */
  #place(name: string, size: number, index: Expression, toWhole: WholeNumber): number {
    const i = toWhole(index);
    const place = i < 0 ? i + size : i;
    if (place >= 0 && place < size) return place;
    const range = size === 1 ? '0' : `0 to ${size - 1}`;
    const problem = `${name}[${i}] is out of range; ${name} has indices ${range}.`;
    throw this.#tokens.invalid(index.offset, problem);
  }

  #slice(
    name: string,
    size: number,
    { start, step, stop, offset }: RangeSyntax,
    toWhole: WholeNumber,
  ): readonly number[] {
    const by = step === undefined ? 1 : toWhole(step);
    if (by === 0) throw this.#tokens.invalid(offset, 'A range has a step other than 0.');
    const first =
      start === undefined ? (by > 0 ? 0 : size - 1) : this.#place(name, size, start, toWhole);
    const last =
      stop === undefined ? (by > 0 ? size - 1 : 0) : this.#place(name, size, stop, toWhole);
    const selected: number[] = [];
    for (let i = first; by > 0 ? i <= last : i >= last; i += by) selected.push(i);
    if (selected.length === 0) {
      throw this.#tokens.invalid(offset, `This range selects nothing of ${name}.`);
    }
    return selected;
  }

  /** Checks that no element is selected twice. */
  #distinct(places: readonly number[], name: string, offset: number): readonly number[] {
    if (new Set(places).size < places.length) {
      throw this.#tokens.invalid(offset, `An element of ${name} is selected twice.`);
    }
    return places;
  }
}
