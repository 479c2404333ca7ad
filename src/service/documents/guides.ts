/**
 * Guides: the package's Markdown files for readers (README.md, docs/, examples/) as pages, with the files
 * that they link. A guide is rendered at its first request. Request paths never reach the file system; they
 * are looked up among the files found at the start.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Marked, Renderer, type Tokens } from 'marked';
import { RouteNotFoundError } from '../http/errors.ts';
import { escapedHtml, framedPage, GUIDE_STYLE } from './document-frame.ts';
import { type DocumentAnswer, madeOnce } from './made-once.ts';

/** Path of the pages. */
export const GUIDES_PATH = '/docs/guides';

const DOCS = new URL('../../../docs/', import.meta.url);
const EXAMPLES = new URL('../../../examples/', import.meta.url);
const README = new URL('../../../README.md', import.meta.url);

/** Types of files that are sent unchanged. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.qasm': 'text/plain; charset=utf-8',
  '.ts': 'text/plain; charset=utf-8',
  '.mjs': 'text/plain; charset=utf-8',
  '.py': 'text/plain; charset=utf-8',
};
/** Files not served here. The OpenAPI document has a path of its own and contains the recorded answers. */
const NOT_SERVED = ['docs/openapi.json', 'docs/recorded-answers.json'];

/** File of the package and the name under which it is served. */
interface Source {
  /** Name below GUIDES_PATH, without leading or trailing slash. */
  readonly name: string;
  /** Path relative to the package's root. */
  readonly path: string;
  readonly url: URL;
}

/** A guide in the list of all. */
export interface GuideEntry {
  readonly name: string;
  readonly title: string;
  /** First paragraph, HTML. */
  readonly lead: string;
}

/** Rendered guide. */
export interface Guide {
  readonly title: string;
  /** HTML. */
  readonly body: string;
  readonly sections: readonly { readonly id: string; readonly title: string }[];
}

/** All files served below GUIDES_PATH. */
export class Guides {
  readonly #byName: ReadonlyMap<string, Source>;
  readonly #nameByPath: ReadonlyMap<string, string>;

  constructor() {
    const sources = [
      { path: 'README.md', name: 'overview', url: README },
      ...sourcesIn('docs', DOCS),
      ...sourcesIn('examples', EXAMPLES),
    ].filter(({ path }) => !NOT_SERVED.includes(path));
    this.#byName = new Map(sources.map((source) => [source.name, source]));
    this.#nameByPath = new Map(sources.map(({ path, name }) => [path, name]));
  }

  /**
   * Lists the guides: the overview first, then by title. Records of single decisions and plain files are left
   * out.
   */
  list(): readonly GuideEntry[] {
    const entries = [...this.#byName.values()]
      .filter(({ name, path }) => path.endsWith('.md') && !/\/\d/.test(name))
      .map((source) => entryOf(source.name, readFileSync(source.url, 'utf8')));
    const first = (name: string) => Number(name !== 'overview');
    return entries.sort(
      (a, b) => first(a.name) - first(b.name) || a.title.localeCompare(b.title, 'en'),
    );
  }

  /** Names of all served files. */
  names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /**
   * Finds a guide or a file by name.
   *
   * @throws {RouteNotFoundError} if there is none.
   */
  find(name: string): { readonly guide: Guide } | { readonly type: string; readonly body: Buffer } {
    const source = this.#byName.get(name);
    if (source === undefined) throw new RouteNotFoundError('GET', `${GUIDES_PATH}/${name}`);
    const body = readFileSync(source.url);
    const type = FILE_TYPES[posix.extname(source.path)];
    return type === undefined ? { guide: this.#render(source, body.toString()) } : { type, body };
  }

  #render({ path }: Source, markdown: string): Guide {
    const renderer = new GuideRenderer((href) => this.#linkFrom(path, href));
    const body = new Marked().parse(markdown, { renderer, async: false });
    const { title, sections } = renderer;
    return { title, body, sections };
  }

  /** Target of a link in a file; undefined if the target is not served. */
  #linkFrom(path: string, href: string): string | undefined {
    if (/^(https?:|#)/.test(href)) return href;
    const [target = '', fragment] = href.split('#', 2);
    const resolved = posix.join(posix.dirname(path), target).replace(/\/$/, '');
    const name = this.#nameByPath.get(resolved) ?? this.#nameByPath.get(`${resolved}/README.md`);
    if (name === undefined) return undefined;
    return `${GUIDES_PATH}/${name}${fragment === undefined ? '' : `#${fragment}`}`;
  }
}

/** Lists the files of a folder and its subfolders that have a served type. */
function sourcesIn(folder: 'docs' | 'examples', url: URL): readonly Source[] {
  const paths = readdirSync(url, { recursive: true, encoding: 'utf8' }).sort();
  return paths
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => posix.extname(path) === '.md' || posix.extname(path) in FILE_TYPES)
    .map((path) => ({
      path: posix.join(folder, path),
      name: nameOf(folder === 'docs' ? path : posix.join(folder, path)),
      url: new URL(path, url),
    }));
}

/** Name of a page: without extension; a folder's README has the folder's name. */
function nameOf(path: string): string {
  return path.replace(/\/README\.md$/, '').replace(/\.md$/, '');
}

/** Reads the title and the first paragraph. */
function entryOf(name: string, markdown: string): GuideEntry {
  const marked = new Marked();
  const tokens = marked.lexer(markdown);
  const heading = tokens.find((token): token is Tokens.Heading => token.type === 'heading');
  const paragraph = tokens.find((token): token is Tokens.Paragraph => token.type === 'paragraph');
  const lead = marked.parseInline(paragraph?.text ?? '', { async: false });
  // Remove links, which are relative to the guide's own folder, and a final colon.
  const alone = lead.replace(/<\/?a\b[^>]*>/g, '').replace(/:$/, '.');
  return { name, title: heading?.text ?? name, lead: alone };
}

/** Renders a guide's HTML and collects its title and sections. */
class GuideRenderer extends Renderer {
  title = '';
  readonly sections: { id: string; title: string }[] = [];
  readonly #ids = new Set<string>();
  readonly #resolve: (href: string) => string | undefined;

  constructor(resolve: (href: string) => string | undefined) {
    super();
    this.#resolve = resolve;
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const plain = this.parser.parseInline(tokens, this.parser.textRenderer);
    const id = this.#idOf(plain);
    if (depth === 1) this.title = plain;
    if (depth === 2) this.sections.push({ id, title: plain });
    return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  }

  override link(token: Tokens.Link): string {
    const href = this.#resolve(token.href);
    if (href === undefined) return this.parser.parseInline(token.tokens);
    return `<a href="${escapedHtml(href)}">${this.parser.parseInline(token.tokens)}</a>`;
  }

  override image(token: Tokens.Image): string {
    const href = this.#resolve(token.href);
    return href === undefined ? '' : super.image({ ...token, href });
  }

  override table(token: Tokens.Table): string {
    return `<div class="scroll" tabindex="0">${super.table(token)}</div>\n`;
  }

  override code(token: Tokens.Code): string {
    return super.code(token).replace('<pre>', '<pre tabindex="0">');
  }

  /** Makes heading ids as GitHub does, because links in the guides rely on them. */
  #idOf(heading: string): string {
    const slug = heading
      .toLowerCase()
      .replace(/&[a-z#\d]+;/g, '')
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    let id = slug;
    for (let count = 1; this.#ids.has(id); count++) id = `${slug}-${count}`;
    this.#ids.add(id);
    return id;
  }
}

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
