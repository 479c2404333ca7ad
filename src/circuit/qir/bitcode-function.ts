/** Bodies of functions in bitcode. */
import { readConstants, signed } from './bitcode-constants.ts';
import { type BitcodeModule, BitcodeTrouble, BLOCKS, numberIn, typeIn } from './bitcode-records.ts';
import { type BitBlock, isBlock } from './bitstream.ts';
import {
  type Action,
  BINARY_OPERATORS,
  CASTS,
  FLOAT_PREDICATES,
  type Instruction,
  type LlvmFunction,
  type LlvmType,
  type Operand,
  POINTER,
  type TypedOperand,
  VOID,
  WHOLE_PREDICATES,
} from './llvm-module.ts';
import { isLast } from './llvm-text.ts';

const BIT: LlvmType = { kind: 'int', width: 1 };
/** Bits of the flags of a call: a type of the function is given, and flags for doubles are. */
const EXPLICIT_TYPE = 1 << 15;
const FLOAT_FLAGS = 1 << 17;
/** Records for debuggers. */
const IGNORED: ReadonlySet<number> = new Set([33, 35, 60, 61, 62, 63, 64, 65]);

/** Reads one body. */
export class FunctionReader {
  readonly #module: BitcodeModule;
  readonly #values: TypedOperand[];
  readonly #name: string;
  readonly #attributes: ReadonlyMap<string, string>;
  readonly #places: string[];
  /** The numbers of the record that is read, and the place of the next one. */
  #numbers: readonly bigint[] = [];
  #next = 0;
  #numBlocks = 0;

  constructor(
    module: BitcodeModule,
    { name, attributes }: Pick<LlvmFunction, 'name' | 'attributes'>,
    places: string[],
  ) {
    this.#module = module;
    this.#values = [...module.values];
    this.#name = name;
    this.#attributes = attributes;
    this.#places = places;
  }

  read(body: BitBlock): LlvmFunction {
    const at = this.#places.push(`function @${this.#name}`) - 1;
    const { parameters: types } = this.#module.signatures.get(this.#name)!;
    const parameters = types.map((type) => {
      const name = String(this.#values.length);
      this.#values.push({ type, operand: { kind: 'local', name } });
      return { name, type };
    });
    const blocks: { name: string; instructions: Instruction[] }[] = [];
    let open: Instruction[] | undefined;
    let numInstructions = 0;
    for (const item of body.items) {
      if (isBlock(item)) {
        if (item.id === BLOCKS.constants) readConstants(item, this.#module.types, this.#values);
        continue;
      }
      if (IGNORED.has(item.code)) continue;
      if (item.code === 1) {
        this.#numBlocks = numberIn(item.values, 0);
        continue;
      }
      numInstructions++;
      const place =
        this.#places.push(`function @${this.#name}, instruction ${numInstructions}`) - 1;
      this.#numbers = item.values;
      this.#next = 0;
      const [type, action] = this.#action(item.code);
      const isVoid = type.kind === 'void';
      const result = isVoid ? undefined : String(this.#values.length);
      if (result !== undefined)
        this.#values.push({ type, operand: { kind: 'local', name: result } });
      if (open === undefined) {
        open = [];
        blocks.push({ name: String(blocks.length), instructions: open });
      }
      const instruction = { ...action, at: place, result, type };
      open.push(instruction);
      if (isLast(instruction)) open = undefined;
    }
    if (open !== undefined || blocks.length === 0) {
      throw new BitcodeTrouble('the last block has no end.');
    }
    if (blocks.length !== this.#numBlocks) {
      throw new BitcodeTrouble(`the function has ${blocks.length} blocks, not ${this.#numBlocks}.`);
    }
    return { name: this.#name, at, attributes: this.#attributes, parameters, blocks };
  }

  #number(): number {
    return numberIn(this.#numbers, this.#next++);
  }

  #hasMore(): boolean {
    return this.#next < this.#numbers.length;
  }

  #type(): LlvmType {
    return typeIn(this.#module.types, this.#number());
  }

  #block(): string {
    const number = this.#number();
    if (number >= this.#numBlocks) throw new BitcodeTrouble(`there is no block ${number}.`);
    return String(number);
  }

  /** A value by its distance from the next one; one that is not read yet is a later result. */
  #at(place: number, type: LlvmType | undefined): TypedOperand {
    const value = this.#values[place];
    if (value !== undefined) return value;
    if (type === undefined || place < 0 || place > 2 ** 31) {
      throw new BitcodeTrouble(`there is no value ${place}.`);
    }
    return { type, operand: { kind: 'local', name: String(place) } };
  }

  /** A value whose type the record gives if it is a later one. */
  #typed(): TypedOperand {
    const place = this.#relative();
    if (place < this.#values.length) return this.#at(place, undefined);
    return this.#at(place, this.#type());
  }

  /** A value of a known type. */
  #operand(type: LlvmType): Operand {
    return this.#at(this.#relative(), type).operand;
  }

  #relative(): number {
    // Distances are numbers of 32 bits; those of later values are negative.
    return this.#values.length - (this.#number() | 0);
  }

  #action(code: number): [LlvmType, Action] {
    switch (code) {
      case 2: {
        const { type: of, operand: left } = this.#typed();
        const right = this.#operand(of);
        const names = BINARY_OPERATORS[this.#number()];
        const operator = names?.[of.kind === 'double' ? 1 : 0] ?? '';
        if (operator === '') throw new BitcodeTrouble('an operator is unknown.');
        return [of, { op: 'binary', operator, left, right, of }];
      }
      case 3: {
        const from = this.#typed();
        const type = this.#type();
        const operator = CASTS[this.#number()];
        if (operator === undefined) throw new BitcodeTrouble('a conversion is unknown.');
        return [type, { op: 'cast', operator, from }];
      }
      case 28:
        return [BIT, this.#comparison()];
      case 29: {
        const { type, operand: whenTrue } = this.#typed();
        const whenFalse = this.#operand(type);
        const { operand: test } = this.#typed();
        return [type, { op: 'select', test, whenTrue, whenFalse }];
      }
      case 56:
      case 58: {
        const { type, operand } = this.#typed();
        return [type, { op: code === 56 ? 'negate' : 'freeze', operand }];
      }
      case 10:
        return [VOID, { op: 'return', value: this.#hasMore() ? this.#typed() : undefined }];
      case 11: {
        const to = this.#block();
        if (!this.#hasMore()) return [VOID, { op: 'jump', to }];
        const whenFalse = this.#block();
        return [VOID, { op: 'branch', test: this.#operand(BIT), whenTrue: to, whenFalse }];
      }
      case 12:
        return [VOID, this.#switch()];
      case 15:
        return [VOID, { op: 'unreachable' }];
      case 16:
        return this.#phi();
      case 19:
        return [POINTER, this.#allocation()];
      case 20: {
        const { operand: address } = this.#typed();
        return [this.#type(), { op: 'load', address }];
      }
      case 34:
        return this.#call();
      case 43: {
        this.#number();
        const source = this.#type();
        const { operand: base } = this.#typed();
        const indices: TypedOperand[] = [];
        while (this.#hasMore()) indices.push(this.#typed());
        return [POINTER, { op: 'element', source, base, indices }];
      }
      case 44: {
        const { operand: address } = this.#typed();
        return [VOID, { op: 'store', value: this.#typed(), address }];
      }
      default:
        throw new BitcodeTrouble(`an instruction of the code ${code} is in no profile of QIR.`);
    }
  }

  #comparison(): Action {
    const { type: of, operand: left } = this.#typed();
    const right = this.#operand(of);
    const number = this.#number();
    const isWhole = number >= 32;
    const predicate = isWhole ? WHOLE_PREDICATES[number - 32] : FLOAT_PREDICATES[number];
    if (predicate === undefined) throw new BitcodeTrouble('a comparison is unknown.');
    const operator = `${isWhole ? 'icmp' : 'fcmp'} ${predicate}`;
    return { op: 'compare', operator, left, right, of };
  }

  #switch(): Action {
    const type = this.#type();
    const operand = this.#operand(type);
    const otherwise = this.#block();
    const cases: [bigint, string][] = [];
    while (this.#hasMore()) {
      const value = this.#values[this.#number()]?.operand;
      if (value?.kind !== 'int' && value?.kind !== 'zero') {
        throw new BitcodeTrouble('a case of a switch is an integer.');
      }
      cases.push([value.kind === 'int' ? value.value : 0n, this.#block()]);
    }
    return { op: 'switch', subject: { type, operand }, cases, otherwise };
  }

  #phi(): [LlvmType, Action] {
    const type = this.#type();
    const incoming = new Map<string, Operand>();
    // A last number without a block is that of flags.
    while (this.#next + 1 < this.#numbers.length) {
      const distance = Number(signed(this.#numbers[this.#next++]!));
      const { operand } = this.#at(this.#values.length - distance, type);
      incoming.set(this.#block(), operand);
    }
    return [type, { op: 'phi', incoming }];
  }

  #allocation(): Action {
    const of = this.#type();
    this.#number();
    const size = this.#values[this.#number()]?.operand;
    if (size?.kind !== 'int' || size.value !== 1n) {
      throw new BitcodeTrouble('alloca with a number of elements.');
    }
    return { op: 'allocate', of };
  }

  #call(): [LlvmType, Action] {
    this.#number();
    const flags = this.#number();
    if ((flags & FLOAT_FLAGS) !== 0) this.#number();
    if ((flags & EXPLICIT_TYPE) !== 0) this.#number();
    const { operand } = this.#typed();
    const callee = operand.kind === 'global' ? operand.name : undefined;
    const signature = callee === undefined ? undefined : this.#module.signatures.get(callee);
    if (callee === undefined || signature === undefined) {
      throw new BitcodeTrouble('a function is called by a pointer.');
    }
    const args: TypedOperand[] = [];
    for (const type of signature.parameters) {
      if (type.kind === 'other' && type.name === 'metadata') this.#next++;
      else args.push({ type, operand: this.#operand(type) });
    }
    return [signature.result, { op: 'call', callee, args }];
  }
}
