/**
 * Builds the console, the page at `/`, with Vite: its modules and styles, minified and named by their content, into
 * src/console/built or the given folder, with compressed forms of them. With `--if-stale` only if a source is newer than the build. The build is made
 * elsewhere and then renamed, so that a concurrent reader or builder always sees a whole one.
 */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'vite';
import { ENDINGS, mediaTypeOf } from '../src/service/documents/console-page.ts';
import { compressedFile, ENCODINGS, hasCompressedForms } from '../src/service/http/compression.ts';

// Vite builds for what the environment names, otherwise.
process.env['NODE_ENV'] = 'production';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src/console');
/** Folders and files that the build depends on. */
const DEPENDS_ON = ['src', 'scripts/build-page.ts', 'package-lock.json'];

const { values, positionals } = parseArgs({
  options: { 'if-stale': { type: 'boolean', default: false } },
  allowPositionals: true,
});
const output = resolve(positionals[0] ?? join(SOURCES, 'built'));

function isStale(): boolean {
  if (!existsSync(join(output, 'index.html'))) return true;
  const builtAt = statSync(join(output, 'index.html')).mtimeMs;
  return DEPENDS_ON.flatMap(filesIn).some((file) => statSync(file).mtimeMs > builtAt);
}

function filesIn(path: string): readonly string[] {
  const whole = join(ROOT, path);
  if (!statSync(whole).isDirectory()) return [whole];
  return readdirSync(whole, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(output))
    .map((entry) => join(entry.parentPath, entry.name));
}

async function buildPage(): Promise<void> {
  const apart = mkdtempSync(join(dirname(output), '.built-'));
  try {
    await build({
      configFile: false,
      root: SOURCES,
      base: '/console/',
      publicDir: false,
      logLevel: 'warn',
      worker: { format: 'es' },
      build: {
        outDir: join(apart, 'new'),
        emptyOutDir: true,
        // The policy of the page allows no data: addresses.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        target: 'es2023',
        manifest: 'manifest.json',
        rolldownOptions: {
          checks: { pluginTimings: false },
          // The script of guides and API reference is another entry.
          input: [join(SOURCES, 'index.html'), join(SOURCES, 'documents/documents.tsx')],
        },
      },
    });
    await compressFiles(join(apart, 'new/assets'));
    if (existsSync(output)) renameSync(output, join(apart, 'old'));
    renameSync(join(apart, 'new'), output);
  } finally {
    rmSync(apart, { recursive: true });
  }
}

/** Writes the compressed forms of files beside them. */
async function compressFiles(folder: string): Promise<void> {
  const writing = readdirSync(folder).flatMap((name) => {
    const plain = readFileSync(join(folder, name));
    if (!hasCompressedForms(plain.length, mediaTypeOf(name))) return [];
    return ENCODINGS.map(async (encoding) =>
      writeFileSync(
        join(folder, `${name}${ENDINGS[encoding]}`),
        await compressedFile(plain, encoding),
      ),
    );
  });
  await Promise.all(writing);
}

if (!values['if-stale'] || isStale()) await buildPage();
