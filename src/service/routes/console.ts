/**
 * Page at `/` with its files, for people, without a key. The page is rendered for each request with present
 * facts. The files are named by their content and may be cached for ever.
 */
import type { FastifyInstance } from 'fastify';
import type { DemoFacts } from '../../console/demo-facts.ts';
import { RouteNotFoundError } from '../errors.ts';
import { type PageFiles, pageFiles } from '../page/page-files.ts';
import { pathOf } from '../plugins/not-found.ts';

/**
 * Headers of the page: it may load scripts, styles, pictures and data only from this service, and none
 * inline.
 */
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
 * Registers `/` and `/console/{version}/{file}`; files of the client are in a folder.
 *
 * @param demoFacts - Called at each request.
 */
export function consoleRoutes(app: FastifyInstance, demoFacts: () => DemoFacts): void {
  app.get('/', { schema: { hide: true } }, async (_request, reply) => {
    const page = renderPage(await pageFiles(), demoFacts());
    return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(page);
  });

  app.get<{ Params: { readonly version: string; readonly '*': string } }>(
    '/console/:version/*',
    // A page loads about forty of these files, and browsers cache them.
    { config: { isUncounted: true }, schema: { hide: true } },
    async (request, reply) => {
      const { version, files } = await pageFiles();
      const { params, method, url } = request;
      const file = params.version === version ? files.get(params['*']) : undefined;
      // A file of another version would not fit those of this one.
      if (file === undefined) throw new RouteNotFoundError(method, pathOf(url));
      return reply.headers(FILE_HEADERS).type(file.type).send(file.text);
    },
  );
}

/** Renders the page's HTML. */
function renderPage({ template, version, files }: PageFiles, facts: DemoFacts): string {
  const folder = `/console/${version}`;
  // Preload all modules at once; otherwise each would be requested only after the module that imports it.
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

/** JSON that cannot end its HTML element: `<` is escaped. */
function toJsonBlock(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
