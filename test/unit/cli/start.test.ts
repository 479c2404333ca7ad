/** `qcs --help` and `qcs run` should not wait for code that they do not need. */
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

/** Of what was loaded, the packages. */
function packagesOf(loaded: ReadonlySet<string>): readonly string[] {
  return [...loaded].filter((name) => !name.endsWith('.ts') && !name.startsWith('node:')).sort();
}

test('the walk finds what a module loads, also through others, but no types and nothing later', () => {
  const loaded = loadedBy('compose.ts');
  expect(loaded).toContain('fastify');
  expect(loaded).toContain('service/app.ts');
  expect(loaded).not.toContain('fleet/fleet.ts');
  expect(loadedBy('cli/program.ts')).not.toContain('cli/show-devices.ts');
});

test('the command line starts with commander alone, without the service, its engines and schemas', () => {
  const loaded = loadedBy('cli/program.ts');
  expect(packagesOf(loaded)).toEqual(['commander']);
  expect(loaded).toContain('cli/circuit-commands.ts');
  const heavy =
    /^(?:compose|config|main|(?:engine|fleet\/(?!capacity)|jobs|storage|compiler)\/.*)\.ts$/;
  expect([...loaded].filter((name) => heavy.test(name))).toEqual([]);
});

test.each(['cli/run-circuit.ts', 'cli/compile-file.ts'])(
  '%s loads one engine, without the service around it, a fleet, a database or adapters',
  (entry) => {
    const loaded = loadedBy(entry);
    // The job ids of a schema are made with uuidv7.
    expect(packagesOf(loaded)).toEqual(['uuidv7', 'zod']);
    expect(loaded).not.toContain('node:sqlite');
    const heavy =
      /^(?:compose|main|service\/app|fleet\/fleet|(?:engine\/webgpu|fleet\/adapters|storage|workloads\/models|service\/routes)\/.*)\.ts$/;
    expect([...loaded].filter((name) => heavy.test(name))).toEqual([]);
  },
);
