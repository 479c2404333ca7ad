/**
 * Files of the page at `/`: its HTML template, styles and modules. They are in src/console, whose TypeScript
 * is stripped of types here, or in dist/console, where the build has prepared everything.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { sha256 } from '../../math/sha256.ts';
import { keptPromise } from './kept-promise.ts';

/** Body and headers of an answer. */
interface PageFile {
  /** Media type. */
  readonly type: string;
  readonly text: string;
}

export interface PageFiles {
  /**
   * Version of the files, part of their paths; it changes with any file, so browsers may keep files for ever.
   */
  readonly version: string;
  /** HTML with `{{…}}` as placeholders. */
  readonly template: string;
  /** Files by name, without folders; modules end in .js. */
  readonly files: ReadonlyMap<string, PageFile>;
}

const FOLDER = new URL('../../console/', import.meta.url);
const TEMPLATE = 'index.html';
const MODULE_TYPE = 'text/javascript; charset=utf-8';
/** Files that are sent unchanged. */
const PLAIN_TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

/** Reads the files once per process. */
export const pageFiles: () => Promise<PageFiles> = keptPromise(load);

async function load(): Promise<PageFiles> {
  const names = readdirSync(FOLDER).sort();
  const files = new Map<string, PageFile>();
  for (const name of names) {
    const type = PLAIN_TYPES.get(extname(name));
    if (type !== undefined) files.set(name, { type, text: readText(name) });
  }
  const modules = extname(import.meta.url) === '.ts' ? await strip(names) : builtModules(names);
  for (const [name, text] of modules) files.set(name, { type: MODULE_TYPE, text });
  const all = [...files].flatMap(([name, { text }]) => [name, text]);
  return {
    version: sha256(new TextEncoder().encode(all.join('\0'))).slice(0, 16),
    template: readText(TEMPLATE),
    files,
  };
}

const readText = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

type Modules = readonly (readonly [name: string, text: string])[];

function builtModules(names: readonly string[]): Modules {
  return names.filter((name) => name.endsWith('.js')).map((name) => [name, readText(name)]);
}

/** Strips the types of the sources and names the modules as the build does. */
async function strip(names: readonly string[]): Promise<Modules> {
  const sources = names.filter((name) => name.endsWith('.ts'));
  const worker = new Worker(new URL('./strip-worker.ts', import.meta.url), {
    workerData: sources.map(readText),
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const texts = z.array(z.string()).parse(await workerAnswer(worker));
  return sources.map((name, index) => [builtName(name), withBuiltImports(texts[index] ?? '')]);
}

const builtName = (name: string): string => name.replace(/\.ts$/, '.js');

/** Replaces imports of neighbours by the names under which they are served. */
function withBuiltImports(text: string): string {
  return text.replace(/(\b(?:from|import)\s*['"]\.\/[\w-]+)\.ts(['"])/g, '$1.js$2');
}

/**
 * Waits for the single message of a thread.
 *
 * @throws {Error} the error of the thread, or one that it ended without a message.
 */
export function workerAnswer(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('messageerror', reject);
    worker.once('error', reject);
    // After a message this has no effect.
    worker.once('exit', (code) => reject(new Error(`The thread ended with ${code}, unanswered.`)));
  });
}
