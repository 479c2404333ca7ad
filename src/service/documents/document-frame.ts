/** The frame of the pages that show documents. */
import { pageFiles } from './console-page.ts';

/** A link to another document. */
export interface DocumentLink {
  readonly path: string;
  /** Text. */
  readonly title: string;
}

/** Links under a heading. */
export interface LinkGroup {
  readonly title: string;
  readonly links: readonly DocumentLink[];
}

/** Contents of a document page. */
interface DocumentPage {
  readonly title: string;
  /** Path of the page itself. */
  readonly path: string;
  /** Names and links beside the document. */
  readonly side: { readonly label: string; readonly groups: readonly LinkGroup[] };
  /** HTML of the document. */
  readonly body: string;
}

/** Headers of the pages: they need only what is of this service, and ask only it. */
export const DOCUMENT_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** Renders a page. */
export async function framedPage({ title, path, side, body }: DocumentPage): Promise<string> {
  const { pathOf, documents } = await pageFiles();
  const current = (to: string) => (to === path ? ' aria-current="page"' : '');
  const link = ({ path: to, title: text }: DocumentLink) =>
    `<li><a href="${to}"${current(to)}>${escapedHtml(text)}</a></li>`;
  const groups = side.groups.map(
    (group) =>
      `<h2>${escapedHtml(group.title)}</h2>\n<ul>\n${group.links.map(link).join('\n')}\n</ul>`,
  );
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<title>${escapedHtml(title)} · Quantum Compute Service</title>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<link rel="icon" href="${pathOf('icon.svg')}" type="image/svg+xml">`,
    ...documents.styles.map((file) => `<link rel="stylesheet" href="${file}">`),
    // Before the first drawing, so that a chosen scheme is there from the beginning.
    `<script type="module" src="${documents.script}" blocking="render"></script>`,
    '</head>',
    '<body>',
    '<a class="skip" href="#main">Skip to the page</a>',
    '<header class="site">',
    `<a class="brand" href="/"><img src="${pathOf('icon.svg')}" alt="" width="28" height="28">Quantum Compute Service</a>`,
    '<nav aria-label="Documents">',
    `<a href="/docs/guides"${current('/docs/guides')}>Guides</a>`,
    `<a href="/docs"${current('/docs')}>API reference</a>`,
    '<a href="/api/v1/openapi.json">OpenAPI</a>',
    '</nav>',
    '<div class="tools" id="tools"></div>',
    '</header>',
    '<div class="documents">',
    `<nav class="side" aria-label="${escapedHtml(side.label)}">\n${groups.join('\n')}\n</nav>`,
    `<main id="main" class="prose" tabindex="-1">\n${body}\n</main>`,
    '</div>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** HTML of a listing; the page's script adds a button that copies it. */
export function listingHtml(code: string, className = ''): string {
  const attribute = className === '' ? '' : ` class="${className}"`;
  return `<div class="code"><pre tabindex="0"><code${attribute}>${code}</code></pre></div>\n`;
}

/** Links to the previous and the next document. */
export function turnsHtml(
  before: DocumentLink | undefined,
  after: DocumentLink | undefined,
): string {
  const link = (to: DocumentLink | undefined, words: string, rel: string) =>
    to === undefined
      ? '<span></span>'
      : `<a href="${to.path}" rel="${rel}">${words}: ${escapedHtml(to.title)}</a>`;
  return `<nav class="turn" aria-label="Previous and next">${link(before, 'Previous', 'prev')}${link(after, 'Next', 'next')}</nav>`;
}

/** Escapes text for HTML. */
export function escapedHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
