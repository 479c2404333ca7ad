/** Registers of an OpenQASM 2 program, and operands that name them: `q`, or `q[3]`. */
import { didYouMean } from '../../errors/nearest-names.ts';
import { quoted, type TokenStream } from './token-stream.ts';

/** A declared register; its elements are numbered after those of the registers before it. */
export interface Register {
  readonly kind: 'qubit' | 'bit';
  readonly name: string;
  readonly start: number;
  readonly size: number;
  /** Whether it is declared without a size, as OpenQASM 3 allows. */
  readonly isScalar: boolean;
}

/** Qubits or bits that a statement names. */
export interface Operand {
  readonly elements: readonly number[];
  /** Whether it is a single element rather than a register of one; it combines with registers of any size. */
  readonly isScalar: boolean;
  readonly name: string;
  readonly offset: number;
}

const KINDS = { qubit: 'quantum', bit: 'classical' } as const;

/** Registers declared so far. */
export class Registers {
  readonly #tokens: TokenStream;
  readonly #byName = new Map<string, Register>();

  constructor(tokens: TokenStream) {
    this.#tokens = tokens;
  }

  /** Checks that a name is not declared. */
  checkNew(name: string, offset: number): void {
    if (this.#byName.has(name)) {
      throw this.#tokens.invalid(offset, `${quoted(name)} is declared twice.`);
    }
  }

  /** Says what a declared name is: `a quantum register`. */
  meaningOf(name: string): string | undefined {
    const register = this.#byName.get(name);
    return register && `a ${KINDS[register.kind]} register`;
  }

  /** Adds a register whose name is new. */
  declare(register: Register): void {
    this.#byName.set(register.name, register);
  }

  /** Reads `q` or `q[3]`. */
  readOperand(kind: Register['kind']): Operand {
    const { register, offset } = this.#readName(kind);
    const { name, start, size } = register;
    if (!this.#tokens.isSymbol('[')) return wholeRegister(register, offset);
    this.#tokens.next();
    const place = this.#tokens.current.offset;
    const index = this.#tokens.expectInteger('an index, a whole number');
    this.#tokens.expect(']');
    if (index >= size) {
      const range = size === 1 ? '0' : `0 to ${size - 1}`;
      const problem = `${name}[${index}] is out of range; ${name} has indices ${range}.`;
      throw this.#tokens.invalid(place, problem);
    }
    return { elements: [start + index], isScalar: true, name, offset };
  }

  /** Reads operands separated by commas. */
  readOperands(kind: Register['kind']): readonly Operand[] {
    const operands = [this.readOperand(kind)];
    while (this.#tokens.accept(',')) operands.push(this.readOperand(kind));
    return operands;
  }

  #readName(kind: Register['kind']): { readonly register: Register; readonly offset: number } {
    const { text: name, offset } = this.#tokens.expectWord(`a ${KINDS[kind]} register`);
    const register = this.#byName.get(name);
    if (register === undefined) {
      const suggestion = didYouMean(name, this.#byName.keys());
      throw this.#tokens.invalid(offset, `${quoted(name)} is not declared.${suggestion}`);
    }
    if (register.kind !== kind) {
      const is = `${quoted(name)} is a ${KINDS[register.kind]} register`;
      throw this.#tokens.invalid(offset, `${is}; a ${KINDS[kind]} one is needed here.`);
    }
    return { register, offset };
  }
}

/** Makes the operand of a whole register. */
function wholeRegister(register: Register, offset: number): Operand {
  const { start, size, isScalar, name } = register;
  return { elements: Array.from({ length: size }, (_, i) => start + i), isScalar, name, offset };
}
