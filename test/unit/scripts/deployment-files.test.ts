/** What the sources read at run time is in the image, in the package and in the offline bundle. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadConfig, SETTINGS } from '../../../src/config.ts';

/** Folders at the top level that a file below src/ reaches by its own address. */
function foldersReadAtRunTime(): readonly string[] {
  const found = new Set<string>();
  for (const path of globSync('src/**/*.ts')) {
    const depth = path.split('/').length - 1;
    const source = readFileSync(path, 'utf8');
    for (const [, name = ''] of source.matchAll(
      /new URL\(\s*['"`]([^'"`]+)['"`],\s*import\.meta/g,
    )) {
      const [, ups = '', folder] = /^((?:\.\.\/)+)([\w-]+)\//.exec(name) ?? [];
      if (folder !== undefined && ups.length / 3 === depth) found.add(folder);
    }
  }
  return [...found].sort();
}

test('the model, the shaders, the guides and the examples are what is read', () => {
  expect(foldersReadAtRunTime()).toEqual(['docs', 'examples', 'models', 'shaders']);
});

test.each([
  ['the image', 'Dockerfile', (folder: string) => `COPY ${folder} ${folder}\n`],
  ['the image for GPUs', 'Dockerfile.gpu', (folder: string) => `COPY ${folder} ${folder}\n`],
  ['what the image may be made of', '.dockerignore', (folder: string) => `!${folder}\n`],
  ['the package', 'package.json', (folder: string) => `"${folder}",`],
  ['the bundle', 'scripts/stage-bundle.ts', (folder: string) => `'${folder}',`],
])('%s holds it', (_, file, words) => {
  const text = readFileSync(file, 'utf8');
  for (const folder of foldersReadAtRunTime()) expect(text).toContain(words(folder));
});

test.each(['Dockerfile', 'Dockerfile.gpu'])('%s is made of files that may be in it', (file) => {
  const dockerfile = readFileSync(file, 'utf8');
  const allowed = readFileSync('.dockerignore', 'utf8').split('\n');
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  expect(copied).toContain('src');
  for (const name of copied) {
    expect([name, existsSync(name)]).toEqual([name, true]);
    const [folder = ''] = name.split('/');
    const isAllowed = allowed.includes(`!${name}`) || allowed.includes(`!${folder}`);
    expect([name, isAllowed || allowed.some((line) => line.startsWith(`!${name}`))]).toEqual([
      name,
      true,
    ]);
  }
});

test.each(['Dockerfile', 'Dockerfile.gpu', 'docs/deployment.md'])(
  '%s names settings that there are',
  (file) => {
    const named = [...readFileSync(file, 'utf8').matchAll(/\bQCS_[A-Z_]+\b/g)].map(
      ([name]) => name,
    );
    expect(named.length).toBeGreaterThan(1);
    for (const name of named) expect([...Object.keys(SETTINGS), 'QCS_API_KEY']).toContain(name);
  },
);

/** Blocks of code of the guide, in the order in which they stand there. */
function blocksOf(language: string): readonly string[] {
  const guide = readFileSync('docs/deployment.md', 'utf8');
  return [...guide.matchAll(/```(\w*)\n([\s\S]*?)```/g)]
    .filter(([, of]) => of === language)
    .map(([, , text = '']) => text);
}

test('the systemd unit waits longer than circuits are given to finish', () => {
  const [unit = ''] = blocksOf('ini');
  const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
  expect(seconds).toBeGreaterThan(loadConfig({}).shutdownGraceMs / 1000);
  expect(unit).toMatch(/^ExecStart=\S+\/qcs serve$/m);
  expect(unit).not.toMatch(/^MemoryDenyWriteExecute/m);
});

test('nginx tells the service who the client is, and takes bodies as large as the service does', () => {
  const [nginx = ''] = blocksOf('nginx');
  expect(nginx).toContain('proxy_set_header X-Forwarded-For $remote_addr;');
  const mib = Number(/client_max_body_size (\d+)m;/.exec(nginx)?.[1]);
  expect(mib * 2 ** 20).toBeGreaterThan(loadConfig({}).bodyLimitBytes);
});
