/** `qcs train`, as far as it does not train. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runQcs } from '../support/command-line.ts';
import { temporaryFolder } from '../support/service-process.ts';

const train = (...args: readonly string[]) => runQcs(['train', ...args]);

test('train --help names the models and the options', async () => {
  const { code, stdout } = await train('--help');
  expect(code).toBe(0);
  for (const word of ['Usage: qcs train', 'qnn-hybrid', '--out', '--check', '--json']) {
    expect(stdout).toContain(word);
  }
});

test.each([
  ['another model', ['nonsense'], 'qnn-hybrid'],
  ['no model', [], "'model'"],
  ['an unknown option', ['qnn-hybrid', '--fast'], '--fast'],
])('%s is wrong usage, and stderr says what would be right', async (_, args, text) => {
  const ended = await train(...args);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain(text);
});

test('train --check fails at once for a damaged file, and for one that is not there', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'model.json');
  expect(await train('qnn-hybrid', '--check', '--out', file)).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining(file),
  });
  writeFileSync(file, '{"format": 1');
  expect(await train('qnn-hybrid', '--check', '--out', file)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('cannot be used'),
  });
});
