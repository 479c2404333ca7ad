/** The files of the console as it was built, and the routes that serve them. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { DemoFacts } from '../../console/demo/demo-facts.ts';
import {
  ENCODINGS,
  type Encoding,
  type FixedBody,
  hasCompressedForms,
  sendFixed,
} from '../http/compression.ts';
import { PageNotBuiltError, RouteNotFoundError } from '../http/errors.ts';
import { pathOf } from '../http/not-found.ts';
import { type DocumentAnswer, keptPromise, madeOnce } from './made-once.ts';

/** A file of the build, with its compressed forms, and its type. */
interface PageFile {
  /** Media type. */
  readonly type: string;
  readonly body: FixedBody;
}

export interface PageFiles {
  /** HTML with `{{facts}}` as a placeholder. */
  readonly template: string;
  /** Files by their path below /console/. Each name changes with its content, so browsers may keep files for ever. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** Path of the icon, which other pages of the service use, too. */
  readonly pathOf: (source: 'icon.svg') => string;
  /** Paths of the script of guides and API reference, and of its styles. */
  readonly documents: { readonly script: string; readonly styles: readonly string[] };
}

const FOLDER = new URL('../../console/built/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Media type of a file of the build. */
export function mediaTypeOf(name: string): string {
  return TYPES[extname(name)] ?? 'application/octet-stream';
}

/** Endings of the compressed forms, which the build writes beside each file that has any. */
export const ENDINGS: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/** Files that other pages use, by their names in the sources, as the build lists them. */
const builtFile = z.object({
  file: z.string(),
  css: z.array(z.string()).optional(),
  imports: z.array(z.string()).optional(),
});
const manifestSchema = z
  .object({ 'documents/documents.tsx': builtFile, 'icon.svg': builtFile })
  .catchall(builtFile);

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
  const isForm = (name: string) => Object.values(ENDINGS).includes(extname(name));
  const names = readdirSync(new URL('assets/', folder)).map((name) => `assets/${name}`);
  const files = names
    .filter((name) => !isForm(name))
    .map((name): [string, PageFile] => {
      const type = mediaTypeOf(name);
      const plain = read(name);
      const forms = hasCompressedForms(plain.length, type)
        ? new Map(ENCODINGS.map((encoding) => [encoding, read(`${name}${ENDINGS[encoding]}`)]))
        : undefined;
      return [
        name,
        { type, body: { plain, compressed: (encoding) => forms?.get(encoding) ?? plain } },
      ];
    });
  return {
    template,
    files: new Map(files.sort()),
    pathOf: (source) => `/console/${manifest[source].file}`,
    documents: {
      script: `/console/${manifest[DOCUMENTS].file}`,
      styles: stylesOf(manifest, DOCUMENTS).map((file) => `/console/${file}`),
    },
  };
}

const DOCUMENTS = 'documents/documents.tsx';

/** Styles of a script and of all that it imports, those of the imports first. */
function stylesOf(
  manifest: Readonly<Record<string, z.output<typeof builtFile>>>,
  name: string,
): readonly string[] {
  const { css = [], imports = [] } = manifest[name] ?? {};
  return [...new Set([...imports.flatMap((each) => stylesOf(manifest, each)), ...css])];
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
  // The facts rarely change.
  let shown = { facts: '', answer: pageWith('') };
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    const facts = jsonBlock(demoFacts());
    if (facts !== shown.facts) shown = { facts, answer: pageWith(facts) };
    return shown.answer(request, reply.headers(PAGE_HEADERS));
  });

  app.get<{ Params: { readonly '*': string } }>(
    '/console/*',
    // Browsers cache them.
    { config: { isUncounted: true }, schema: { hide: true } },
    async (request, reply) => {
      const { params, method, url } = request;
      const file = (await pageFiles()).files.get(params['*']);
      if (file === undefined) throw new RouteNotFoundError(method, pathOf(url));
      return sendFixed(request, reply.headers(FILE_HEADERS), file.body, file.type);
    },
  );
}

function pageWith(facts: string): DocumentAnswer {
  return madeOnce(
    async () => (await pageFiles()).template.replace('{{facts}}', () => facts),
    'text/html; charset=utf-8',
  );
}

/** JSON that cannot end its HTML element: `<` is escaped. */
export function jsonBlock(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
