/**
 * Guides: the package's Markdown files for readers (README.md, docs/, examples/) as pages, with the files
 * that they link. A guide is rendered at its first request. Request paths never reach the file system; they
 * are looked up among the files found at the start.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Marked, Renderer, type Tokens } from 'marked';
import type { Entry } from '../../console/documents/found-entries.ts';
import { RouteNotFoundError } from '../http/errors.ts';
import {
  DOCUMENT_HEADERS,
  type DocumentLink,
  escapedHtml,
  framedPage,
  type LinkGroup,
  listingHtml,
  turnsHtml,
} from './document-frame.ts';
import { highlighted } from './highlight.ts';
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

/** Guides under a heading. */
interface GuideGroup {
  readonly title: string;
  readonly guides: readonly GuideEntry[];
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
  #groups: readonly GuideGroup[] | undefined;

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
   * Lists the guides in the groups and the order of the table in the overview, which comes first; those that it does not
   * link come last. Records of single decisions and plain files are left out.
   */
  list(): readonly GuideGroup[] {
    this.#groups ??= this.#grouped();
    return this.#groups;
  }

  #grouped(): readonly GuideGroup[] {
    const entries = new Map(
      [...this.#byName.values()]
        .filter(({ name, path }) => path.endsWith('.md') && !/\/\d/.test(name))
        .map((source) => [source.name, entryOf(source.name, readFileSync(source.url, 'utf8'))]),
    );
    const groups: { title: string; guides: GuideEntry[] }[] = [];
    const take = (title: string, names: readonly (string | undefined)[]) => {
      const taken = names
        .map((name) => entries.get(name ?? ''))
        .filter((each) => each !== undefined);
      for (const { name } of taken) entries.delete(name);
      if (taken.length > 0) groups.push({ title, guides: taken });
    };
    take('The service', ['overview']);
    for (const { title, paths } of readmeGroups(readFileSync(README, 'utf8'))) {
      const named = paths.map((path) => this.#nameOf(path));
      take(title, [...new Set(named)]);
    }
    take('Further', [...entries.keys()]);
    return groups;
  }

  /** Links to all guides, as beside each of them. */
  links(): readonly LinkGroup[] {
    return this.list().map(({ title, guides }) => ({ title, links: guides.map(linkTo) }));
  }

  /** Entries of the search: the sections of all listed guides. Other requests are answered meanwhile. */
  async entries(): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    for (const { name } of this.list().flatMap(({ guides }) => guides)) {
      const found = this.find(name);
      if ('guide' in found) entries.push(...entriesOf(`${GUIDES_PATH}/${name}`, found.guide));
      await setImmediate();
    }
    return entries;
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

  /** A listed file as it is in the package: Markdown, or an example. */
  textOf(name: string): string {
    const source = this.#byName.get(name);
    if (source === undefined) throw new RouteNotFoundError('GET', `${GUIDES_PATH}/${name}`);
    return readFileSync(source.url, 'utf8');
  }

  #render({ path }: Source, markdown: string): Guide {
    const renderer = new GuideRenderer(
      (href) => this.#linkFrom(path, href),
      (href) => this.#titleOf(path, href),
    );
    const body = new Marked().parse(markdown, { renderer, async: false });
    const { title, sections } = renderer;
    return { title, body, sections };
  }

  /** Name of the guide at a path from the package's root; undefined if there is none. */
  #nameOf(path: string): string | undefined {
    const resolved = path.replace(/\/$/, '');
    return this.#nameByPath.get(resolved) ?? this.#nameByPath.get(`${resolved}/README.md`);
  }

  /** Title of the guide that a link in a file leads to, whatever its section. */
  #titleOf(path: string, href: string): string | undefined {
    const name = this.#nameOf(posix.join(posix.dirname(path), href.split('#', 1)[0] ?? ''));
    const source = this.#byName.get(name ?? '');
    if (source?.path.endsWith('.md') !== true) return undefined;
    return /^# +(.+)$/m.exec(readFileSync(source.url, 'utf8'))?.[1]?.trim();
  }

  /** Target of a link in a file; undefined if the target is not served. */
  #linkFrom(path: string, href: string): string | undefined {
    if (/^(https?:|#)/.test(href)) return href;
    const [target = '', fragment] = href.split('#', 2);
    const name = this.#nameOf(posix.join(posix.dirname(path), target));
    if (name === undefined) return undefined;
    return `${GUIDES_PATH}/${name}${fragment === undefined ? '' : `#${fragment}`}`;
  }
}

/** Titles and linked paths of the groups in the overview's table of guides. */
function readmeGroups(markdown: string): readonly { title: string; paths: readonly string[] }[] {
  const groups: { title: string; paths: string[] }[] = [];
  for (const row of markdown.matchAll(/^\| (.+?) \|.*\|$/gm)) {
    const [, cell = ''] = row;
    const [, title] = /^\*\*(.+)\*\*$/.exec(cell) ?? [];
    if (title !== undefined) groups.push({ title, paths: [] });
    const links = [...cell.matchAll(/\]\(([^)#]+)/g)].map(([, path = '']) => path);
    groups.at(-1)?.paths.push(...links);
  }
  return groups;
}

function linkTo({ name, title }: GuideEntry): DocumentLink {
  return { path: `${GUIDES_PATH}/${name}`, title };
}

/** A guide's sections for the search, from its HTML. */
function entriesOf(path: string, { title, body }: Guide): readonly Entry[] {
  const parts = body.split(/(?=<h[123] id=)/);
  return parts.flatMap((part): Entry[] => {
    const [heading = '', depth, id = '', words = ''] =
      /^<h([123]) id="([^"]+)">(.*?)<\/h\1>/s.exec(part) ?? [];
    const text = plainText(part.slice(heading.length));
    if (depth === undefined || depth === '1')
      return text === '' ? [] : [{ path, title, section: '', text }];
    return [{ path: `${path}#${id}`, title, section: plainText(words), text }];
  });
}

/** The words of HTML. */
function plainText(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
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
  // Both stand before the first section.
  const [head = ''] = markdown.split(/^## /m, 1);
  const tokens = marked.lexer(head);
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
  readonly #titleOf: (href: string) => string | undefined;

  /**
   * @param resolve - Target of a link; undefined if it is not served.
   * @param titleOf - Title of the guide that a link leads to; undefined if it leads to none.
   */
  constructor(
    resolve: (href: string) => string | undefined,
    titleOf: (href: string) => string | undefined,
  ) {
    super();
    this.#resolve = resolve;
    this.#titleOf = titleOf;
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
    // In the repository guides are named by their files, and here by their titles.
    const title = /^[\w./-]+(?:\.md|\/)$/.test(token.text) ? this.#titleOf(token.href) : undefined;
    const words = title === undefined ? this.parser.parseInline(token.tokens) : escapedHtml(title);
    return href === undefined ? words : `<a href="${escapedHtml(href)}">${words}</a>`;
  }

  override image(token: Tokens.Image): string {
    const href = this.#resolve(token.href);
    return href === undefined ? '' : super.image({ ...token, href });
  }

  override table(token: Tokens.Table): string {
    return `<div class="scroll" tabindex="0">${super.table(token)}</div>\n`;
  }

  override code(token: Tokens.Code): string {
    const [language = ''] = token.lang?.split(/\s/) ?? [];
    return listingHtml(highlighted(token.text, language));
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

/** Media type of pages. */
export const PAGE_TYPE = 'text/html; charset=utf-8';

/** Registers `/docs/guides` and the pages below it. */
export function guideRoutes(app: FastifyInstance, guides: Guides): void {
  const answers = new Map<string, DocumentAnswer>();

  const list = madeOnce(() => listPage(guides), PAGE_TYPE);
  app.get(GUIDES_PATH, { schema: { hide: true } }, async (request, reply) =>
    list(request, reply.headers(DOCUMENT_HEADERS)),
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
            ? madeOnce(() => guidePage(guides, name, found.guide), PAGE_TYPE)
            : madeOnce(() => found.body, found.type);
        answers.set(name, answer);
      }
      return answer(request, reply.headers(DOCUMENT_HEADERS));
    },
  );
}

/** Name of the links beside the guides. */
const SIDE = 'All guides';

function listPage(guides: Guides): Promise<string> {
  const groups = guides.list().map(({ title, guides: own }) => {
    const items = own.map(
      (each) =>
        `<li><a href="${GUIDES_PATH}/${each.name}">${escapedHtml(each.title)}</a><p>${each.lead}</p></li>`,
    );
    return `<h2>${escapedHtml(title)}</h2>\n<ul class="guides">\n${items.join('\n')}\n</ul>`;
  });
  const body = `<h1>Guides</h1>\n${groups.join('\n')}`;
  const side = { label: SIDE, groups: guides.links() };
  return framedPage({ title: 'Guides', path: GUIDES_PATH, side, body });
}

function guidePage(
  guides: Guides,
  name: string,
  { title, body, sections }: Guide,
): Promise<string> {
  const items = sections.map(
    ({ id, title: section }) => `<li><a href="#${id}">${escapedHtml(section)}</a></li>`,
  );
  const contents =
    items.length < 2
      ? ''
      : `<details class="contents"><summary>On this page</summary>\n<ul>\n${items.join('\n')}\n</ul></details>\n`;
  const path = `${GUIDES_PATH}/${name}`;
  const groups = guides.links();
  const all = groups.flatMap(({ links }) => links);
  const at = all.findIndex((each) => each.path === path);
  // Records of decisions are in no list.
  const turns = at < 0 ? '' : turnsHtml(all[at - 1], all[at + 1]);
  const main = `<p class="back"><a href="${GUIDES_PATH}">${SIDE}</a></p>\n${contents}${body}${turns}`;
  return framedPage({ title, path, side: { label: SIDE, groups }, body: main });
}
