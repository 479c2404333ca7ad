/**
 * The module of a thread or process that tests start many times, as one file: it starts in a third of the processor
 * time that loading its modules one by one takes.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, '.vitest/bundled');
/** Folders of what is bundled. */
const SOURCES = ['src', 'test/support'];

/**
 * Bundles a module with what it imports from here, unless there is a bundle that is newer than all sources. Modules that it
 * loads by their address are not found.
 *
 * @returns Where it is.
 */
export async function bundled(entry: URL): Promise<URL> {
  const path = fileURLToPath(entry);
  const file = join(FOLDER, `${basename(path, '.ts')}.mjs`);
  if (!existsSync(file) || statSync(file).mtimeMs < newestChange()) {
    const code = await bundleOf(path);
    mkdirSync(FOLDER, { recursive: true });
    // Another worker may do the same, or read it.
    const apart = `${file}.${process.pid}`;
    writeFileSync(apart, code);
    renameSync(apart, file);
  }
  return pathToFileURL(file);
}

/** When a source was changed last, ms since 1970. */
function newestChange(): number {
  return SOURCES.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => statSync(join(ROOT, folder, name)).mtimeMs),
  ).reduce((newest, each) => Math.max(newest, each), 0);
}

async function bundleOf(path: string): Promise<string> {
  // Loading it takes as long as bundling.
  const { build } = await import('vite');
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: path,
      write: false,
      target: 'esnext',
      minify: false,
      rolldownOptions: { checks: { pluginTimings: false }, output: { codeSplitting: false } },
    },
  });
  if (!('output' in built) || built.output.length !== 1) {
    throw new Error(`${path} is more than one file.`);
  }
  return built.output[0].code;
}
