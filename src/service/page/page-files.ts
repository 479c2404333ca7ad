/**
 * Files of the console, the page at `/`: its HTML, styles and modules, as scripts/build-page.ts has built them into
 * console/built.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { z } from 'zod';
import { PageNotBuiltError } from '../errors.ts';
import { keptPromise } from './kept-promise.ts';

/** Body and type of an answer. */
interface PageFile {
  /** Media type. */
  readonly type: string;
  readonly body: Buffer;
}

export interface PageFiles {
  /** HTML with `{{facts}}` as a placeholder. */
  readonly template: string;
  /** Files by their path below /console/. Each name changes with its content, so browsers may keep files for ever. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** Path of a file that other pages of the service use: `colours.css` or `icon.svg`. */
  readonly pathOf: (source: 'colours.css' | 'icon.svg') => string;
}

const FOLDER = new URL('../../console/built/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Files that other pages use, by their names in the sources, as the build lists them. */
const builtFile = z.object({ file: z.string() });
const manifestSchema = z.object({ 'colours.css': builtFile, 'icon.svg': builtFile });

/**
 * Reads the files once per process.
 *
 * @throws {PageNotBuiltError} if there is no build.
 */
export const pageFiles: () => Promise<PageFiles> = keptPromise(async () => readPageFiles(FOLDER));

/**
 * Reads the files of a build.
 *
 * @throws {PageNotBuiltError} if there is none in the folder.
 */
export function readPageFiles(folder: URL): PageFiles {
  const read = (name: string) => readFileSync(new URL(name, folder));
  let template: string;
  try {
    template = read('index.html').toString();
  } catch (error) {
    throw new PageNotBuiltError(error);
  }
  const manifest = manifestSchema.parse(JSON.parse(read('manifest.json').toString()));
  const names = readdirSync(new URL('assets/', folder)).map((name) => `assets/${name}`);
  const files = names.map((name): [string, PageFile] => {
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    return [name, { type, body: read(name) }];
  });
  return {
    template,
    files: new Map(files.sort()),
    pathOf: (source) => `/console/${manifest[source].file}`,
  };
}
