// @needs processes
/** The client as the npm package has it: its types, its modules, and what they need. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/service-process.ts';

const root = join(import.meta.dirname, '../../..');
const tsc = join(root, 'node_modules/.bin/tsc');

const PROGRAM = `
import { ConnectionError, QcsClient } from 'quantum-compute-service/client';
const client = new QcsClient({ baseUrl: 'http://127.0.0.1:1', retry: { maxRetries: 0 } });
const submission = { circuit: [{ gate: 'H', qubit: 0 }], target_processor: 'qvm', shots: 1 };
try {
  const { counts } = await client.circuits.run(submission);
  counts satisfies Readonly<Record<string, number>> | undefined;
  // @ts-expect-error: it is not text
  counts satisfies string;
} catch (error) {
  console.log(error instanceof ConnectionError);
}
`;

describe('a project that has the package', () => {
  const project = temporaryFolder();
  const dist = join(project.path, 'node_modules/quantum-compute-service/dist');

  beforeAll(() => {
    mkdirSync(dist, { recursive: true });
    cpSync(join(root, 'package.json'), join(dist, '../package.json'));
    // The package's modules are compiled with these options; those of the client need no others.
    const typeRoots = ['node_modules/@types', 'node_modules'].map((path) => join(root, path));
    const build = {
      extends: join(root, 'tsconfig.build.json'),
      compilerOptions: { outDir: dist, typeRoots },
      include: [join(root, 'src/client')],
      exclude: [],
    };
    writeFileSync(join(project.path, 'build.json'), JSON.stringify(build));
    execFileSync(tsc, ['-p', join(project.path, 'build.json')], { cwd: root });
    const types = ['-p', 'src/client/tsconfig.build.json', '--outDir', join(dist, 'client')];
    execFileSync(tsc, types, { cwd: root });
    writeFileSync(join(project.path, 'package.json'), '{"type":"module"}');
    writeFileSync(join(project.path, 'program.ts'), PROGRAM);
  });
  afterAll(() => project[Symbol.dispose]());

  test.each([
    ['Node', 'nodenext', 'nodenext'],
    ['a bundler', 'esnext', 'bundler'],
  ])('has its types as %s finds modules', (_, module, moduleResolution) => {
    const options = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom'];
    const found = ['--types', '', '--module', module, '--moduleResolution', moduleResolution];
    execFileSync(tsc, [...options, ...found, 'program.ts'], { cwd: project.path });
  });

  test('runs it in Node', () => {
    const output = execFileSync(process.execPath, ['program.ts'], { cwd: project.path });
    expect(String(output)).toBe('true\n');
  });

  test('finds nothing in it that a browser lacks', () => {
    const modules = readdirSync(join(dist, 'client')).filter((name) => name.endsWith('.js'));
    expect(modules).toContain('client.js');
    for (const module of modules) {
      const text = readFileSync(join(dist, 'client', module), 'utf8');
      const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
        ([, name]) => name,
      );
      expect(imports.filter((name) => !/^\.\/[\w-]+\.js$/.test(name ?? ''))).toEqual([]);
      expect(text).not.toMatch(/\b(Buffer|process|require|setImmediate)\b[.(]/);
    }
  });
});
