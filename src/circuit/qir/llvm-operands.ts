/** Types, constants and other operands of a text in LLVM's intermediate representation. */
import {
  DOUBLE,
  type ElementAddress,
  type LlvmType,
  type Operand,
  POINTER,
  type TypedOperand,
  typeName,
  VOID,
} from './llvm-module.ts';
import type { LlvmTokens } from './llvm-tokens.ts';

/** Most types, constants and addresses that contain each other. */
const MAX_DEPTH = 64;

/** Hints beside an instruction's name. */
export const HINTS = new Set(
  'nuw nsw exact disjoint nneg samesign inbounds nusw fast nnan ninf nsz arcp contract afn reassoc tail musttail notail'.split(
    ' ',
  ),
);
const OPERAND_WORDS = new Set(
  'null true false undef poison zeroinitializer inttoptr ptrtoint bitcast getelementptr none'.split(
    ' ',
  ),
);
/** Words that begin a type. */
export const TYPE_WORDS =
  /^(?:void|i\d+|double|ptr|half|bfloat|float|fp128|x86_\w+|ppc_\w+|label|metadata|token|opaque)$/;

/** Reads operands from tokens. */
export class OperandParser {
  readonly #tokens: LlvmTokens;
  #depth = 0;

  constructor(tokens: LlvmTokens) {
    this.#tokens = tokens;
  }

  /** Items between brackets, with commas in between. */
  list(open: string, close: string, item: () => void): void {
    const tokens = this.#tokens;
    tokens.expect(open);
    if (tokens.takes(close)) return;
    do item();
    while (tokens.takes(','));
    tokens.expect(close);
  }

  /** Attributes of a parameter or a result, such as `zeroext` and `align 8`. */
  skipAttributes(): void {
    const tokens = this.#tokens;
    for (;;) {
      const { kind, text } = tokens.peek();
      if (kind === 'string') tokens.skipBrackets();
      else if (kind !== 'word' || TYPE_WORDS.test(text) || OPERAND_WORDS.has(text)) return;
      else {
        tokens.take();
        if (tokens.peek().text === '(') tokens.skipBrackets();
        if (text === 'align' && tokens.peek().kind === 'number') tokens.take();
      }
    }
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) {
      throw this.#tokens.fault(`types or constants nest deeper than ${MAX_DEPTH}.`);
    }
    const value = read();
    this.#depth--;
    return value;
  }

  type(): LlvmType {
    return this.#nested(() => {
      const tokens = this.#tokens;
      let type = this.#plainType();
      for (;;) {
        if (tokens.takes('*')) type = POINTER;
        else if (tokens.peek().text === 'addrspace') {
          tokens.take();
          tokens.skipBrackets();
        } else return type;
      }
    });
  }

  #plainType(): LlvmType {
    const tokens = this.#tokens;
    const { kind, text } = tokens.peek();
    if (kind === 'mark' && text === '[') {
      tokens.take();
      const length = Number(this.#number());
      tokens.expect('x');
      const of = this.type();
      tokens.expect(']');
      return { kind: 'array', length, of };
    }
    if (kind === 'mark' && (text === '{' || text === '<')) {
      tokens.skipBrackets();
      return { kind: 'other', name: text === '{' ? 'a structure' : 'a vector' };
    }
    if (kind === 'local') return { kind: 'other', name: `%${tokens.take().text}` };
    if (kind !== 'word' || !TYPE_WORDS.test(text)) throw tokens.unexpected('a type');
    tokens.take();
    if (text === 'void') return VOID;
    if (text === 'double') return DOUBLE;
    if (text === 'ptr') return POINTER;
    if (/^i\d+$/.test(text)) return { kind: 'int', width: Number(text.slice(1)) };
    return { kind: 'other', name: text };
  }

  #number(): bigint {
    const text = this.#tokens.expectKind('number', 'a whole number');
    if (!/^-?\d{1,40}$/.test(text)) throw this.#tokens.fault(`${text} is no whole number.`);
    return BigInt(text);
  }

  typed(): TypedOperand {
    const type = this.type();
    return { type, operand: this.operand(type) };
  }

  operand(type: LlvmType): Operand {
    return this.#nested(() => this.#anyOperand(type));
  }

  #anyOperand(type: LlvmType): Operand {
    const tokens = this.#tokens;
    const { kind, text } = tokens.peek();
    switch (kind) {
      case 'local':
      case 'global':
        tokens.take();
        return { kind, name: text };
      case 'characters':
        tokens.take();
        return { kind: 'string', text: text.replace(/\0$/, '') };
      case 'number':
        if (type.kind === 'double') return { kind: 'double', value: this.#double() };
        if (type.kind === 'int') return { kind: 'int', value: this.#number() };
        throw tokens.unexpected(`a value of the type ${typeName(type)}`);
      case 'mark': {
        if (text !== '[') break;
        const elements: Operand[] = [];
        this.list('[', ']', () => elements.push(this.typed().operand));
        return { kind: 'array', elements };
      }
      case 'word':
        if (OPERAND_WORDS.has(text)) return this.#wordOperand(text);
        break;
      default:
    }
    throw tokens.unexpected(`a value of the type ${typeName(type)}`);
  }

  #double(): number {
    const { text } = this.#tokens.peek();
    if (!text.startsWith('0x')) {
      this.#tokens.take();
      return Number(text);
    }
    if (!/^0x[\da-fA-F]{1,16}$/.test(text)) throw this.#tokens.unexpected('a double');
    this.#tokens.take();
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(text));
    return view.getFloat64(0);
  }

  #wordOperand(text: string): Operand {
    const tokens = this.#tokens;
    tokens.take();
    switch (text) {
      case 'true':
      case 'false':
        return { kind: 'int', value: text === 'true' ? 1n : 0n };
      case 'undef':
      case 'poison':
        return { kind: 'undefined' };
      case 'inttoptr':
      case 'ptrtoint':
      case 'bitcast': {
        tokens.expect('(');
        const { operand } = this.typed();
        tokens.expect('to');
        this.type();
        tokens.expect(')');
        return operand;
      }
      case 'getelementptr': {
        while (HINTS.has(tokens.peek().text)) tokens.take();
        tokens.expect('(');
        const address = this.elementAddress();
        tokens.expect(')');
        return { kind: 'element', ...address };
      }
      default:
        return { kind: 'zero' };
    }
  }

  /** The type, the base and the indices of an element's address. */
  elementAddress(): ElementAddress {
    const tokens = this.#tokens;
    const source = this.type();
    tokens.expect(',');
    const { operand: base } = this.typed();
    const indices: TypedOperand[] = [];
    while (tokens.takes(',')) {
      if (tokens.peek().kind === 'metadata') {
        tokens.skipLine();
        break;
      }
      this.skipAttributes();
      indices.push(this.typed());
    }
    return { source, base, indices };
  }
}
