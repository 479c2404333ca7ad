/** The frame of the pages that show documents, and their style. */
import { pageFiles } from './console-page.ts';

/** Styles of the head and links, which both pages have. */
const FRAME_STYLE = `
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); -webkit-text-size-adjust: 100%;
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
.site { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 4px 24px;
  max-width: 1120px; margin-inline: auto; padding: 18px 24px; font-size: 0.9375rem; }
.site a { color: inherit; text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
.site .brand { display: flex; align-items: center; gap: 10px; font-weight: 600; text-decoration: none; }
.site nav { display: flex; flex-wrap: wrap; gap: 4px 20px; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 3px; border-radius: 6px; }
@media (max-width: 700px) { .site { padding: 14px 16px; } }
`;

/** Style of the guides. */
export const GUIDE_STYLE = `${FRAME_STYLE}
.prose { max-width: 860px; margin-inline: auto; padding: 8px 24px 80px; overflow-wrap: break-word; }
.prose a { color: var(--input); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
.prose h1 { font-size: clamp(1.75rem, 1.4rem + 1.5vw, 2.25rem); letter-spacing: -0.02em; line-height: 1.2; margin: 16px 0; }
.prose h2 { font-size: 1.375rem; line-height: 1.3; margin: 48px 0 12px; padding-top: 20px; border-top: 1px solid var(--edge); }
.prose h3 { font-size: 1.0625rem; margin: 32px 0 8px; }
.prose p, .prose ul, .prose ol, .prose pre, .scroll { margin: 0 0 16px; }
.prose li { margin: 4px 0; }
code { font: 0.875em var(--mono); background: var(--faint); border-radius: 4px; padding: 0.1em 0.3em; }
main img { max-width: 100%; height: auto; border: 1px solid var(--edge); border-radius: 8px; }
pre { overflow-x: auto; background: var(--faint); border-radius: 8px; padding: 12px 16px; line-height: 1.5; }
pre code { background: none; padding: 0; font-size: 0.8125rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9375rem; }
th, td { text-align: left; vertical-align: top; padding: 8px 16px 8px 0; border-bottom: 1px solid var(--edge); }
th { color: var(--soft); font-weight: 600; font-size: 0.875rem; }
th[align="right"], td[align="right"] { text-align: right; }
.back { font-size: 0.9375rem; }
.contents { background: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: 10px 16px; }
.contents summary { cursor: pointer; font-weight: 600; font-size: 0.9375rem; }
.contents ul { margin: 8px 0 4px; padding-left: 20px; columns: 2 240px; }
.guides { list-style: none; padding: 0; }
.guides li { background: var(--card); border: 1px solid var(--edge); border-radius: 12px; padding: 16px 20px; margin: 0 0 12px; }
.guides a { font-weight: 600; font-size: 1.0625rem; }
.guides p { margin: 4px 0 0; color: var(--soft); font-size: 0.9375rem; }
@media (max-width: 700px) { .prose { padding: 4px 16px 60px; } }
`;

/** Style of the API reference, over the styles of Swagger UI. */
export const REFERENCE_STYLE = `${FRAME_STYLE}
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .wrapper { max-width: 1120px; padding: 0 24px; }
.swagger-ui .scheme-container { padding: 16px 0; margin: 0 0 16px; }
.swagger-ui .opblock .opblock-summary-path { max-width: none; overflow-wrap: anywhere; }
html.dark-mode, html.dark-mode body, html.dark-mode .swagger-ui, html.dark-mode .swagger-ui .scheme-container {
  background: var(--ground); }
@media (max-width: 700px) {
  .swagger-ui .wrapper { padding: 0 12px; }
  .swagger-ui .info .title { font-size: 1.5rem; }
  .swagger-ui .opblock-tag { font-size: 1.25rem; flex-wrap: wrap; gap: 2px 12px; }
  .swagger-ui .opblock-tag small { flex: 1 1 60%; padding: 0; }
  .swagger-ui .opblock .opblock-summary-description { overflow-wrap: anywhere; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 64px; padding: 6px 0; }
  .swagger-ui .opblock-body { overflow-x: auto; }
  /** Cells in a row are stacked. */
  .swagger-ui table.parameters thead, .swagger-ui table.responses-table thead { display: none; }
  .swagger-ui .parameters tr, .swagger-ui .responses-table tr, .swagger-ui .parameters td, .swagger-ui .responses-table td {
    display: block; width: auto; max-width: 100%; }
  .swagger-ui table tbody tr td { padding: 6px 0; }
  .swagger-ui .parameters-col_description input, .swagger-ui .parameters-col_description textarea { max-width: 100%; width: 100%; }
}
`;

/** Switches Swagger UI to dark colours if the system has a dark scheme. */
export const REFERENCE_SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
`;

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
