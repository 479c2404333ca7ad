/** The error table and docs/errors.md against the errors that the source has. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generateErrorsDoc } from '../../scripts/errors-document.ts';
import { CodedError } from '../../src/errors/coded-error.ts';
import { presentError } from '../../src/service/http/error-answers.ts';
import { ERROR_TABLE } from '../../src/service/http/error-table.ts';

const root = new URL('../../', import.meta.url);

/** Every code that a class of these files has, found as `readonly code = …` or `extends coded('…'`. */
function codesIn(files: string, exclude: readonly string[] = []): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const path of globSync(files, { cwd: root, exclude })) {
    const text = readFileSync(new URL(path, root), 'utf8');
    const literals = /(?:\bcode = |extends coded\(\s*)'([A-Z_]+)'/g;
    for (const [, literal] of text.matchAll(literals)) codes.add(literal ?? '');
    for (const [, name] of text.matchAll(/\bcode = ([A-Z_]+);/g)) {
      const value = new RegExp(`const ${name} = '([A-Z_]+)'`).exec(text)?.[1];
      codes.add(value ?? `${path}: ${name}`);
    }
  }
  return codes;
}

test('every error class of the source has a row in the table, and every row a class', () => {
  expect(Object.keys(ERROR_TABLE).sort()).toEqual(
    [...codesIn('src/**/*.ts', ['src/client/**'])].sort(),
  );
});

test('docs/clients.md lists every code of the TypeScript client', () => {
  const guide = readFileSync(new URL('docs/clients.md', root), 'utf8');
  const listed = [...guide.matchAll(/^\| `\w+Error`.*?\| (`[^|]+`) \|/gm)].flatMap(
    ([, codes = '']) => codes.split(', '),
  );
  const codes = [...codesIn('src/client/*.ts'), 'HTTP_ERROR'].map((code) => `\`${code}\``);
  expect(listed.toSorted()).toEqual(codes.toSorted());
});

test('codes name their layer and their condition', () => {
  for (const code of Object.keys(ERROR_TABLE)) expect(code).toMatch(/^[A-Z]+(_[A-Z]+)+$/);
});

test('docs/errors.md is what the table gives, and lists every code', () => {
  const committed = readFileSync(new URL('docs/errors.md', root), 'utf8');
  expect(generateErrorsDoc()).toBe(committed);
  for (const code of Object.keys(ERROR_TABLE)) expect(committed).toContain(`\`${code}\``);
});

class LimitError extends CodedError {
  readonly code: string;
  constructor(code: string) {
    super('m', [
      { path: 'a', message: 'x' },
      { path: 'b', message: 'y', code: 'OWN_CODE' },
    ]);
    this.code = code;
  }
}

const FACTS = { method: 'GET', path: '/', contentType: undefined, maxBodyBytes: 1 };

test('a fault keeps its own code, and else bears that of its error', () => {
  expect(presentError(new LimitError('CIRCUIT_INVALID'), FACTS).error).toEqual({
    code: 'BAD_REQUEST',
    status: 400,
    message: 'm',
    details: [
      { path: 'a', message: 'x', code: 'CIRCUIT_INVALID' },
      { path: 'b', message: 'y', code: 'OWN_CODE' },
    ],
  });
});

test('a code without a row answers 500', () => {
  expect(presentError(new LimitError('NO_SUCH_CODE'), FACTS).error.status).toBe(500);
});

test.each([new Error('x'), 'text', undefined, Object.assign(new Error('x'), { statusCode: 502 })])(
  'what is no CodedError answers 500 without details: %s',
  (thrown) => {
    const { error } = presentError(thrown, FACTS);
    expect(error).not.toHaveProperty('details');
    expect(error).toMatchObject({ code: 'INTERNAL_ERROR', status: 500 });
  },
);
