// @needs processes
/** The build's page in the npm package, compared with the one that a checkout serves. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageFiles } from '../../../src/service/page/page-files.ts';

const root = join(import.meta.dirname, '../../..');

describe('the page of the npm package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'qcs-page-test-'));
  beforeAll(() => {
    const bin = join(root, 'node_modules/.bin');
    const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` };
    execFileSync(process.execPath, ['scripts/build-page.ts', folder], { cwd: root, env });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('has every file that a checkout serves, and the HTML', async () => {
    const { files } = await pageFiles();
    expect(readdirSync(folder).sort()).toEqual([...files.keys(), 'index.html'].sort());
  });

  test('has modules that import modules', () => {
    const modules = readdirSync(folder).filter((name) => name.endsWith('.js'));
    const imports = modules.flatMap((name) => [
      ...readFileSync(join(folder, name), 'utf8').matchAll(/from '\.\/([^']+)'/g),
    ]);
    expect(imports.length).toBeGreaterThan(20);
    for (const [, name] of imports) expect(modules).toContain(name);
  });

  test('has styles and HTML as they are', async () => {
    const { files, template } = await pageFiles();
    expect(readFileSync(join(folder, 'index.html'), 'utf8')).toBe(template);
    expect(readFileSync(join(folder, 'page.css'), 'utf8')).toBe(files.get('page.css')?.text);
  });
});
