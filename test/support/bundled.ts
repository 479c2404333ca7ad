/**
 * The module of a thread or process that tests start many times, as one file: it starts in a third of the processor
 * time that loading its modules one by one takes.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const FOLDER = resolve(import.meta.dirname, '../../.vitest/bundled');

/**
 * Bundles a module with what it imports from here; modules by their address in it are not found.
 *
 * @returns Where it is. Each worker of vitest writes it anew.
 */
export async function bundled(entry: URL): Promise<URL> {
  const path = fileURLToPath(entry);
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: path,
      write: false,
      target: 'esnext',
      minify: false,
      rolldownOptions: { checks: { pluginTimings: false } },
    },
  });
  if (!('output' in built) || built.output.length !== 1) {
    throw new Error(`${path} is more than one file.`);
  }
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `${basename(path, '.ts')}.mjs`);
  // Another worker may read it.
  const apart = `${file}.${process.pid}`;
  writeFileSync(apart, built.output[0].code);
  renameSync(apart, file);
  return pathToFileURL(file);
}
