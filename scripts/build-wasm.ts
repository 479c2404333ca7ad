/**
 * Builds *.wasm from assembly/, for each precision with relaxed SIMD and without, for stabilizer runs, and for matching,
 * into the given folder or else the one where the sources look for them. With `--if-stale` only if a source is newer than
 * a build. Each file is written elsewhere and then renamed, so that a concurrent reader or builder always sees a whole
 * file.
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import asc from 'assemblyscript/asc';

const SOURCES = 'assembly';

const { values, positionals } = parseArgs({
  options: { 'if-stale': { type: 'boolean', default: false } },
  allowPositionals: true,
});
const output = positionals[0] ?? 'src/engine/cpu/wasm';

/** The threads of an engine share its memory. */
const SHARED = ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65536'];

const BUILDS = [
  ...['f32', 'f64'].flatMap((precision) => {
    const options = [...SHARED, '--use', `real=${precision}`];
    return [
      { name: precision, entry: 'index.ts', options },
      {
        name: `${precision}-relaxed`,
        entry: 'index.ts',
        options: [...options, '--enable', 'relaxed-simd'],
      },
    ];
  }),
  { name: 'stabilizer', entry: 'stabilizer.ts', options: [] },
  { name: 'matching', entry: 'matching.ts', options: [] },
];

const OPTIONS = [
  ['--enable', 'simd', '--importMemory'],
  // WebAssembly allocates nothing: the host manages all memory.
  ['--runtime', 'stub', '--noAssert'],
  ['-O3', '--converge'],
].flat();

function isStale(): boolean {
  try {
    const builtAt = Math.min(...BUILDS.map(({ name }) => statSync(outputOf(name)).mtimeMs));
    return readdirSync(SOURCES).some((file) => statSync(join(SOURCES, file)).mtimeMs > builtAt);
  } catch {
    return true;
  }
}

function outputOf(name: string): string {
  return join(output, `${name}.wasm`);
}

async function build(): Promise<void> {
  mkdirSync(output, { recursive: true });
  const apart = mkdtempSync(join(output, 'build-'));
  try {
    for (const { name, entry, options } of BUILDS) {
      const built = join(apart, `${name}.wasm`);
      const source = join(SOURCES, entry);
      const { error, stderr } = await asc.main([source, ...OPTIONS, ...options, '-o', built]);
      if (error !== null) throw new Error(`${name}: ${error.message}\n${stderr.toString()}`);
      renameSync(built, outputOf(name));
    }
  } finally {
    rmSync(apart, { recursive: true });
  }
}

if (!values['if-stale'] || isStale()) await build();
