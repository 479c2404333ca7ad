/**
 * The guides: what the package has of Markdown for people (README.md, docs/, examples/) as pages, and the
 * files beside it that they link. A guide is made when it is asked for first; no path of a request
 * reaches the file system, only those that were found there.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { Marked, Renderer, type Tokens } from 'marked';
import { RouteNotFoundError } from '../errors.ts';
import { escapedHtml } from './document-frame.ts';

/** Path of the pages. */
export const GUIDES_PATH = '/docs/guides';

const DOCS = new URL('../../../docs/', import.meta.url);
const EXAMPLES = new URL('../../../examples/', import.meta.url);
const README = new URL('../../../README.md', import.meta.url);

/** Files of these kinds are sent as they are. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json; charset=utf-8',
  '.qasm': 'text/plain; charset=utf-8',
  '.ts': 'text/plain; charset=utf-8',
  '.mjs': 'text/plain; charset=utf-8',
  '.py': 'text/plain; charset=utf-8',
};
/** The interface's document has a path of its own, and holds the other. */
const NOT_SERVED = ['docs/openapi.json', 'docs/recorded-answers.json'];

/** A file of the package, and where it is served. */
interface Source {
  /** Below GUIDES_PATH, without a slash at its ends. */
  readonly name: string;
  /** From the package's root. */
  readonly path: string;
  readonly url: URL;
}

/** A guide in the list of all. */
export interface GuideEntry {
  readonly name: string;
  readonly title: string;
  /** HTML: its first paragraph. */
  readonly lead: string;
}

/** A guide as a page shows it. */
export interface Guide {
  readonly title: string;
  /** HTML. */
  readonly body: string;
  readonly sections: readonly { readonly id: string; readonly title: string }[];
}

/** All that is served below GUIDES_PATH. */
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

  /** The guides, without those of single decisions and without files: the overview, then by title. */
  list(): readonly GuideEntry[] {
    const entries = [...this.#byName.values()]
      .filter(({ name, path }) => path.endsWith('.md') && !/\/\d/.test(name))
      .map((source) => entryOf(source.name, readFileSync(source.url, 'utf8')));
    const first = (name: string) => Number(name !== 'overview');
    return entries.sort(
      (a, b) => first(a.name) - first(b.name) || a.title.localeCompare(b.title, 'en'),
    );
  }

  /** Names of everything that is served. */
  names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /**
   * A guide or a file by its name.
   *
   * @throws {RouteNotFoundError} where nothing has the name.
   */
  find(name: string): { readonly guide: Guide } | { readonly type: string; readonly text: string } {
    const source = this.#byName.get(name);
    if (source === undefined) throw new RouteNotFoundError('GET', `${GUIDES_PATH}/${name}`);
    const text = readFileSync(source.url, 'utf8');
    const type = FILE_TYPES[posix.extname(source.path)];
    return type === undefined ? { guide: this.#render(source, text) } : { type, text };
  }

  #render({ path }: Source, markdown: string): Guide {
    const renderer = new GuideRenderer((href) => this.#linkFrom(path, href));
    const body = new Marked().parse(markdown, { renderer, async: false });
    const { title, sections } = renderer;
    return { title, body, sections };
  }

  /** Target of a link in a file; undefined where it is not served. */
  #linkFrom(path: string, href: string): string | undefined {
    if (/^(https?:|#)/.test(href)) return href;
    const [target = '', fragment] = href.split('#', 2);
    const resolved = posix.join(posix.dirname(path), target).replace(/\/$/, '');
    const name = this.#nameByPath.get(resolved) ?? this.#nameByPath.get(`${resolved}/README.md`);
    if (name === undefined) return undefined;
    return `${GUIDES_PATH}/${name}${fragment === undefined ? '' : `#${fragment}`}`;
  }
}

/** The files of a folder and of those in it, of the kinds that are served. */
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

/** Pages have no ending, and a folder's README is the folder. */
function nameOf(path: string): string {
  return path.replace(/\/README\.md$/, '').replace(/\.md$/, '');
}

/** Title and first paragraph. */
function entryOf(name: string, markdown: string): GuideEntry {
  const marked = new Marked();
  const tokens = marked.lexer(markdown);
  const heading = tokens.find((token): token is Tokens.Heading => token.type === 'heading');
  const paragraph = tokens.find((token): token is Tokens.Paragraph => token.type === 'paragraph');
  const lead = marked.parseInline(paragraph?.text ?? '', { async: false });
  // Links in it are written for the guide's own folder, and what follows a colon is not in it.
  const alone = lead.replace(/<\/?a\b[^>]*>/g, '').replace(/:$/, '.');
  return { name, title: heading?.text ?? name, lead: alone };
}

/** Writes a guide's HTML, and notes its title and sections. */
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

  override table(token: Tokens.Table): string {
    return `<div class="scroll" tabindex="0">${super.table(token)}</div>\n`;
  }

  override code(token: Tokens.Code): string {
    return super.code(token).replace('<pre>', '<pre tabindex="0">');
  }

  /** As GitHub makes them, which the links in the guides are written for. */
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
