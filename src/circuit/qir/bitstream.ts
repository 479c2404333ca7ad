/**
 * Reads the container of LLVM's bitcode: a stream of bits with nested blocks of records, whose forms (abbreviations) the
 * stream itself defines.
 *
 * @see LLVM Bitcode File Format, https://llvm.org/docs/BitCodeFormat.html
 */

/** A record: a code and numbers of up to 64 bits. */
export interface BitRecord {
  readonly code: number;
  readonly values: readonly bigint[];
  /** Bytes of a blob, if the record ends with one. */
  readonly blob?: Uint8Array;
}

/** A block of records and of further blocks, in order. */
export interface BitBlock {
  readonly id: number;
  readonly items: readonly (BitRecord | BitBlock)[];
}

/** The stream is no bitcode, or is cut off. */
export class BitstreamTrouble extends Error {}

/** Whether an item of a block is a block. */
export const isBlock = (item: BitRecord | BitBlock): item is BitBlock => 'items' in item;

/** Records of a block; none if there is no block. */
export const recordsIn = (block: BitBlock | undefined): readonly BitRecord[] =>
  (block?.items ?? []).filter((item): item is BitRecord => !isBlock(item));

/** Blocks of a block. */
export const blocksIn = ({ items }: BitBlock): readonly BitBlock[] => items.filter(isBlock);

type Field =
  | { readonly kind: 'literal'; readonly value: bigint }
  | { readonly kind: 'fixed' | 'vbr'; readonly width: number }
  | { readonly kind: 'array' | 'char6' | 'blob' };
type Abbreviation = readonly Field[];

const END_BLOCK = 0;
const ENTER_SUBBLOCK = 1;
const DEFINE_ABBREV = 2;
const UNABBREV_RECORD = 3;
const BLOCKINFO = 0;
const SETBID = 1;
/** Most blocks inside each other; LLVM has five. */
const MAX_DEPTH = 16;
const MAX_WIDTH = 64;
/** Most numbers in all records that are kept. */
const MAX_NUMBERS = 2 ** 22;
const CHAR6 = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._';

/**
 * Reads the blocks of a stream.
 *
 * @param isSkipped - Whether nothing is needed of a block.
 * @throws {BitstreamTrouble}
 */
export function readBlocks(
  bytes: Uint8Array,
  isSkipped: (id: number) => boolean,
): readonly BitBlock[] {
  return new BitstreamReader(bytes, isSkipped).read();
}

class BitstreamReader {
  readonly #bytes: Uint8Array;
  readonly #isSkipped: (id: number) => boolean;
  /** Place of the next bit, and of the end. */
  #at = 0;
  readonly #end: number;
  /** Abbreviations that BLOCKINFO gives to blocks. */
  readonly #given = new Map<number, Abbreviation[]>();
  #numNumbers = 0;

  constructor(bytes: Uint8Array, isSkipped: (id: number) => boolean) {
    this.#bytes = bytes;
    this.#end = 8 * bytes.length;
    this.#isSkipped = isSkipped;
  }

  read(): readonly BitBlock[] {
    const blocks: BitBlock[] = [];
    // The magic number is 32 bits; padding of up to three bytes may follow the last block.
    this.#at = 32;
    while (this.#end - this.#at >= 64) {
      if (this.#fixed(2) !== ENTER_SUBBLOCK) throw this.#trouble('a block is expected');
      const block = this.#block(0);
      if (block !== undefined) blocks.push(block);
    }
    return blocks;
  }

  #trouble(problem: string): BitstreamTrouble {
    return new BitstreamTrouble(`byte ${Math.floor(this.#at / 8)}: ${problem}.`);
  }

  /** Up to 32 bits. */
  #fixed(width: number): number {
    if (this.#at + width > this.#end) throw this.#trouble('the bitcode is cut off');
    let value = 0;
    for (let done = 0; done < width; ) {
      const inByte = this.#at & 7;
      const count = Math.min(8 - inByte, width - done);
      const part = (this.#bytes[this.#at >> 3]! >> inByte) & ((1 << count) - 1);
      value += part * 2 ** done;
      done += count;
      this.#at += count;
    }
    return value;
  }

  #wide(width: number): bigint {
    if (width <= 32) return BigInt(this.#fixed(width));
    const low = BigInt(this.#fixed(32));
    return low + (BigInt(this.#fixed(width - 32)) << 32n);
  }

  #vbr(width: number): bigint {
    const sign = 2 ** (width - 1);
    let value = 0n;
    for (let shift = 0; ; shift += width - 1) {
      if (shift > MAX_WIDTH) throw this.#trouble('a number has more than 64 bits');
      const part = this.#fixed(width);
      value += BigInt(part % sign) << BigInt(shift);
      if (part < sign) return BigInt.asUintN(MAX_WIDTH, value);
    }
  }

  #small(width: number): number {
    const value = this.#vbr(width);
    if (value > 2 ** 32) throw this.#trouble('a number is too large');
    return Number(value);
  }

  #align(): void {
    this.#at = 32 * Math.ceil(this.#at / 32);
  }

  /** Reads a block after its ENTER_SUBBLOCK; undefined if it is skipped. */
  #block(depth: number): BitBlock | undefined {
    if (depth > MAX_DEPTH) throw this.#trouble(`blocks nest deeper than ${MAX_DEPTH}`);
    const id = this.#small(8);
    const width = this.#small(4);
    this.#align();
    const numWords = this.#fixed(32);
    if (this.#at + 32 * numWords > this.#end) throw this.#trouble('a block is cut off');
    if (this.#isSkipped(id)) {
      this.#at += 32 * numWords;
      return undefined;
    }
    if (width < 2 || width > 32) throw this.#trouble('a block has abbreviations of no width');
    const items: (BitRecord | BitBlock)[] = [];
    const abbreviations = [...(this.#given.get(id) ?? [])];
    let about: number | undefined;
    for (;;) {
      const abbreviation = this.#fixed(width);
      switch (abbreviation) {
        case END_BLOCK:
          this.#align();
          return { id, items };
        case ENTER_SUBBLOCK: {
          const block = this.#block(depth + 1);
          if (block !== undefined) items.push(block);
          break;
        }
        case DEFINE_ABBREV: {
          const defined = this.#abbreviation();
          if (id !== BLOCKINFO) abbreviations.push(defined);
          else if (about === undefined) throw this.#trouble('an abbreviation is of no block');
          else this.#given.set(about, [...(this.#given.get(about) ?? []), defined]);
          break;
        }
        default: {
          const form = abbreviations[abbreviation - UNABBREV_RECORD - 1];
          if (abbreviation !== UNABBREV_RECORD && form === undefined) {
            throw this.#trouble(`abbreviation ${abbreviation} is not defined`);
          }
          const record = form === undefined ? this.#unabbreviated() : this.#abbreviated(form);
          if (id === BLOCKINFO && record.code === SETBID) about = Number(record.values[0] ?? 0n);
          else items.push(record);
        }
      }
    }
  }

  #unabbreviated(): BitRecord {
    this.#hold(1);
    const code = this.#small(6);
    const count = this.#count(6);
    return { code, values: Array.from({ length: count }, () => this.#vbr(6)) };
  }

  /** A number of elements, each of which takes a bit at least. */
  #count(width: number): number {
    const count = this.#small(width);
    if (count > this.#end - this.#at) throw this.#trouble('a record is longer than the bitcode');
    this.#hold(count);
    return count;
  }

  #hold(count: number): void {
    this.#numNumbers += count;
    if (this.#numNumbers > MAX_NUMBERS) {
      throw this.#trouble(`the bitcode has more than ${MAX_NUMBERS} numbers`);
    }
  }

  #abbreviation(): Abbreviation {
    const count = this.#count(5);
    const fields: Field[] = [];
    while (fields.length < count) {
      if (this.#fixed(1) === 1) {
        fields.push({ kind: 'literal', value: this.#vbr(8) });
        continue;
      }
      const encoding = this.#fixed(3);
      if (encoding === 1 || encoding === 2) {
        const width = this.#small(5);
        if (width > MAX_WIDTH || (encoding === 2 && (width < 2 || width > 32))) {
          // Zero bits stand for zero; other widths are no numbers.
          if (width !== 0) throw this.#trouble(`a field has ${width} bits`);
        }
        if (width === 0) fields.push({ kind: 'literal', value: 0n });
        else fields.push({ kind: encoding === 1 ? 'fixed' : 'vbr', width });
      } else if (encoding >= 3 && encoding <= 5) {
        fields.push({ kind: (['array', 'char6', 'blob'] as const)[encoding - 3]! });
      } else throw this.#trouble('a field has an unknown encoding');
    }
    const isLast = (i: number) => i === fields.length - 1;
    for (const [i, { kind }] of fields.entries()) {
      const isPlaced =
        kind === 'array' ? i === fields.length - 2 : kind === 'blob' ? isLast(i) : true;
      if (!isPlaced) throw this.#trouble('an array or a blob is not the last field');
    }
    const [element] = fields.at(-2)?.kind === 'array' ? fields.slice(-1) : [];
    if (element?.kind === 'literal' || element?.kind === 'array' || element?.kind === 'blob') {
      throw this.#trouble('an array has elements without bits');
    }
    if (fields.length === 0 || fields[0]!.kind === 'blob')
      throw this.#trouble('an abbreviation has no code');
    return fields;
  }

  #abbreviated(form: Abbreviation): BitRecord {
    const values: bigint[] = [];
    this.#hold(form.length);
    let blob: Uint8Array | undefined;
    for (let i = 0; i < form.length; i++) {
      const field = form[i]!;
      if (field.kind === 'array') {
        const element = form[++i]!;
        const count = this.#count(6);
        for (let j = 0; j < count; j++) values.push(this.#scalar(element));
      } else if (field.kind === 'blob') {
        const length = this.#small(6);
        this.#align();
        const start = this.#at / 8;
        if (8 * (start + length) > this.#end) throw this.#trouble('a blob is cut off');
        blob = this.#bytes.subarray(start, start + length);
        this.#at += 8 * length;
        this.#align();
      } else values.push(this.#scalar(field));
    }
    const [code, ...rest] = values;
    if (code === undefined || code > 2 ** 32) throw this.#trouble('a record has no code');
    return { code: Number(code), values: rest, ...(blob && { blob }) };
  }

  #scalar(field: Field): bigint {
    switch (field.kind) {
      case 'literal':
        return field.value;
      case 'fixed':
        return this.#wide(field.width);
      case 'vbr':
        return this.#vbr(field.width);
      case 'char6':
        return BigInt(CHAR6.charCodeAt(this.#fixed(6)));
      case 'array':
      case 'blob':
        throw new Error(`unreachable: ${field.kind} has been taken apart`);
    }
  }
}
