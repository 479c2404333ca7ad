/** `qcs --help` should not wait for code that it does not need. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';

const SRC = new URL('../../../src/', import.meta.url);

/** The files and packages that a module loads before its first line runs. */
function loadedBy(entry: string): ReadonlySet<string> {
  const seen = new Set([entry]);
  for (const path of seen) {
    if (!path.endsWith('.ts')) continue;
    const source = readFileSync(new URL(path, SRC), 'utf8');
    for (const [, name = ''] of source.matchAll(
      /^(?:import (?!type\b)|export [{*])[^;]*?'([^']+)';/gm,
    )) {
      seen.add(name.startsWith('.') ? posix.join(posix.dirname(path), name) : name);
    }
  }
  return seen;
}

test('the walk finds what a module loads, also through others, but no types and nothing later', () => {
  const loaded = loadedBy('cli/show-devices.ts');
  expect(loaded).toContain('compose.ts');
  expect(loaded).toContain('fastify');
  expect(loaded).toContain('cli/command-io.ts');
  expect(loaded).not.toContain('engine/webgpu/tuning/tuning.ts');
  expect(loadedBy('cli/devices.ts')).not.toContain('cli/show-devices.ts');
});

test('the command line starts with commander alone, without the service, its engines and schemas', () => {
  const loaded = [...loadedBy('cli.ts')];
  const packages = loaded.filter((name) => !name.endsWith('.ts') && !name.startsWith('node:'));
  expect(packages).toEqual(['commander']);
  expect(loaded).toContain('cli/capacity.ts');
  const heavy =
    /^(?:compose|config|main|(?:engine|fleet\/(?!capacity)|jobs|storage|compiler)\/.*)\.ts$/;
  expect(loaded.filter((name) => heavy.test(name))).toEqual([]);
});
