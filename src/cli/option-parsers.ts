/** Parsers of option values. */
import { InvalidArgumentError } from 'commander';
import type { InputValue } from '../circuit/input-columns.ts';

/** Parses a number from `least` to `most`. */
export function number(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  };
}

/** Parses a whole number from `least` to `most`. */
export function whole(least: number, most: number): (text: string) => number {
  const any = number(least, most);
  return (text) => {
    const value = any(text);
    if (Number.isInteger(value)) return value;
    throw new InvalidArgumentError('It must be a whole number.');
  };
}

/** Parses values separated by commas. */
export function list(one: (text: string) => number): (text: string) => readonly number[] {
  return (text) => text.split(',').map((part) => one(part));
}

/** Collects the values of an option that is given several times. */
export function several(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Parses a whole number in decimal digits, of any size. */
export function digits(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** Parses a whole number from 1 to `most` in decimal digits. */
export function count(most: number): (text: string) => number {
  return (text) => {
    const value = digits(text);
    if (value >= 1 && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
  };
}

const MULTIPLE_OF_PI =
  /^([+-]?)(?:([\d.]+(?:e[+-]?\d+)?)\s*\*?\s*)?(?:pi|π)(?:\s*\/\s*([\d.]+))?$/i;

/**
 * Parses the value of an input: `true`, `false`, a number such as `0.5`, a multiple of π such as `pi`, `-pi/2`, `2pi`
 * or `3*pi/4`, or a label of bits in quotation marks, such as `"011"`.
 *
 * @returns Undefined for anything else.
 */
export function inputValue(text: string): InputValue | undefined {
  const word = text.trim();
  if (/^"[01]+"$/.test(word)) return word.slice(1, -1);
  if (word === 'true' || word === 'false') return word === 'true';
  const [, sign, factor = 1, divisor = 1] = MULTIPLE_OF_PI.exec(word) ?? [];
  const multiple = ((sign === '-' ? -1 : 1) * Number(factor) * Math.PI) / Number(divisor);
  const value = sign === undefined ? Number(word) : multiple;
  return word !== '' && Number.isFinite(value) ? value : undefined;
}
