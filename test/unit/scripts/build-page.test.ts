// @needs processes
/** The build of the console into a folder of its own. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageFiles } from '../../../src/service/documents/console-page.ts';

const root = join(import.meta.dirname, '../../..');

describe('the build of the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'qcs-page-test-'));
  const output = join(folder, 'console/built');
  const build = (...options: readonly string[]) =>
    execFileSync(process.execPath, ['scripts/build-page.ts', output, ...options], { cwd: root });
  beforeAll(() => {
    mkdirSync(join(folder, 'console'));
    build();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('has the files that a checkout serves', async () => {
    const { template, files } = await pageFiles();
    expect(readFileSync(join(output, 'index.html'), 'utf8')).toBe(template);
    const names = readdirSync(join(output, 'assets')).map((name) => `assets/${name}`);
    expect(names.filter((name) => !/\.(?:br|gz)$/.test(name)).sort()).toEqual([...files.keys()]);
    for (const [name, { body }] of files) {
      const plain = readFileSync(join(output, name));
      expect(plain).toEqual(body.plain);
      if (!names.includes(`${name}.br`)) continue;
      expect(brotliDecompressSync(await body.compressed('br')).equals(plain)).toBe(true);
      expect(gunzipSync(await body.compressed('gzip')).equals(plain)).toBe(true);
    }
    expect(names.filter((name) => name.endsWith('.br')).length).toBeGreaterThan(20);
  });

  test('leaves nothing else behind', () => {
    expect(readdirSync(join(folder, 'console'))).toEqual(['built']);
  });

  test('is not made again while no source is newer', () => {
    const page = join(output, 'index.html');
    const before = statSync(page).mtimeMs;
    build('--if-stale');
    expect(statSync(page).mtimeMs).toBe(before);
    build();
    expect(statSync(page).mtimeMs).toBeGreaterThan(before);
  });
});
