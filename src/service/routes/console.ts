/**
 * The console at `/` with its files, for people, without a key. The page is rendered for each request with present
 * facts of the demo. The files are named by their content and may be cached for ever.
 */
import type { FastifyInstance } from 'fastify';
import type { DemoFacts } from '../../console/demo/demo-facts.ts';
import { RouteNotFoundError } from '../errors.ts';
import { pageFiles } from '../page/page-files.ts';
import { pathOf } from '../plugins/not-found.ts';

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
