/**
 * Finds where a text stops being JSON, and suggests a correction.
 *
 * JSON.parse names a position only for some faults, and words none of them for people who write JSON by hand.
 */
import { lineEndAt, positionAt } from './text-position.ts';
import { angleText } from './wrong-values.ts';

/** Tokens that the grammar allows next. */
type Next = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma';

/** A fault and its index in the text. */
interface Found {
  readonly at: number;
  readonly problem: string;
}

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)(?![\w.])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const FIRST_PRINTABLE = 0x20;
const WORD = /[^\s,:"'[\]{}]{1,40}/y;

/** Words of Python and JavaScript, with their equivalents in JSON. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  True: 'write true',
  False: 'write false',
  None: 'write null',
  undefined: 'leave the field out',
};

/**
 * Describes the first fault as the end of a sentence: `line 1, column 40: there is a comma before "]"; leave
 * it out.`
 *
 * @param text - A text that JSON.parse refuses.
 */
export function jsonFault(text: string): string {
  const { at, problem } = firstFault(text);
  const { line, column } = positionAt(text, at);
  return `line ${line}, column ${column}: ${problem}.`;
}

function firstFault(text: string): Found {
  const closers: string[] = [];
  let next: Next = 'value';
  let comma: number | undefined;
  for (let i = 0; ; ) {
    i += matched(SPACE, text, i).length;
    const character = text[i];
    const closer = closers.at(-1);
    if (character === undefined) return atEnd(text, closer);
    if (next === 'comma') {
      if (character === ',' && closer !== undefined) {
        comma = i++;
        next = closer === '}' ? 'name' : 'value';
      } else if (character === closer) {
        closers.pop();
        i++;
      } else return { at: i, problem: afterValue(character, closer) };
      continue;
    }
    if (next === 'colon') {
      if (character !== ':') return { at: i, problem: 'a colon is missing after the name' };
      i++;
      next = 'value';
      continue;
    }
    if (character === closer && next.endsWith('end')) {
      closers.pop();
      i++;
      next = 'comma';
      continue;
    }
    if (character === closer && comma !== undefined && text.slice(comma + 1, i).trim() === '') {
      return { at: comma, problem: `there is a comma before "${character}"; leave it out` };
    }
    if (character === '"') {
      const end = endOfString(text, i);
      if (end === undefined) return { at: i, problem: brokenString(text, i) };
      i = end;
      next = next.startsWith('name') ? 'colon' : 'comma';
      continue;
    }
    if (next.startsWith('name')) return { at: i, problem: wrongName(text, i) };
    if (character === '{' || character === '[') {
      closers.push(character === '{' ? '}' : ']');
      i++;
      next = character === '{' ? 'name or end' : 'value or end';
      continue;
    }
    const scalar = matched(SCALAR, text, i);
    if (scalar === '') return { at: i, problem: wrongValue(text, i) };
    i += scalar.length;
    next = 'comma';
  }
}

function matched(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/**
 * Index after the string that begins at `at`; undefined where it is not a valid string. A loop, because a
 * regular expression overflows the stack on strings of megabytes.
 */
function endOfString(text: string, at: number): number | undefined {
  for (let i = at + 1; i < text.length; ) {
    if (text[i] === '"') return i + 1;
    if (text.charCodeAt(i) < FIRST_PRINTABLE) return undefined;
    if (text[i] !== '\\') i++;
    else {
      const escaped = matched(ESCAPE, text, i);
      if (escaped === '') return undefined;
      i += escaped.length;
    }
  }
  return undefined;
}

function atEnd(text: string, closer: string | undefined): Found {
  const what = closer === undefined ? 'a value' : `"${closer}"`;
  const problem =
    text.trim() === '' ? 'there is nothing; send a JSON object' : `the text ends before ${what}`;
  return { at: text.length, problem };
}

function afterValue(character: string, closer: string | undefined): string {
  if (closer === undefined) return 'there is more after the end of the JSON value; leave it out';
  if (character === ']' || character === '}')
    return `"${character}" stands where "${closer}" belongs`;
  return 'a comma is missing before this';
}

function brokenString(text: string, at: number): string {
  const line = text.slice(at + 1, lineEndAt(text, at));
  return /(?<!\\)"/.test(line)
    ? 'this string has a character that must be written with a backslash'
    : 'this string is not closed with a quotation mark on its line';
}

function wrongName(text: string, at: number): string {
  if (text[at] === "'") return 'names are in double quotation marks, not in single ones';
  const word = matched(WORD, text, at);
  if (word.startsWith('/') || word.startsWith('#')) return 'JSON has no comments; leave it out';
  return word === ''
    ? 'a name in double quotation marks is missing'
    : `write "${word}" in double quotation marks`;
}

function wrongValue(text: string, at: number): string {
  if (text[at] === "'") return 'strings are in double quotation marks, not in single ones';
  const word = matched(WORD, text, at);
  if (word === '') return 'a value is missing';
  if (word.startsWith('//') || word.startsWith('/*') || word.startsWith('#')) {
    return 'JSON has no comments; leave it out';
  }
  const other = OTHER_WORDS[word];
  if (other !== undefined) return `JSON has no ${word}; ${other}`;
  const angle = angleText(word);
  if (angle !== undefined) return `JSON has no expressions; ${angle}`;
  if (/^[-+.\d]/.test(word)) return `${word} is not a JSON number; write it as 0.5, -2 or 1e-3`;
  return `${word} is not a JSON value; a string is in double quotation marks`;
}
