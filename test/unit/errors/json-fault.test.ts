import { expect, test } from 'vitest';
import { jsonFault } from '../../../src/errors/json-fault.ts';

test.each([
  ['{"shots":1,}', 'line 1, column 11: there is a comma before "}"; leave it out.'],
  ['[1,\n 2,\n]', 'line 2, column 3: there is a comma before "]"; leave it out.'],
  ['[1,\r 2,\r\n]', 'line 2, column 3: there is a comma before "]"; leave it out.'],
  ['{"a":[1,2}', 'line 1, column 10: "}" stands where "]" belongs.'],
  ["{'a':1}", 'line 1, column 2: names are in double quotation marks, not in single ones.'],
  ["[1,'a']", 'line 1, column 4: strings are in double quotation marks, not in single ones.'],
  ['{a:1}', 'line 1, column 2: write "a" in double quotation marks.'],
  ['{"a" 1}', 'line 1, column 6: a colon is missing after the name.'],
  ['{"a":1 "b":2}', 'line 1, column 8: a comma is missing before this.'],
  ['{"a":True}', 'line 1, column 6: JSON has no True; write true.'],
  ['{"a":None}', 'line 1, column 6: JSON has no None; write null.'],
  [
    '{"a":NaN}',
    'line 1, column 6: NaN is not a JSON value; a string is in double quotation marks.',
  ],
  [
    '{"theta":pi/2}',
    `line 1, column 10: JSON has no expressions; write pi/2 as a number in radians, ${Math.PI / 2}.`,
  ],
  ['{"a":.5}', 'line 1, column 6: .5 is not a JSON number; write it as 0.5, -2 or 1e-3.'],
  ['{"a":05}', 'line 1, column 6: 05 is not a JSON number; write it as 0.5, -2 or 1e-3.'],
  ['{"a":1', 'line 1, column 7: the text ends before "}".'],
  ['{"a":"b\n"}', 'line 1, column 6: this string is not closed with a quotation mark on its line.'],
  [
    '{"a":"\\x"}',
    'line 1, column 6: this string has a character that must be written with a backslash.',
  ],
  [
    '{"a":1} // done',
    'line 1, column 9: there is more after the end of the JSON value; leave it out.',
  ],
  ['{"a":1, // one\n"b":2}', 'line 1, column 9: JSON has no comments; leave it out.'],
  ['  ', 'line 1, column 3: there is nothing; send a JSON object.'],
])('%j: %s', (text, message) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(jsonFault(text)).toBe(message);
});

test('reads strings of megabytes', () => {
  const text = `{"qasm":"${'\\n\u007f'.repeat(1e6)}",}`;
  expect(jsonFault(text)).toContain('there is a comma before "}"');
});

test('describes the fault of every text that JSON.parse refuses', () => {
  const good = JSON.stringify({ a: [1, -2.5e3, true, null, { 'b"\\': 'c\n' }], d: {} });
  for (let i = 0; i < good.length; i++) {
    for (const spoilt of [
      good.slice(0, i),
      good.slice(0, i) + good.slice(i + 1),
      ...["'", ',', '}', ']', 'x', '"', '\\', '/', '\u0001'].map(
        (inserted) => good.slice(0, i) + inserted + good.slice(i),
      ),
    ]) {
      try {
        JSON.parse(spoilt);
      } catch {
        expect(jsonFault(spoilt)).toMatch(/^line 1, column \d+: .+\.$/);
      }
    }
  }
});
