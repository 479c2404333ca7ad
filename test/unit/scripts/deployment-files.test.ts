/** What the sources read at run time is in the image, in the package and in the offline bundle. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

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
  ['the image', 'Dockerfile.gpu', (folder: string) => `COPY ${folder} ${folder}\n`],
  ['what the image may be made of', '.dockerignore', (folder: string) => `!${folder}\n`],
  ['the package', 'package.json', (folder: string) => `"${folder}",`],
  ['the bundle', 'scripts/stage-bundle.ts', (folder: string) => `'${folder}',`],
])('%s holds it', (_, file, words) => {
  const text = readFileSync(file, 'utf8');
  for (const folder of foldersReadAtRunTime()) expect(text).toContain(words(folder));
});
