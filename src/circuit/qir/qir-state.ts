/** The values of a program in QIR while its paths are followed: of variables, of memory and of constants. */
import { QirError } from '../errors.ts';
import { ALWAYS, type BitFunction } from '../openqasm/decision-diagram.ts';
import {
  always,
  type Cases,
  ClassicalArithmetic,
  knownRow,
  type Row,
  rowOf,
  UNDEFINED,
  type Value,
} from './classical-values.ts';
import { type Address, asAddress, ValueTrouble } from './known-values.ts';
import {
  type ElementAddress,
  type LlvmModule,
  type LlvmType,
  MAX_INT_WIDTH,
  type Operand,
  type TypedOperand,
  typeName,
} from './llvm-module.ts';
import type { QirCircuit } from './qir-circuit.ts';

/** Most values of an array. */
const MAX_ELEMENTS = 4096;

/** Values that stand one after the other. */
interface Region {
  readonly length: number;
  readonly of: LlvmType;
}

/** What instructions read and write. */
export class QirState {
  readonly module: LlvmModule;
  readonly circuit: QirCircuit;
  readonly arithmetic: ClassicalArithmetic;
  /** Variables by frame and name, memory by address, and results by number. */
  values = new Map<string, Value>();
  /** Place of the current instruction, and where it runs. */
  at = 0;
  holds: BitFunction = ALWAYS;
  /** Number of the call whose variables are read. */
  frame = 0;
  readonly #regions = new Map<string, Region>();

  constructor(module: LlvmModule, circuit: QirCircuit) {
    this.module = module;
    this.circuit = circuit;
    this.arithmetic = new ClassicalArithmetic(circuit.diagrams, (f) => circuit.settled(f));
  }

  /** Error at the current instruction. */
  fault(problem: string, code?: string): QirError {
    return new QirError(this.module.describe(this.at), problem, code);
  }

  /** Key of a variable of the current call. */
  variable(name: string): string {
    return `${this.frame}%${name}`;
  }

  /** Sets a value where the current instruction runs. */
  set(key: string, value: Value, holds: BitFunction = this.holds): void {
    const old = this.values.get(key) ?? UNDEFINED;
    this.values.set(key, this.arithmetic.choose(holds, value, old));
  }

  /** Value of an operand where the current instruction runs. */
  read({ type, operand }: TypedOperand): Value {
    switch (operand.kind) {
      case 'local': {
        const value = this.values.get(this.variable(operand.name));
        if (value === undefined) throw this.fault(`%${operand.name} has no value here.`);
        if (value.kind === 'row' && (type.kind !== 'int' || type.width !== value.bits.length)) {
          throw this.fault(`%${operand.name} is no ${typeName(type)}.`);
        }
        return this.arithmetic.under(this.holds, value);
      }
      case 'int':
        return this.#constant(type, operand.value);
      case 'double':
        return always(operand.value);
      case 'zero':
        return type.kind === 'double' ? always(0) : this.#constant(type, 0n);
      case 'undefined':
        return UNDEFINED;
      case 'global':
        return always({ base: `@${operand.name}`, index: 0 });
      case 'element':
        return this.element(operand);
      case 'string':
      case 'array':
        throw this.fault('an array as a value; the profiles have addresses of arrays.');
    }
  }

  #constant(type: LlvmType, value: bigint): Value {
    if (type.kind === 'int') {
      if (type.width > MAX_INT_WIDTH) {
        throw this.fault(`${typeName(type)} is too wide; the limit is ${MAX_INT_WIDTH} bits.`);
      }
      return rowOf(value, type.width);
    }
    if (type.kind !== 'pointer') throw this.fault(`a value of the type ${typeName(type)}.`);
    if (value < 0n || value > 2 ** 32) throw this.fault(`${value} is no qubit and no result.`);
    return always({ base: '', index: Number(value) });
  }

  /** Value of an integer. */
  row(typed: TypedOperand): Row {
    const value = this.read(typed);
    if (value.kind === 'row') return value;
    throw value.kind === 'undefined' ? this.#anyValue() : this.fault('an integer is needed here.');
  }

  /** Value of a double or a pointer. */
  cases(typed: TypedOperand): Cases {
    const value = this.read(typed);
    if (value.kind === 'cases') return value;
    if (value.kind === 'undefined') throw this.#anyValue();
    throw this.fault('a double or a pointer is needed here, not an integer.');
  }

  #anyValue(): QirError {
    return this.fault('this value is undefined: nothing has set it on the way here.');
  }

  /** The one address that a pointer is. */
  address(typed: TypedOperand): Address {
    const { cases } = this.cases(typed);
    if (cases.length !== 1) throw this.fault('this pointer depends on measurements.');
    return asAddress(cases[0]!.value);
  }

  /** Makes memory for a value, and returns its address. */
  allocate(type: LlvmType): Value {
    const of = scalarOf(type);
    const length = this.#numScalars(type);
    if (of.kind === 'other' || of.kind === 'void') {
      throw this.fault(`memory of the type ${typeName(of)}.`);
    }
    const base = `m${this.#regions.size}`;
    this.#regions.set(base, { length, of });
    for (let i = 0; i < length; i++) this.values.set(cellOf({ base, index: i }), UNDEFINED);
    this.circuit.takeSteps(length);
    return always({ base, index: 0 });
  }

  #numScalars(type: LlvmType): number {
    const length = numScalars(type);
    if (length > MAX_ELEMENTS) {
      throw this.fault(`an array of ${length} values; the limit is ${MAX_ELEMENTS}.`);
    }
    return length;
  }

  /** Address of an element of an array. */
  element({ source, base, indices }: ElementAddress): Value {
    const from = this.cases({ type: { kind: 'pointer' }, operand: base });
    let type = source;
    let known = 0n;
    let measured: Row | undefined;
    for (const [i, index] of indices.entries()) {
      if (i > 0) {
        if (type.kind !== 'array') throw this.fault(`an index into ${typeName(type)}.`);
        type = type.of;
      }
      const scale = BigInt(this.#numScalars(type));
      const row = extended(this.row(index), MAX_INT_WIDTH, true);
      const value = knownRow(row);
      if (value !== undefined) known += BigInt.asIntN(MAX_INT_WIDTH, value) * scale;
      else {
        const moved = this.arithmetic.binary('mul', row, rowOf(scale, MAX_INT_WIDTH));
        measured = measured ? this.arithmetic.binary('add', measured, moved) : moved;
      }
    }
    if (known === 0n && measured === undefined) return from;
    const found: { holds: BitFunction; value: Address }[] = [];
    for (const { holds, value } of from.cases) {
      const { base: start, index } = asAddress(value);
      const { length, of } = this.#regionOf(start);
      if (typeName(of) !== typeName(scalarOf(source))) {
        throw this.fault(`an address by ${typeName(source)} in memory of ${typeName(of)}.`);
      }
      const offset = BigInt(index) + known;
      const diagrams = this.circuit.diagrams;
      if (measured === undefined) {
        found.push({ holds, value: { base: start, index: Number(offset) } });
        continue;
      }
      for (let place = 0; place < length; place++) {
        const row = rowOf(BigInt(place) - offset, MAX_INT_WIDTH);
        const isHere = diagrams.and(holds, this.arithmetic.compareRows('eq', measured, row));
        if (this.#canBe(isHere))
          found.push({ holds: isHere, value: { base: start, index: place } });
      }
      this.circuit.takeSteps(length);
    }
    if (found.length === 0) throw this.fault('this address lies outside of its array.');
    return { kind: 'cases', cases: found };
  }

  #canBe(f: BitFunction): boolean {
    const { diagrams } = this.circuit;
    const both = diagrams.and(this.holds, f);
    return both.kind !== 'constant' || both.value;
  }

  #global(base: string): TypedOperand | undefined {
    return base.startsWith('@') ? this.module.globals.get(base.slice(1)) : undefined;
  }

  #regionOf(base: string): Region {
    const region = this.#regions.get(base);
    if (region !== undefined) return region;
    const global = this.#global(base);
    if (global === undefined) {
      throw this.fault(
        'this pointer is no memory of the program: memory is made by alloca or is a constant.',
      );
    }
    return { length: this.#numScalars(global.type), of: scalarOf(global.type) };
  }

  /** Value that is at an address. */
  load(type: LlvmType, address: Operand): Value {
    const { cases } = this.cases({ type: { kind: 'pointer' }, operand: address });
    let loaded: Value = UNDEFINED;
    for (const { holds, value } of cases) {
      const at = this.#checked(asAddress(value), type);
      const global = this.#global(at.base);
      const one =
        global === undefined
          ? (this.values.get(cellOf(at)) ?? UNDEFINED)
          : this.read(scalarAt(global, at.index));
      loaded = this.arithmetic.choose(holds, one, loaded);
    }
    return this.arithmetic.under(this.holds, loaded);
  }

  /** Sets the value at an address. */
  store(value: TypedOperand, address: Operand): void {
    const stored = this.read(value);
    const { cases } = this.cases({ type: { kind: 'pointer' }, operand: address });
    for (const { holds, value: to } of cases) {
      const at = this.#checked(asAddress(to), value.type);
      if (at.base.startsWith('@')) throw this.fault('a constant is written.');
      const where = this.circuit.diagrams.and(this.holds, holds);
      this.set(cellOf(at), stored, where);
    }
  }

  #checked(at: Address, type: LlvmType): Address {
    const { length, of } = this.#regionOf(at.base);
    if (at.index < 0 || at.index >= length) {
      throw this.fault('this address lies outside of its array.');
    }
    if (typeName(of) !== typeName(type)) {
      throw this.fault(`a ${typeName(type)} in memory of ${typeName(of)}.`);
    }
    return at;
  }

  /** Characters that a pointer points to; empty for null. */
  text(typed: TypedOperand): string {
    const { base, index } = this.address(typed);
    if (base === '' && index === 0) return '';
    const operand = this.#global(base)?.operand;
    if (operand?.kind === 'string' && index === 0) return operand.text;
    if (operand?.kind === 'zero') return '';
    throw this.fault('a label is needed here: the address of a constant of characters.');
  }
}

/** Bits of a wider integer, or of a narrower one. */
export function extended({ bits }: Row, width: number, isSigned: boolean): Row {
  const sign = isSigned ? bits.at(-1)! : rowOf(0n, 1).bits[0]!;
  return { kind: 'row', bits: Array.from({ length: width }, (_, i) => bits[i] ?? sign) };
}

const cellOf = ({ base, index }: Address): string => `${base}[${index}]`;

const scalarOf = (type: LlvmType): LlvmType => (type.kind === 'array' ? scalarOf(type.of) : type);

const numScalars = (type: LlvmType): number =>
  type.kind === 'array' ? type.length * numScalars(type.of) : 1;

/** A value of a constant by its place among all. */
function scalarAt({ type, operand }: TypedOperand, index: number): TypedOperand {
  if (type.kind !== 'array') return { type, operand };
  const size = numScalars(type.of);
  const place = Math.floor(index / size);
  if (operand.kind === 'string') {
    const value = BigInt(operand.text.charCodeAt(place) || 0);
    return { type: type.of, operand: { kind: 'int', value } };
  }
  const inner = operand.kind === 'array' ? operand.elements[place] : operand;
  if (inner === undefined) throw new ValueTrouble('A constant has fewer values than its type.');
  return scalarAt({ type: type.of, operand: inner }, index % size);
}
