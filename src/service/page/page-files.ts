/**
 * The files of the page at `/`: its HTML with places to fill in, its styles, its modules. They lie in
 * src/console, whose TypeScript loses its types here, or in dist/console, where the build has put
 * everything ready made.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { sha256 } from '../../math/sha256.ts';
import { keptPromise } from './kept-promise.ts';
import { workerAnswer } from './worker-answer.ts';

/** Body and headers of an answer. */
export interface PageFile {
  /** Media type. */
  readonly type: string;
  readonly text: string;
}

/** The page. */
export interface PageFiles {
  /** Changes with any of the files: part of their paths, so that they may be kept for ever. */
  readonly version: string;
  /** With `{{…}}` where something is filled in. */
  readonly template: string;
  /** By name, without folders; modules end in .js. */
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

/** The files, read once by each process. */
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

/** The sources without their types, under the names that the build would give them. */
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

/** Imports of neighbours by the names they are served under. */
function withBuiltImports(text: string): string {
  return text.replace(/(\b(?:from|import)\s*['"]\.\/[\w-]+)\.ts(['"])/g, '$1.js$2');
}
