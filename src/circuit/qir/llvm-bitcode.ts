/**
 * Reads LLVM's bitcode of versions 5 and later into the form that texts have, too. Names of types, metadata and what
 * describes symbols to linkers are skipped.
 *
 * @see LLVM Bitcode File Format, https://llvm.org/docs/BitCodeFormat.html
 */
import { QirError } from '../errors.ts';
import { readConstants } from './bitcode-constants.ts';
import { FunctionReader } from './bitcode-function.ts';
import { BitcodeTrouble, type BitcodeType, BLOCKS, numberIn, typeIn } from './bitcode-records.ts';
import {
  type BitBlock,
  type BitRecord,
  BitstreamTrouble,
  blocksIn,
  readBlocks,
  recordsIn,
} from './bitstream.ts';
import {
  DOUBLE,
  type LlvmFunction,
  type LlvmModule,
  type LlvmType,
  POINTER,
  type TypedOperand,
  VOID,
} from './llvm-module.ts';

const KEPT: ReadonlySet<number> = new Set([0, ...Object.values(BLOCKS)]);

const MAGIC = [0x42, 0x43, 0xc0, 0xde];
const WRAPPER = [0xde, 0xc0, 0x17, 0x0b];

/** Whether a source is base64 of bitcode rather than a text. */
export const isBitcode = (source: string): boolean => /^\s*(?:QkPA3|3sAXC)/.test(source);

/**
 * Reads base64 of bitcode.
 *
 * @throws {QirError} at the first fault, with the number of a byte or of an instruction.
 */
export function parseBitcode(base64: string): LlvmModule {
  const text = base64.replaceAll(/\s/g, '');
  if (!/^[A-Za-z\d+/]*={0,2}$/.test(text)) {
    throw new QirError('bitcode', 'this is no base64.');
  }
  const places: string[] = [];
  const describe = (at: number) => places[at] ?? 'bitcode';
  try {
    return { ...moduleOf(unwrapped(Buffer.from(text, 'base64')), places), describe };
  } catch (error) {
    if (error instanceof BitstreamTrouble) throw new QirError('bitcode', error.message);
    if (error instanceof BitcodeTrouble)
      throw new QirError(places.at(-1) ?? 'bitcode', error.message);
    throw error;
  }
}

/** The bitcode in a wrapper, as some systems have it. */
function unwrapped(bytes: Uint8Array): Uint8Array {
  const isWrapped = WRAPPER.every((byte, i) => bytes[i] === byte);
  if (!isWrapped) return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 20) throw new BitstreamTrouble('byte 0: the bitcode is cut off.');
  const [start, length] = [view.getUint32(8, true), view.getUint32(12, true)];
  return bytes.subarray(start, start + length);
}

function moduleOf(bytes: Uint8Array, places: string[]): Pick<LlvmModule, 'globals' | 'functions'> {
  if (!MAGIC.every((byte, i) => bytes[i] === byte)) {
    throw new BitstreamTrouble('byte 0: the bitcode does not begin with BC C0 DE.');
  }
  const blocks = readBlocks(bytes, (id) => !KEPT.has(id));
  const module = blocks.find(({ id }) => id === BLOCKS.module);
  if (module === undefined) throw new BitcodeTrouble('there is no module.');
  const [table] = recordsIn(blocks.find(({ id }) => id === BLOCKS.names));
  return new ModuleReader(module, table?.blob ?? new Uint8Array(), places).read();
}

const RECORDS = { version: 1, variable: 7, function: 8, alias: 14, ifunc: 15 } as const;

class ModuleReader {
  readonly #module: BitBlock;
  readonly #names: Uint8Array;
  readonly #places: string[];
  readonly #values: TypedOperand[] = [];
  readonly #signatures = new Map<string, Extract<BitcodeType, { kind: 'function' }>>();

  constructor(module: BitBlock, names: Uint8Array, places: string[]) {
    this.#module = module;
    this.#names = names;
    this.#places = places;
  }

  read(): Pick<LlvmModule, 'globals' | 'functions'> {
    const records = recordsIn(this.#module);
    const blocks = blocksIn(this.#module);
    if (Number(records.find(({ code }) => code === RECORDS.version)?.values[0] ?? 0n) < 2) {
      throw new BitcodeTrouble('the bitcode is that of LLVM 4 or earlier.');
    }
    const ofKind = (id: number) => blocks.filter((block) => block.id === id);
    const types = typesOf(ofKind(BLOCKS.types)[0]);
    const attributes = attributesOf(
      ofKind(BLOCKS.attributes)[0],
      ofKind(BLOCKS.attributeGroups)[0],
    );
    const variables: {
      readonly name: string;
      readonly initialiser: number;
      readonly type: LlvmType;
    }[] = [];
    const bodies: { readonly name: string; readonly attributes: ReadonlyMap<string, string> }[] =
      [];
    for (const { code, values } of records) {
      if (code === RECORDS.alias || code === RECORDS.ifunc) {
        throw new BitcodeTrouble('the module has aliases of functions.');
      }
      if (code !== RECORDS.variable && code !== RECORDS.function) continue;
      // Values without a name are told apart by their number, as texts write them.
      const name = this.#nameOf(values) || String(this.#values.length);
      const type = types[numberIn(values, 2)];
      this.#values.push({ type: POINTER, operand: { kind: 'global', name } });
      if (code === RECORDS.variable) {
        const flags = numberIn(values, 3);
        const isConstant = flags % 2 === 1;
        const initialiser = numberIn(values, 4) - 1;
        if (!isConstant || initialiser < 0 || type === undefined || type.kind === 'function') {
          throw new BitcodeTrouble(`@${name} is no constant; the profiles have no others.`);
        }
        variables.push({ name, initialiser, type });
        continue;
      }
      if (type?.kind !== 'function') throw new BitcodeTrouble(`@${name} has no type.`);
      if (this.#signatures.has(name)) throw new BitcodeTrouble(`@${name} is there twice.`);
      this.#signatures.set(name, type);
      const isDeclared = numberIn(values, 4) !== 0;
      if (isDeclared) continue;
      bodies.push({ name, attributes: attributes[numberIn(values, 6) - 1] ?? new Map() });
    }
    for (const block of ofKind(BLOCKS.constants)) readConstants(block, types, this.#values);
    const globals = new Map<string, TypedOperand>();
    for (const { name, initialiser, type } of variables) {
      const operand = this.#values[initialiser]?.operand;
      if (operand === undefined) throw new BitcodeTrouble(`@${name} has no value.`);
      globals.set(name, { type, operand });
    }
    const functions = new Map<string, LlvmFunction>();
    const read = { types, values: this.#values, signatures: this.#signatures };
    const blocksOfBodies = ofKind(BLOCKS.function);
    if (blocksOfBodies.length !== bodies.length) {
      throw new BitcodeTrouble('there are more or fewer bodies of functions than functions.');
    }
    for (const [i, body] of bodies.entries()) {
      functions.set(
        body.name,
        new FunctionReader(read, body, this.#places).read(blocksOfBodies[i]!),
      );
    }
    return { globals, functions };
  }

  #nameOf(values: BitRecord['values']): string {
    const [start, length] = [numberIn(values, 0), numberIn(values, 1)];
    if (start + length > this.#names.length) throw new BitcodeTrouble('a name is cut off.');
    return Buffer.from(this.#names.subarray(start, start + length)).toString('latin1');
  }
}

const other = (name: string): LlvmType => ({ kind: 'other', name });

function typesOf(block: BitBlock | undefined): readonly BitcodeType[] {
  const types: BitcodeType[] = [];
  // A type that is not there yet may be what a pointer points to, and is not asked for.
  for (const { code, values } of recordsIn(block)) {
    switch (code) {
      case 1: // The number of types.
      case 19: // The name of the next structure.
        break;
      case 2:
        types.push(VOID);
        break;
      case 4:
        types.push(DOUBLE);
        break;
      case 7:
        types.push({ kind: 'int', width: numberIn(values, 0) });
        break;
      case 8:
      case 25:
        types.push(POINTER);
        break;
      case 11:
        types.push({
          kind: 'array',
          length: Number(values[0] ?? 0n),
          of: typeIn(types, numberIn(values, 1)),
        });
        break;
      case 21: {
        const [result, ...parameters] = values
          .slice(1)
          .map((_, i) => typeIn(types, numberIn(values, i + 1)));
        if (result === undefined) throw new BitcodeTrouble('a function has no type of its result.');
        types.push({ kind: 'function', result, parameters });
        break;
      }
      case 5:
        types.push(other('label'));
        break;
      case 16:
        types.push(other('metadata'));
        break;
      case 6:
      case 18:
      case 20:
        types.push(other('a structure'));
        break;
      default:
        types.push(other(`a type of the code ${code}`));
    }
  }
  return types;
}

const OF_FUNCTION = 2 ** 32 - 1;

/** Attributes of functions, by the lists that functions refer to; those with names in quotes. */
function attributesOf(
  lists: BitBlock | undefined,
  groups: BitBlock | undefined,
): readonly ReadonlyMap<string, string>[] {
  const byGroup = new Map<number, ReadonlyMap<string, string>>();
  for (const { code, values } of recordsIn(groups)) {
    if (code !== 3 || numberIn(values, 1) !== OF_FUNCTION) continue;
    byGroup.set(numberIn(values, 0), attributesIn(values.slice(2)));
  }
  return recordsIn(lists).map(
    ({ values }) => new Map(values.flatMap((group) => [...(byGroup.get(Number(group)) ?? [])])),
  );
}

function attributesIn(values: BitRecord['values']): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let at = 0;
  const text = () => {
    const end = values.indexOf(0n, at);
    const characters = values.slice(at, end < 0 ? values.length : end);
    at = end < 0 ? values.length : end + 1;
    return String.fromCharCode(...characters.map(Number));
  };
  while (at < values.length) {
    const kind = Number(values[at++]);
    if (kind === 0) at++;
    else if (kind === 1) at += 2;
    else if (kind === 3) found.set(text(), '');
    else if (kind === 4) {
      const name = text();
      found.set(name, text());
    } else if (kind === 5) at++;
    else if (kind === 6) at += 2;
    // Ranges and what later versions add are of parameters and results.
    else break;
  }
  return found;
}
