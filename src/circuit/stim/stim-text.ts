/**
 * Syntax of Stim's circuit format: a text becomes instructions and REPEAT blocks. Their arguments and the forms of
 * their targets are checked; their references to the rest of the circuit are not.
 */
import { didYouMean } from '../../errors/nearest-names.ts';
import { positionAt } from '../../errors/text-position.ts';
import { LIMIT_EXCEEDED, StimTextError } from '../errors.ts';
import { type Pauli, STIM_GATES, type StimGate } from './stim-gates.ts';

/** A target, with its place in the text. */
export type StimTarget = { readonly offset: number } & (
  | { readonly kind: 'qubit'; readonly qubit: number; readonly isInverted: boolean }
  | {
      readonly kind: 'pauli';
      readonly pauli: Pauli;
      readonly qubit: number;
      readonly isInverted: boolean;
    }
  /** The bit measured `back` measurements before. */
  | { readonly kind: 'record'; readonly back: number }
  | { readonly kind: 'sweep'; readonly bit: number }
  /** `*` between two factors of a product. */
  | { readonly kind: 'combiner' }
);

/** An instruction. */
export interface StimInstruction {
  readonly gate: StimGate;
  readonly offset: number;
  readonly args: readonly number[];
  readonly targets: readonly StimTarget[];
}

/** A REPEAT block. */
export interface StimBlock {
  readonly gate?: undefined;
  readonly offset: number;
  /** At least 1. */
  readonly count: number;
  readonly body: readonly StimStatement[];
}

export type StimStatement = StimInstruction | StimBlock;

/** Greatest index of a qubit, and greatest `k` of `rec[-k]` and `sweep[k]`, as in Stim. */
const MAX_INDEX = 2 ** 24 - 1;
/** Greatest number of an observable. */
const MAX_OBSERVABLE = 2 ** 16 - 1;
/** REPEAT blocks within each other. */
const MAX_DEPTH = 256;
/** Deviation from 1 that rounding may leave in a sum of probabilities. */
const ROUNDING = 1e-9;

/** Fault of a text at an offset. */
export function stimFault(
  text: string,
  offset: number,
  problem: string,
  code?: string,
): StimTextError {
  return new StimTextError(positionAt(text, offset), problem, code);
}

/**
 * Reads a text.
 *
 * @throws {StimTextError} at the first fault.
 */
export function parseStim(text: string): readonly StimStatement[] {
  return new Parser(text).read();
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly StimStatement[] {
    const top: StimStatement[] = [];
    const open: {
      readonly offset: number;
      readonly count: number;
      readonly body: StimStatement[];
    }[] = [];
    let list = top;
    for (;;) {
      this.#skipBetween();
      const offset = this.#at;
      const next = this.#text[offset];
      if (next === undefined) break;
      if (next === '}') {
        const block = open.pop();
        if (block === undefined) throw this.#fault('There is no REPEAT block for this } to end.');
        this.#at++;
        list = open.at(-1)?.body ?? top;
        if (block.body.length > 0) list.push(block);
        continue;
      }
      const name = this.#name();
      if (name === 'REPEAT') {
        if (open.length === MAX_DEPTH) {
          throw this.#fault(`REPEAT blocks more than ${MAX_DEPTH} deep.`, offset, LIMIT_EXCEEDED);
        }
        const body: StimStatement[] = [];
        open.push({ offset, count: this.#repetitions(), body });
        list = body;
      } else list.push(this.#instruction(name, offset));
    }
    const unended = open.at(-1);
    if (unended !== undefined) {
      throw this.#fault('This REPEAT block has no } at its end.', unended.offset);
    }
    return top;
  }

  #fault(problem: string, offset = this.#at, code?: string): StimTextError {
    return stimFault(this.#text, offset, problem, code);
  }

  /** Skips white space, ends of lines and comments. */
  #skipBetween(): void {
    for (;;) {
      const next = this.#text[this.#at];
      if (next === '#') this.#skipComment();
      else if (next === ' ' || next === '\t' || next === '\n' || next === '\r') this.#at++;
      else return;
    }
  }

  #skipComment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #skipBlanks(): void {
    while (this.#isBlank()) this.#at++;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** Whether the line ends here, but for a comment, which is skipped. */
  #endsLine(): boolean {
    if (this.#text[this.#at] === '#') this.#skipComment();
    const next = this.#text[this.#at];
    return next === undefined || next === '\n';
  }

  #name(): string {
    const name = this.#match(/[A-Za-z][A-Za-z0-9_]*/y);
    if (name === undefined) throw this.#fault('Expected the name of an instruction.');
    return name.toUpperCase();
  }

  #repetitions(): number {
    this.#skipTag();
    this.#arguments();
    this.#skipBlanks();
    const offset = this.#at;
    const digits = this.#match(/\d+/y);
    if (digits === undefined) throw this.#fault('Expected the number of repetitions after REPEAT.');
    const count = Number(digits);
    if (count === 0) throw this.#fault('A REPEAT block is repeated at least once.', offset);
    this.#skipBlanks();
    if (this.#text[this.#at] !== '{') throw this.#fault('Expected { after REPEAT and its number.');
    this.#at++;
    return count;
  }

  #instruction(name: string, offset: number): StimInstruction {
    const gate = STIM_GATES.get(name);
    if (gate === undefined) {
      const known = didYouMean(name, [...STIM_GATES.keys(), 'REPEAT']);
      throw this.#fault(`There is no instruction ${shortened(name)}.${known}`, offset);
    }
    this.#skipTag();
    const args = this.#arguments() ?? [];
    this.#checkArguments(gate, args, offset);
    const targets: StimTarget[] = [];
    let isSpaced = this.#isBlank();
    this.#skipBlanks();
    while (!this.#endsLine()) {
      if (this.#text[this.#at] === '*') {
        targets.push({ kind: 'combiner', offset: this.#at++ });
        isSpaced = true;
      } else {
        if (!isSpaced) throw this.#fault('Expected a space before a target.');
        targets.push(this.#target());
        isSpaced = this.#isBlank();
      }
      this.#skipBlanks();
    }
    const instruction = { gate, offset, args, targets };
    checkTargets(instruction, (problem, at) => this.#fault(problem, at));
    return instruction;
  }

  /** As in Stim, a carriage return is a blank: it ends no line by itself. */
  #isBlank(): boolean {
    const next = this.#text[this.#at];
    return next === ' ' || next === '\t' || next === '\r';
  }

  /** Skips a tag, `[text]`. In it `\C` is a closing bracket. */
  #skipTag(): void {
    if (this.#text[this.#at] !== '[') return;
    const offset = this.#at;
    if (this.#match(/\[[^\]\n\r]*\]/y) === undefined) {
      throw this.#fault('This tag has no ] at its end.', offset);
    }
  }

  /** Reads numbers in parentheses; undefined where there are none. */
  #arguments(): readonly number[] | undefined {
    if (this.#text[this.#at] !== '(') return undefined;
    const opening = this.#at++;
    const numbers: number[] = [];
    this.#skipBlanks();
    while (this.#text[this.#at] !== ')') {
      const offset = this.#at;
      const word = this.#match(/[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y);
      if (word === undefined || !Number.isFinite(Number(word))) {
        throw this.#fault('Expected a number in the parentheses.', offset);
      }
      numbers.push(Number(word));
      this.#skipBlanks();
      if (this.#text[this.#at] === ',') {
        this.#at++;
        this.#skipBlanks();
      } else if (this.#text[this.#at] !== ')') {
        if (this.#endsLine()) throw this.#fault('These parentheses are not closed.', opening);
        throw this.#fault('Expected a comma or ) after a number.');
      }
    }
    this.#at++;
    return numbers;
  }

  #checkArguments(
    { name, numArguments: [least, most], argumentKind }: StimGate,
    args: readonly number[],
    offset: number,
  ): void {
    if (args.length < least || args.length > most) {
      const takes =
        most === 0
          ? 'no arguments in parentheses'
          : least === most
            ? `${most} ${most === 1 ? 'argument' : 'arguments'} in parentheses`
            : `${least} to ${most} arguments in parentheses`;
      throw this.#fault(`${name} takes ${takes}, and has ${args.length}.`, offset);
    }
    if (argumentKind === 'number') return;
    if (argumentKind === 'index') {
      const [index = 0] = args;
      if (Number.isInteger(index) && index >= 0 && index <= MAX_OBSERVABLE) return;
      throw this.#fault(
        `${name} takes the number of an observable, 0 to ${MAX_OBSERVABLE}, and has ${index}.`,
        offset,
      );
    }
    const wrong = args.find((each) => !(each >= 0 && each <= 1));
    if (wrong !== undefined) {
      throw this.#fault(`${name} takes probabilities, from 0 to 1, and has ${wrong}.`, offset);
    }
    const sum = args.reduce((total, each) => total + each, 0);
    if (argumentKind === 'disjoint' && sum > 1 + ROUNDING) {
      throw this.#fault(`The probabilities of ${name} add up to ${sum}, more than 1.`, offset);
    }
  }

  #target(): StimTarget {
    const offset = this.#at;
    const isInverted = this.#text[offset] === '!';
    if (isInverted) this.#at++;
    const pauli = this.#match(/[XYZxyz](?=\d)/y)?.toUpperCase();
    const digits = this.#match(/\d+/y);
    if (digits !== undefined) {
      const qubit = this.#index(digits, offset);
      if (pauli === undefined) return { kind: 'qubit', qubit, isInverted, offset };
      // Checked: the pattern has no other letters.
      return { kind: 'pauli', pauli: pauli as Pauli, qubit, isInverted, offset };
    }
    const reference = isInverted ? undefined : this.#match(/(?:rec\[-\d+\]|sweep\[\d+\])/y);
    if (reference !== undefined) {
      const number = this.#index(/\d+/.exec(reference)![0], offset);
      if (reference.startsWith('s')) return { kind: 'sweep', bit: number, offset };
      if (number === 0) throw this.#fault('The last measurement is rec[-1].', offset);
      return { kind: 'record', back: number, offset };
    }
    throw this.#fault(
      'Expected a target: a qubit such as 3 or !3, a Pauli such as X3, rec[-1] or sweep[0].',
      offset,
    );
  }

  #index(digits: string, offset: number): number {
    const index = Number(digits);
    if (index > MAX_INDEX) {
      throw this.#fault(`${shortened(digits)} is more than ${MAX_INDEX}.`, offset, LIMIT_EXCEEDED);
    }
    return index;
  }
}

const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

type MakeFault = (problem: string, offset: number) => StimTextError;

/** Checks that all targets have the form that the instruction takes. */
function checkTargets({ gate, targets, offset }: StimInstruction, fault: MakeFault): void {
  const { name, targets: form } = gate;
  const refuse = (what: string, target: StimTarget) => {
    throw fault(`${name} takes ${what}.`, target.offset);
  };
  switch (form) {
    case 'none':
      if (targets[0] !== undefined) refuse('no targets', targets[0]);
      return;
    case 'constants':
      for (const target of targets) {
        const isBit = target.kind === 'qubit' && target.qubit <= 1 && !target.isInverted;
        if (!isBit) refuse('the constants 0 and 1', target);
      }
      return;
    case 'records':
      for (const target of targets) {
        if (target.kind !== 'record') refuse('measurements, such as rec[-1]', target);
      }
      return;
    case 'records or paulis':
      for (const target of targets) {
        if (target.kind !== 'record' && target.kind !== 'pauli') {
          refuse('measurements, such as rec[-1]', target);
        }
      }
      return;
    case 'products':
    case 'paulis':
      checkPaulis(gate, targets, fault);
      return;
    default:
      checkQubits({ gate, targets, offset, args: [] }, fault);
  }
}

function checkPaulis({ name }: StimGate, targets: readonly StimTarget[], fault: MakeFault): void {
  for (const [i, target] of targets.entries()) {
    if (target.kind === 'combiner') {
      const isBetween = targets[i - 1]?.kind === 'pauli' && targets[i + 1]?.kind === 'pauli';
      if (!isBetween) throw fault('A * stands between two Paulis.', target.offset);
    } else if (target.kind !== 'pauli') {
      throw fault(`${name} takes Paulis, such as X1.`, target.offset);
    }
  }
}

function checkQubits({ gate, targets, offset }: StimInstruction, fault: MakeFault): void {
  const { name, targets: form, action } = gate;
  const isMeasured = form === 'measured qubits' || form === 'measured pairs';
  const controls = action.kind === 'controlled' ? action.controls : [];
  const isOfPairs = form === 'pairs' || form === 'measured pairs';
  for (const [i, target] of targets.entries()) {
    const isBit = target.kind === 'record' || target.kind === 'sweep';
    if (isBit && controls.length > 0) {
      if (controls.includes(i % 2)) continue;
      throw fault(
        `${name} changes qubits. A measured bit stands in place of its ${controls[0] === 0 ? 'first' : 'second'} target.`,
        target.offset,
      );
    }
    if (target.kind !== 'qubit') throw fault(`${name} takes qubits, such as 3.`, target.offset);
    if (target.isInverted && !isMeasured) {
      throw fault(`${name} measures nothing that ! could invert.`, target.offset);
    }
  }
  if (!isOfPairs) return;
  if (targets.length % 2 !== 0) {
    throw fault(`${name} takes pairs of targets, and has ${targets.length} targets.`, offset);
  }
  for (let i = 0; i < targets.length; i += 2) {
    const [a, b] = [targets[i]!, targets[i + 1]!];
    if (a.kind === 'qubit' && b.kind === 'qubit' && a.qubit === b.qubit) {
      throw fault(`${name} acts on two different qubits; both are ${a.qubit}.`, a.offset);
    }
  }
}
