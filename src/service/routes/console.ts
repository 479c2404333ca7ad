/**
 * The page at `/` and its files, for people, without a key. The page is made anew at each request with
 * the facts of its moment; its files are named by their content and may be kept for ever.
 */
import type { FastifyInstance } from 'fastify';
import type { DemoFacts } from '../../console/demo-facts.ts';
import { RouteNotFoundError } from '../errors.ts';
import { type PageFiles, pageFiles } from '../page/page-files.ts';
import { pathOf } from '../plugins/not-found.ts';

/** Scripts, styles, pictures and requests of this service alone, none of them inside the page. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};
const FILE_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
};

/**
 * Registers `/` and `/console/{version}/{file}`.
 *
 * @param demoFacts - Called at each request.
 */
export function consoleRoutes(app: FastifyInstance, demoFacts: () => DemoFacts): void {
  app.get('/', { schema: { hide: true } }, async (_request, reply) => {
    const page = renderPage(await pageFiles(), demoFacts());
    return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(page);
  });

  app.get<{ Params: { readonly version: string; readonly file: string } }>(
    '/console/:version/:file',
    // A page has some thirty of them, which are kept for ever.
    { config: { isUncounted: true }, schema: { hide: true } },
    async (request, reply) => {
      const { version, files } = await pageFiles();
      const { params, method, url } = request;
      const file = params.version === version ? files.get(params.file) : undefined;
      // Another version's file would not fit to those of this one.
      if (file === undefined) throw new RouteNotFoundError(method, pathOf(url));
      return reply.headers(FILE_HEADERS).type(file.type).send(file.text);
    },
  );
}

/** The page's HTML with everything filled in. */
function renderPage({ template, version, files }: PageFiles, facts: DemoFacts): string {
  const folder = `/console/${version}`;
  // All at once: a module that imports others would otherwise be read before they are asked for.
  const preloads = [...files.keys()]
    .filter((name) => name.endsWith('.js'))
    .map((name) => `<link rel="modulepreload" href="${folder}/${name}">`);
  const parts: Readonly<Record<string, string>> = {
    folder,
    preloads: preloads.join('\n    '),
    facts: toJsonBlock(facts),
  };
  return template.replace(/\{\{(\w+)\}\}/g, (place, name) => parts[name] ?? place);
}

/** JSON that nothing in it can end the element of: `<` stands in it as an escape. */
function toJsonBlock(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
