/** Guides of docs/ and examples/ as pages, for people, without a key. */
import type { FastifyInstance } from 'fastify';
import { escapedHtml, framedPage } from '../documents/document-frame.ts';
import { GUIDE_STYLE } from '../documents/document-style.ts';
import { GUIDES_PATH, type Guide, type GuideEntry, Guides } from '../documents/guides.ts';
import { type DocumentAnswer, madeOnce } from '../documents/made-once.ts';

const PAGE_TYPE = 'text/html; charset=utf-8';
const STYLE_PATH = '/docs/guides.css';
/** Headers of the pages: they need only styles and pictures of this service. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** Registers `/docs/guides`, the pages below it, and their style sheet. */
export function guideRoutes(app: FastifyInstance): void {
  const guides = new Guides();
  const answers = new Map<string, DocumentAnswer>();

  app.get(
    STYLE_PATH,
    { schema: { hide: true } },
    madeOnce(() => GUIDE_STYLE, 'text/css; charset=utf-8'),
  );

  const list = madeOnce(() => listPage(guides.list()), PAGE_TYPE);
  app.get(GUIDES_PATH, { schema: { hide: true } }, async (request, reply) =>
    list(request, reply.headers(HEADERS)),
  );

  app.get<{ Params: { readonly '*': string } }>(
    `${GUIDES_PATH}/*`,
    { schema: { hide: true } },
    async (request, reply) => {
      const name = request.params['*'].replace(/\/$/, '');
      let answer = answers.get(name);
      if (answer === undefined) {
        const found = guides.find(name);
        answer =
          'guide' in found
            ? madeOnce(() => guidePage(found.guide), PAGE_TYPE)
            : madeOnce(() => found.body, found.type);
        answers.set(name, answer);
      }
      return answer(request, reply.headers(HEADERS));
    },
  );
}

function listPage(guides: readonly GuideEntry[]): Promise<string> {
  const items = guides.map(
    ({ name, title, lead }) =>
      `<li><a href="${GUIDES_PATH}/${name}">${escapedHtml(title)}</a><p>${lead}</p></li>`,
  );
  const body = `<main class="prose"><h1>Guides</h1>\n<ul class="guides">\n${items.join('\n')}\n</ul>\n</main>`;
  return framedPage({ title: 'Guides', styles: [STYLE_PATH], body });
}

function guidePage({ title, body, sections }: Guide): Promise<string> {
  const items = sections.map(
    ({ id, title: section }) => `<li><a href="#${id}">${escapedHtml(section)}</a></li>`,
  );
  const contents =
    items.length < 2
      ? ''
      : `<details class="contents"><summary>On this page</summary>\n<ul>\n${items.join('\n')}\n</ul></details>\n`;
  const main = `<main class="prose">\n<p class="back"><a href="${GUIDES_PATH}">All guides</a></p>\n${contents}${body}</main>`;
  return framedPage({ title, styles: [STYLE_PATH], body: main });
}
