/**
 * Files of the page at `/`: its HTML template, styles and modules, with those of the client that they import. They
 * are in src/console and src/client, whose TypeScript is stripped of types here, or in dist, where the build has
 * prepared everything.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, posix } from 'node:path';
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
  /** Files by name; modules end in .js, and those of the client are in the folder `client/`. */
  readonly files: ReadonlyMap<string, PageFile>;
}

const FOLDER = new URL('../../console/', import.meta.url);
const CLIENT_FOLDER = new URL('../../client/', import.meta.url);
/** Ending of modules: of sources in a checkout, of built modules in the package. */
const ENDING = extname(import.meta.url);
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
  for (const [name, text] of await pageModules()) files.set(name, { type: MODULE_TYPE, text });
  const all = [...files].flatMap(([name, { text }]) => [name, text]);
  return {
    version: sha256(new TextEncoder().encode(all.join('\0'))).slice(0, 16),
    template: readText(TEMPLATE),
    files,
  };
}

const readText = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

/** Modules of the page, and those of the client that are imported, by the name under which they are served. */
async function pageModules(): Promise<ReadonlyMap<string, string>> {
  const own = modulesIn(FOLDER);
  const client = modulesIn(CLIENT_FOLDER);
  const sources = [...own.values(), ...client.values()];
  const texts = ENDING === '.ts' ? await stripped(sources) : sources;
  const names = [...own.keys(), ...[...client.keys()].map((name) => `client/${name}`)];
  const all = new Map(names.map((name, index) => [name, withServedImports(texts[index] ?? '')]));
  const served = new Map<string, string>();
  const serve = (name: string): void => {
    const text = all.get(name);
    if (text === undefined || served.has(name)) return;
    served.set(name, text);
    for (const imported of importsOf(name, text)) serve(imported);
  };
  for (const name of own.keys()) serve(name);
  return served;
}

/** Texts of a folder's modules, by name with the ending of built modules. */
function modulesIn(folder: URL): ReadonlyMap<string, string> {
  const names = readdirSync(folder).filter(
    (name) => extname(name) === ENDING && !/\.d\./.test(name),
  );
  return new Map(
    names
      .sort()
      .map((name) => [`${basename(name, ENDING)}.js`, readFileSync(new URL(name, folder), 'utf8')]),
  );
}

/** Strips types of sources. */
async function stripped(sources: readonly string[]): Promise<readonly string[]> {
  const worker = new Worker(new URL('./strip-worker.ts', import.meta.url), {
    workerData: sources,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  return z.array(z.string()).parse(await workerAnswer(worker));
}

/** Replaces imports by the names under which modules are served: below the version, the client in a folder. */
function withServedImports(text: string): string {
  return text.replace(
    /(\b(?:from|import)\s*['"]\.)(?:\.(?=\/client\/))?(\/[\w/-]+)\.(?:ts|js)(['"])/g,
    '$1$2.js$3',
  );
}

/** Names of the modules that a module imports. */
function importsOf(name: string, text: string): readonly string[] {
  const imports = text.matchAll(/\b(?:from|import)\s*['"](\.[^'"]+)['"]/g);
  return [...imports].map(([, path = '']) => posix.join(posix.dirname(name), path));
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
