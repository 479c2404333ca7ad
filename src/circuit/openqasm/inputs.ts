/** Values that a request gives to the `input` declarations of a program. */
import { type Fault, MAX_FAULTS } from '../../errors/coded-error.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import { convertedScalar } from '../classical-evaluation.ts';
import { isWhole, type Scalar, type ScalarType, scalar } from '../classical-expression.ts';
import { fits, type NumberType, typeName, valueType } from '../classical-types.ts';
import { OpenQasmInputError } from '../errors.ts';
import { inputPath, inputValueAt } from '../input-columns.ts';
import type { OpenInputs } from './open-inputs.ts';
import { type ProgramWarning, quoted } from './token-stream.ts';

/** Values by the names of the program's inputs: numbers, or booleans for `input bool`. */
export type InputValues = Readonly<Record<string, unknown>>;

/** Supplies inputs and collects their faults, so that one answer lists them all. */
export class Inputs {
  /** Records how angles follow from the inputs; absent where a program is read for one point. */
  readonly open: OpenInputs | undefined;
  readonly #values: InputValues;
  readonly #declared = new Set<string>();
  readonly #faults: Fault[] = [];

  /** @param open - Inputs of many points, `values` being those of one of them. */
  constructor(values: InputValues, open?: OpenInputs) {
    this.#values = values;
    this.open = open;
  }

  /** Returns the value of a declared input. Where it is missing or invalid, records a fault and returns 1. */
  take(name: string, type: NumberType): Scalar {
    this.#declared.add(name);
    const { width } = valueType(type);
    const size = isWhole(type.base) && width !== undefined ? ` of ${width} bits` : '';
    const expected = `${typeName(type.base, type.width)} is ${DESCRIPTIONS[type.base]}${size}`;
    if (!Object.hasOwn(this.#values, name)) {
      this.#add(name, `The program's input ${quoted(name)} has no value; ${expected}.`);
      return scalar(type.base, 1);
    }
    const input = this.open?.numberOf(name);
    const point = input === undefined ? -1 : this.open!.firstUnfit(input, type, numberFor);
    if (point >= 0) {
      const found = textOf(inputValueAt(this.open!.columns, input!, point));
      const problem = `The input ${quoted(name)} is ${found} at point ${point}; ${expected}.`;
      this.#add(name, problem, `[${point}]`);
      return scalar(type.base, 1);
    }
    const value = this.#values[name];
    const number = numberFor(type, value);
    if (number === undefined) {
      this.#add(name, `The input ${quoted(name)} is ${textOf(value)}; ${expected}.`);
      return scalar(type.base, 1);
    }
    return input === undefined
      ? convertedScalar(type, scalar('float', number), false)
      : this.open!.scalar(input, type);
  }

  /**
   * Returns the bits of a declared input register, least significant first. The value is a label such as
   * "011" or a whole number; otherwise a fault is recorded.
   */
  takeBits(name: string, count: number): readonly boolean[] {
    this.#declared.add(name);
    const value = Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
    const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
    const isBit = typeof value === 'boolean' && count === 1;
    const text = isNumber || isBit ? Number(value).toString(2).padStart(count, '0') : value;
    if (typeof text === 'string' && text.length === count && /^[01]+$/.test(text)) {
      const input = this.open?.numberOf(name);
      if (input !== undefined) this.open?.fix(input);
      return [...text].reverse().map((digit) => digit === '1');
    }
    const found = value === undefined ? 'has no value' : `is ${textOf(value)}`;
    const example =
      count > MAX_EXAMPLE ? '' : `, such as "${'011'.padStart(count, '0').slice(-count)}"`;
    const expected = `bit[${count}] is a label of ${count} digits 0 and 1 in quotation marks${example}, or a whole number of ${count} bits`;
    this.#add(name, `The program's input ${quoted(name)} ${found}; ${expected}.`);
    return new Array<boolean>(count).fill(false);
  }

  /** Throws if a declared input had no valid value. Called before any error that may follow from it. */
  checkTaken(): void {
    if (this.#faults.length > 0) throw new OpenQasmInputError(this.#faults);
  }

  /**
   * Throws, once the program has been read, if there are faults.
   *
   * @param mayIgnore - Whether values for inputs that the program does not declare are a warning, and no fault. A misspelt
   *   name still leaves the declared input without a value.
   */
  checkAll(mayIgnore: boolean): readonly ProgramWarning[] {
    const unknown = Object.keys(this.#values).filter((name) => !this.#declared.has(name));
    if (!mayIgnore) {
      for (const name of unknown) {
        // Searching similar names takes time for each one.
        if (this.#faults.length >= MAX_FAULTS) break;
        const suggestion = didYouMean(name, this.#declared);
        this.#add(name, `The program declares no input ${quoted(name)}.${suggestion}`);
      }
    }
    this.checkTaken();
    if (unknown.length === 0) return [];
    const names = unknown.slice(0, MAX_FAULTS).map(quoted).join(', ');
    const further = unknown.length > MAX_FAULTS ? ' and others' : '';
    const message = `The program declares no input ${names}${further}; the values are ignored.`;
    return [{ code: 'CIRCUIT_INPUT_IGNORED', message }];
  }

  #add(name: string, message: string, place = ''): void {
    if (this.#faults.length >= MAX_FAULTS) return;
    this.#faults.push({ path: `${inputPath(name)}${place}`, message });
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' ? `${value}` : quotedValue(value);

const quotedValue = (value: unknown): string =>
  quoted(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined'));

/** Bits of the longest label that is written as an example. */
const MAX_EXAMPLE = 16;

const DESCRIPTIONS: Readonly<Record<ScalarType, string>> = {
  int: 'a whole number',
  uint: 'a whole number from 0',
  float: 'a finite number',
  angle: 'a finite number, in radians',
  bool: 'true or false',
};

function numberFor(type: NumberType, value: unknown): number | undefined {
  const { base } = type;
  if (base === 'bool') return typeof value === 'boolean' ? Number(value) : undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  if (base === 'float' || base === 'angle') return value;
  if (!Number.isSafeInteger(value)) return undefined;
  return fits(valueType(type), value) ? value : undefined;
}
