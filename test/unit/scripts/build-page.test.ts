// @needs processes
/** The build's page in the npm package, compared with the one that a checkout serves. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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
    const built = readdirSync(join(folder, 'console'));
    const own = [...files.keys()].filter((name) => !name.startsWith('client/'));
    expect(built.sort()).toEqual([...own, 'index.html'].sort());
    for (const name of files.keys()) {
      const path = name.startsWith('client/') ? name : `console/${name}`;
      expect([path, existsSync(join(folder, path))]).toEqual([path, true]);
    }
  });

  test('has modules that import modules', () => {
    const modules = readdirSync(join(folder, 'console')).filter((name) => name.endsWith('.js'));
    const imports = modules.flatMap((name) => [
      ...readFileSync(join(folder, 'console', name), 'utf8').matchAll(/from '([^']+)'/g),
    ]);
    expect(imports.length).toBeGreaterThan(20);
    for (const [, name = ''] of imports) {
      expect([name, existsSync(join(folder, 'console', name))]).toEqual([name, true]);
    }
  });

  test('has styles and HTML as they are', async () => {
    const { files, template } = await pageFiles();
    expect(readFileSync(join(folder, 'console/index.html'), 'utf8')).toBe(template);
    expect(readFileSync(join(folder, 'console/page.css'), 'utf8')).toBe(
      files.get('page.css')?.text,
    );
  });
});
