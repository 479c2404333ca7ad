/** The choice of the test files that run with a seeded fault. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { dependantsIn, relatedTests } from '../../seeded-faults/related-tests.ts';
import { seed } from '../../seeded-faults/seeded-fault.ts';
import { temporaryFolder } from '../../support/service-process.ts';

function treeOf(files: Readonly<Record<string, string>>) {
  const tree = temporaryFolder();
  for (const name of [
    'src',
    'shaders',
    'assembly',
    'test',
    'scripts',
    'bin',
    'bench',
    'examples',
  ]) {
    mkdirSync(join(tree.path, name));
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree.path, path)), { recursive: true });
    writeFileSync(join(tree.path, path), text);
  }
  return tree;
}

const FILES = {
  'src/a.ts': 'export const a = 1;',
  'src/b.ts': "import { a } from './a.ts';",
  'src/main.ts': "import './b.ts';",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
  'src/engine/webgpu/kernels.ts': "pipeline(['lib/sum', `states_${count}`]);",
  'src/console/page.tsx': '',
  'src/console/main.tsx': "import './page.tsx';",
  'src/service/page.ts': "new URL('../console/built/', import.meta.url);",
  'shaders/lib/sum.wgsl': '',
  'shaders/states_4.wgsl': '',
  'test/near.test.ts': "import '../src/a.ts';",
  'test/far.test.ts': "import '../src/b.ts';",
  'test/process.test.ts': "execFile(node, ['src/main.ts']);",
  'test/gpu.test.ts': "import '../src/engine/webgpu/kernels.ts';",
  'test/page.test.ts': "import '../src/service/page.ts';",
};

test.each([
  ['a module', 'src/a.ts', ['test/near.test.ts', 'test/far.test.ts', 'test/process.test.ts']],
  ['a shader of a list', 'shaders/lib/sum.wgsl', ['test/gpu.test.ts']],
  ['a shader whose name ends in a number', 'shaders/states_4.wgsl', ['test/gpu.test.ts']],
  ['a component of the built page', 'src/console/page.tsx', ['test/page.test.ts']],
])('tests of %s are found, the nearest first', (_, source, found) => {
  using tree = treeOf(FILES);
  expect(relatedTests(source, dependantsIn(tree.path), () => 0)).toEqual(found);
});

test('of tests that are equally near, those of the lower rank come first', () => {
  using tree = treeOf({
    'src/a.ts': '',
    'test/a.test.ts': "import '../src/a.ts';",
    'test/b.test.ts': "import '../src/a.ts';",
  });
  const rankOf = (file: string) => (file === 'test/a.test.ts' ? 1 : 0);
  const found = relatedTests('src/a.ts', dependantsIn(tree.path), rankOf);
  expect(found).toEqual(['test/b.test.ts', 'test/a.test.ts']);
});

test('a fault whose text does not stand once in its file is refused', () => {
  using tree = treeOf({ 'src/a.ts': 'one two two' });
  const fault = { name: 'a fault', file: 'src/a.ts', to: '' };
  expect(() => seed({ ...fault, from: 'two' }, tree.path)).toThrow('src/a.ts has not once: two');
  expect(() => seed({ ...fault, from: 'six' }, tree.path)).toThrow('src/a.ts has not once: six');
});
