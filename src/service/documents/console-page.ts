/** The files of the console as it was built, and the routes that serve them. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { DemoFacts } from '../../console/demo/demo-facts.ts';
import { PageNotBuiltError, RouteNotFoundError } from '../http/errors.ts';
import { pathOf } from '../http/not-found.ts';
import { keptPromise } from './made-once.ts';

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

/**
 * Policy of the page and of its worker: they may load scripts, styles, pictures and data only from this service, and
 * none inline. The worker compiles the engine's WebAssembly.
 */
const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};
const FILE_HEADERS = {
  'content-security-policy': POLICY,
  'cache-control': 'public, max-age=31536000, immutable',
};

/**
 * Registers `/` and `/console/{file}`.
 *
 * @param demoFacts - Called at each request.
 */
export function consoleRoutes(app: FastifyInstance, demoFacts: () => DemoFacts): void {
  app.get('/', { schema: { hide: true } }, async (_request, reply) => {
    const { template } = await pageFiles();
    const page = template.replace('{{facts}}', () => toJsonBlock(demoFacts()));
    return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(page);
  });

  app.get<{ Params: { readonly '*': string } }>(
    '/console/*',
    // Browsers cache them.
    { config: { isUncounted: true }, schema: { hide: true } },
    async ({ params, method, url }, reply) => {
      const file = (await pageFiles()).files.get(params['*']);
      if (file === undefined) throw new RouteNotFoundError(method, pathOf(url));
      return reply.headers(FILE_HEADERS).type(file.type).send(file.body);
    },
  );
}

/** JSON that cannot end its HTML element: `<` is escaped. */
function toJsonBlock(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
