/** HTML frame of all document pages: head, name and links. */
import { pageFiles } from '../page/page-files.ts';

/** Contents of a document page. */
interface DocumentPage {
  readonly title: string;
  /** Paths of style sheets and scripts, in addition to the colours and icon of every page. */
  readonly styles: readonly string[];
  readonly scripts?: readonly string[];
  /** HTML below the links. */
  readonly body: string;
}

/** Renders a page. */
export async function framedPage({
  title,
  styles,
  scripts = [],
  body,
}: DocumentPage): Promise<string> {
  const { pathOf } = await pageFiles();
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<title>${escapedHtml(title)} · Quantum Compute Service</title>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<link rel="icon" href="${pathOf('icon.svg')}" type="image/svg+xml">`,
    ...[pathOf('colours.css'), ...styles].map((path) => `<link rel="stylesheet" href="${path}">`),
    ...scripts.map((path) => `<script src="${path}" defer></script>`),
    '</head>',
    '<body>',
    '<header class="site">',
    `<a class="brand" href="/"><img src="${pathOf('icon.svg')}" alt="" width="28" height="28">Quantum Compute Service</a>`,
    '<nav aria-label="Documents">',
    '<a href="/docs">API reference</a>',
    '<a href="/docs/guides">Guides</a>',
    '<a href="/api/v1/openapi.json">OpenAPI</a>',
    '</nav>',
    '</header>',
    body,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Escapes text for HTML. */
export function escapedHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
