/**
 * What runs in a browser uses nothing that only Node has. The walk over imports proves itself on
 * seeded files before it is trusted with the tree.
 */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';

const SRC = new URL('../../src/', import.meta.url);

/** Gives a file's text by its path. */
type Read = (path: string) => string;

/** Modules and globals that an entry needs beside the project's own files, each with the file that names it. */
function foreignNeeds(entry: string, read: Read): readonly string[] {
  const found: string[] = [];
  const seen = new Set([entry]);
  for (const path of seen) {
    const code = withoutComments(read(path));
    for (const [name] of code.matchAll(NODE_GLOBALS)) found.push(`${path} → ${name}`);
    for (const name of importsOf(code)) {
      // Styles and pictures import nothing.
      if (/\.(?:css|svg)$/.test(name) && name.startsWith('.')) continue;
      if (name.startsWith('.')) seen.add(posix.join(posix.dirname(path), name));
      else found.push(`${path} → ${name}`);
    }
  }
  return found;
}

const withoutComments = (source: string): string =>
  source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');

/** The modules that a file loads: what it takes only types from is gone when it runs. */
function importsOf(code: string): readonly string[] {
  const typesOnly = /\b(?:import|export)\s+type\b[^;'"]*from\s*['"][^'"]+['"]/g;
  const imports = code
    .replace(typesOnly, '')
    .matchAll(/\b(?:from|import|require)\s*\(?\s*['"]([^'"]+)['"]/g);
  // Text that has the word from before a quote is no import.
  return [...imports]
    .map(([, name = '']) => name)
    .filter((name) => /^[@.\w][\w./:@-]*$/.test(name));
}

/** Uses of names that Node has without an import. `typeof` and properties of other objects do not match. */
const NODE_GLOBALS =
  /(?<![.\w])(?:Buffer\.\w+|process\.(?:arch|argv|cwd|emitWarning|env|exec\w+|exit|hrtime|memoryUsage|nextTick|on|once|pid|platform|std\w+|uptime|versions?)\b|__dirname|__filename)/g;

/** Packages for browsers that the console's build has in it. */
const BUNDLED =
  /^(?:preact(?:\/hooks)?|@preact\/signals|uplot(?:\/.*\.css)?|@codemirror\/\w+|@lezer\/highlight|zod)$/;

const readSource: Read = (path) => readFileSync(new URL(path, SRC), 'utf8');

describe('a browser can load', () => {
  test.each([
    ['the WebGPU engine', 'engine/webgpu/webgpu-engine.ts'],
    ['what opens a device for it', 'engine/webgpu/gpu-target.ts'],
    ['the compiler', 'compiler/compile.ts'],
  ])('%s', (_, entry) => {
    expect(foreignNeeds(entry, readSource)).toEqual([]);
  });

  test.each([
    ['the console with all its pages', 'console/main.tsx'],
    ['the worker of the live state', 'console/live-state/state-worker.ts'],
  ])('%s, with packages that are bundled', (_, entry) => {
    const needs = foreignNeeds(entry, readSource).map((need) => need.split(' → '));
    const others = needs.filter(([path, name = '']) => {
      // The console shows programs, which read their environment and load the client.
      const isShown = path === 'console/shell/api-call.ts';
      return !BUNDLED.test(name) && !isShown;
    });
    expect(others).toEqual([]);
  });
});

describe('the walk finds', () => {
  const files = new Map([
    ['a/near.ts', "import { readFileSync } from 'node:fs';"],
    ['a/bare.ts', "import { join } from 'path';"],
    ['a/package.ts', "import { create } from 'webgpu';"],
    ['a/late.ts', "const { Worker } = await import('node:worker_threads');"],
    ['a/effects.ts', "import 'node:fs';"],
    ['a/passed-on.ts', "export {\n  join,\n} from 'node:path';"],
    ['a/mixed.ts', "import type { A } from './none.ts';\nimport { b } from 'node:fs';"],
    ['a/far.ts', "import { c } from '../b/middle.ts';"],
    ['b/middle.ts', "export { d } from './circle.ts';\nimport { e } from '../a/near.ts';"],
    ['b/circle.ts', "import { f } from './middle.ts';"],
    ['a/global.ts', "const key = Buffer.from(bytes).toString('latin1');"],
    ['a/types.ts', "import type { PathLike } from 'node:fs';\nexport type { A } from 'webgpu';"],
    ['a/words.ts', "// import { b } from 'node:fs';\n/** from 'node:fs' */\nconst a = 1;"],
  ]);
  const walk = (entry: string) => foreignNeeds(entry, (path) => files.get(path) ?? '');

  test.each([
    ['a Node module', 'a/near.ts', 'a/near.ts → node:fs'],
    ['a Node module by its bare name', 'a/bare.ts', 'a/bare.ts → path'],
    ['a package', 'a/package.ts', 'a/package.ts → webgpu'],
    ['a dynamic import', 'a/late.ts', 'a/late.ts → node:worker_threads'],
    ['an import for its effects', 'a/effects.ts', 'a/effects.ts → node:fs'],
    ['a re-export', 'a/passed-on.ts', 'a/passed-on.ts → node:path'],
    ['an import beside one of types', 'a/mixed.ts', 'a/mixed.ts → node:fs'],
    ['a global of Node', 'a/global.ts', 'a/global.ts → Buffer.from'],
    ['one several files away, past a circle', 'a/far.ts', 'a/near.ts → node:fs'],
  ])('%s', (_, entry, expected) => {
    expect(walk(entry)).toEqual([expected]);
  });

  test.each(['a/types.ts', 'a/words.ts'])('nothing in %s, which loads nothing', (entry) => {
    expect(walk(entry)).toEqual([]);
  });
});
