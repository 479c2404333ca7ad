/** What options are read with: from the text of an argument to its value. */
import { InvalidArgumentError } from 'commander';

/** A number from `least` to `most`. */
export function number(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  };
}

/** A whole number from `least` to `most`. */
export function whole(least: number, most: number): (text: string) => number {
  const any = number(least, most);
  return (text) => {
    const value = any(text);
    if (Number.isInteger(value)) return value;
    throw new InvalidArgumentError('It must be a whole number.');
  };
}

/** Several, separated by commas. */
export function list(one: (text: string) => number): (text: string) => readonly number[] {
  return (text) => text.split(',').map((part) => one(part));
}

/** All texts of an option that is given several times. */
export function several(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** A whole number in decimal digits, of any size. */
export function digits(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** One from 1 to `most`, in decimal digits. */
export function count(most: number): (text: string) => number {
  return (text) => {
    const value = digits(text);
    if (value >= 1 && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
  };
}
