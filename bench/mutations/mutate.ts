/** Mutations of a request's body: of its structure, its text, and the tokens of a program in it. */
import type { RandomStream } from '../../test/support/random-stream.ts';

/** Marks a string that is inserted into the JSON text verbatim, without quotes. */
const RAW = '\u0001raw:';
/** Suffix of a duplicated key, removed from the JSON text. */
const TWICE = '\u0001twice';

/** Numbers that often break programs; none makes a register wide or a loop merely long. */
const NUMBERS: readonly unknown[] = [
  0,
  -1,
  1,
  2,
  7,
  0.5,
  -0.5,
  1e-320,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 32,
  -(2 ** 31),
  2 ** 53,
  2 ** 53 + 2,
  1e21,
  `${RAW}-0`,
  `${RAW}1e999`,
  `${RAW}-1e999`,
  `${RAW}NaN`,
  `${RAW}Infinity`,
  `${RAW}0x10`,
  `${RAW}01`,
  `${RAW}1.`,
  `${RAW}123456789012345678901234567890`,
  `${RAW}0.1${'0'.repeat(400)}1`,
];
const TEXTS = [
  '',
  ' ',
  '\0',
  '\ud800',
  '\udc00\ud800',
  '\u202e\u200b',
  'Ω≈ç√∫˜µ',
  '👩‍👩‍👧‍👦'.repeat(20),
  'null',
  'NaN',
  '-1',
  '1e3',
  '../../etc/passwd',
  "'; DROP TABLE jobs;--",
  '<script>alert(1)</script>',
  '%s%n%x',
  `\${7*7}`,
  '2026-02-30T25:61:61Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00.000Z',
  'constructor',
  'hasOwnProperty',
] as const;
const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'toJSON',
  'then',
  '',
  ' ',
  '$ref',
  'length',
  '0',
  '-1',
  'ключ',
  '\0',
] as const;
/** Bodies of 64 KiB and more are read in another process, smaller ones mostly on the event loop. */
const LENGTHS = [3, 101, 256, 1001, 5000, 60_000, 70_000] as const;
const DEPTHS = [5, 40, 200, 1500, 20_000] as const;

type Json = unknown;
type JsonObject = Readonly<Record<string, unknown>>;

/** JSON text of the value with this many faults in its structure. */
export function mutatedJson(value: Json, faults: number, random: RandomStream): string {
  let mutated = value;
  for (let i = 0; i < faults; i++) mutated = changedSomewhere(mutated, random);
  try {
    return jsonText(mutated);
  } catch (error) {
    // Repeated duplication can exceed the longest string.
    if (error instanceof RangeError) return jsonText(value);
    throw error;
  }
}

/** JSON text in which tokens of one of the value's longer strings are changed. */
export function withMutatedProgram(value: Json, random: RandomStream): string {
  const programs: string[] = [];
  visitStrings(value, (text) => programs.push(text));
  if (programs.length === 0) return mutatedJson(value, 1, random);
  const place = random.below(programs.length);
  let at = 0;
  const rewritten = mapStrings(value, (text) =>
    at++ === place ? mutatedProgram(text, random) : text,
  );
  return jsonText(rewritten);
}

/** JSON text of a value, with marked strings inserted verbatim. */
function jsonText(value: Json): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text
    .replace(/"\\u0001raw:((?:[^"\\]|\\.)*)"/g, (_, raw: string) => JSON.parse(`"${raw}"`))
    .replaceAll('\\u0001twice"', '"');
}

/** Descends into the value at random and changes a part. */
function changedSomewhere(value: Json, random: RandomStream): Json {
  const isDeep = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isDeep || random.uniform() < 0.3) return changed(value, random);
  const key = random.pick(Object.keys(value));
  if (Array.isArray(value)) {
    return value.map((each, i) => (`${i}` === key ? changedSomewhere(each, random) : each));
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === key ? changedSomewhere(each, random) : each,
    ]),
  );
}

function changed(value: Json, random: RandomStream): Json {
  if (random.uniform() < 0.35) return replacement(random);
  if (Array.isArray(value)) return changedArray(value, random);
  if (typeof value === 'object' && value !== null) return changedObject(value, random);
  if (typeof value === 'string') return changedString(value, random);
  if (typeof value === 'number') return changedNumber(value, random);
  return replacement(random);
}

/** A random value of any type. */
function replacement(random: RandomStream): Json {
  const choice = random.below(10);
  if (choice < 3) return random.pick(NUMBERS);
  if (choice < 5) return random.pick(TEXTS);
  if (choice === 5) return random.pick([null, true, false]);
  if (choice === 6) return random.pick([[], {}, [[]], [{}], [null], { '': null }]);
  if (choice === 7) return nested(random);
  if (choice === 8)
    return random.pick(['a', 'é', '\\', '"', '\n', '1,']).repeat(random.pick(LENGTHS) / 2);
  const part = random.pick([0, {}, [], '', null, { gate: 'H', qubit: 0 }, { a: { b: [] } }]);
  const most = random.pick(LENGTHS) / JSON.stringify([part]).length;
  return Array.from({ length: Math.ceil(most) }, () => part);
}

function nested(random: RandomStream): string {
  const depth = random.pick(DEPTHS);
  const [open, middle, close] = random.pick([
    ['[', '', ']'],
    ['{"a":', '1', '}'],
    ['[{"circuit":', '[]', '}]'],
  ] as const);
  return RAW + open.repeat(depth) + middle + close.repeat(random.below(20) === 0 ? 0 : depth);
}

function changedArray(value: readonly Json[], random: RandomStream): Json {
  const at = random.below(value.length + 1);
  switch (random.below(6)) {
    case 0:
      return value.toSpliced(at, 1);
    case 1:
      return value.toSpliced(at, 0, replacement(random));
    case 2:
      return value.length === 0 ? [[]] : value.toSpliced(at, 0, random.pick(value));
    case 3:
      return random.shuffled(value);
    case 4:
      return value.length === 0
        ? [value]
        : Array.from({ length: random.pick([10, 100, 1000, 2500]) }, () => value[0]);
    default:
      return value[0] ?? null;
  }
}

function changedObject(value: object, random: RandomStream): Json {
  const held: readonly (readonly [string, Json])[] = Object.entries(value);
  const entries = held.length > 0 ? held : [['a', 1] as const];
  const at = random.below(entries.length);
  const [key = 'a', own = 1] = entries[at] ?? [];
  switch (random.below(7)) {
    case 0:
      return Object.fromEntries(entries.toSpliced(at, 1));
    case 1:
      return Object.fromEntries([...entries, [random.pick(KEYS), replacement(random)]]);
    case 2:
      return Object.fromEntries([
        ...entries,
        [key + TWICE, random.pick([own, replacement(random)])],
      ]);
    case 3:
      return Object.fromEntries(entries.with(at, [renamed(key, random), own]));
    case 4: {
      const [, other] = random.pick(entries);
      return Object.fromEntries(entries.with(at, [key, other]));
    }
    case 5:
      return [value];
    default:
      return Object.fromEntries([['__proto__', replacement(random)], ...entries]);
  }
}

function renamed(key: string, random: RandomStream): string {
  return random.pick([key.toUpperCase(), `${key} `, `${key}s`, key.slice(1), random.pick(KEYS)]);
}

function changedString(value: string, random: RandomStream): Json {
  switch (random.below(6)) {
    case 0:
      return value.slice(0, random.below(value.length + 1));
    case 1:
      return random.pick([value.toUpperCase(), ` ${value}`, `${value}\0`, `${value}${value}`]);
    case 2:
      return value + random.pick(TEXTS);
    case 3:
      return [value];
    case 4:
      return random.pick(TEXTS);
    default:
      return mutatedProgram(value, random);
  }
}

function changedNumber(value: number, random: RandomStream): Json {
  return random.pick([-value, value + 0.5, value + 1, `${value}`, [value], random.pick(NUMBERS)]);
}

const TOKEN = /[A-Za-z_π][\w]*|\d+(?:\.\d+)?|"[^"]*"|\s+|[^\w\s]/gu;
/** Words and symbols that occur in OpenQASM 2 and 3 and in expressions. */
const VOCABULARY = [
  ...'OPENQASM|include|"stdgates.inc"|"qelib1.inc"|qubit|bit|qreg|creg|int|uint|float|angle|bool|const|complex'.split(
    '|',
  ),
  ...'def|gate|opaque|if|else|for|while|in|break|continue|return|end|let|input|output|array|duration'.split(
    '|',
  ),
  ...'measure|reset|barrier|ctrl|negctrl|inv|pow|U|gphase|h|cx|rz|q|c|pi|tau|euler|π|sin|sqrt'.split(
    '|',
  ),
  ...'box|delay|stretch|extern|cal|defcal|defcalgrammar|pragma|@|#pragma|switch|case|default'.split(
    '|',
  ),
  ...'; , . ( ) [ ] { } + - * / ** % << >> & | ^ ~ ! && || == != <= >= -> = += : @'.split(' '),
  ...[
    '0',
    '1',
    '2',
    '3',
    '-1',
    '0.5',
    '1e308',
    '1e999',
    '9007199254740993',
    '0b101',
    '0xff',
    '1ns',
  ],
  ...['//', '/*', '*/', '"', "'", '\\', '\0', '$0', '#', 'é', '[0:2]', '{0,1}', '10:-1:0'],
];

/** A program, or any text, with some of its tokens changed. */
function mutatedProgram(text: string, random: RandomStream): string {
  let tokens: readonly string[] = text.match(TOKEN) ?? [];
  for (let i = 1 + random.below(3); i > 0; i--) {
    const at = random.below(tokens.length + 1);
    const token = tokens[at] ?? ';';
    const times = random.below(200) === 0 ? 3000 : random.pick([2, 3, 30]);
    switch (random.below(6)) {
      case 0:
        tokens = tokens.toSpliced(at, 1);
        break;
      case 1:
        tokens = tokens.toSpliced(at, 1, random.pick(VOCABULARY));
        break;
      case 2:
        tokens = tokens.toSpliced(at, 0, random.pick(VOCABULARY), ' ');
        break;
      case 3:
        tokens = tokens.toSpliced(at, 1, ...Array<string>(times).fill(token));
        break;
      case 4: {
        const other = random.below(tokens.length + 1);
        const swapped = tokens.toSpliced(at, 1, tokens[other] ?? '');
        tokens = swapped.toSpliced(other, 1, token);
        break;
      }
      default: {
        // Repeats a run of tokens.
        const run = tokens.slice(at, at + 1 + random.below(12));
        tokens = tokens.toSpliced(at, 0, ...Array<readonly string[]>(times).fill(run).flat());
      }
    }
  }
  return tokens.join('');
}

const BROKEN_UTF8 = [
  '80',
  'c0af',
  'ff',
  'fe',
  'eda080',
  'f4908080',
  'e282',
  'f09f98',
  'efbbbf',
].map((hex) => Buffer.from(hex, 'hex'));
const SYNTAX = ['{', '}', '[', ']', ',', ':', '"', '\\', '\\u', '/*', '//', "'", 'null', '1', '\n'];

/** A text with bytes flipped, cut, doubled or inserted, or invalid as UTF-8. */
export function mutatedBytes(text: string, random: RandomStream): Buffer {
  let bytes = Buffer.from(text);
  for (let i = 1 + random.below(3); i > 0; i--) {
    const at = random.below(bytes.length + 1);
    const end = Math.min(bytes.length, at + 1 + random.below(20));
    const [before, some, after] = [
      bytes.subarray(0, at),
      bytes.subarray(at, end),
      bytes.subarray(end),
    ];
    switch (random.below(6)) {
      case 0: {
        bytes = Buffer.from(bytes);
        if (at < bytes.length) bytes[at] = bytes[at]! ^ (1 << random.below(8));
        break;
      }
      case 1:
        bytes = Buffer.concat([before, after]);
        break;
      case 2:
        bytes = Buffer.concat([before, some, some, after]);
        break;
      case 3:
        bytes = Buffer.concat([before, random.pick(BROKEN_UTF8), some, after]);
        break;
      case 4:
        bytes = Buffer.concat([before, Buffer.from(random.pick(SYNTAX)), some, after]);
        break;
      default:
        bytes = Buffer.from(before);
    }
  }
  return bytes;
}

function visitStrings(value: Json, visit: (text: string) => void): void {
  mapStrings(value, (text) => {
    visit(text);
    return text;
  });
}

/** The value with all longer strings, except keys, passed through a function. */
function mapStrings(value: Json, map: (text: string) => string): Json {
  if (typeof value === 'string') return value.length > 3 ? map(value) : value;
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, map));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value satisfies object as JsonObject);
  return Object.fromEntries(entries.map(([key, each]) => [key, mapStrings(each, map)]));
}
