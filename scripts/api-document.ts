/** The table of docs/api.md, from docs/openapi.json, which is generated before it. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { tableOf, withSections } from './document-sections.ts';

const openApi = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({ summary: z.string(), description: z.string().optional() }),
    ),
  ),
});

/** docs/api.md with its table of endpoints made anew. */
export function apiDocument(): string {
  const url = new URL('../docs/openapi.json', import.meta.url);
  const { paths } = openApi.parse(JSON.parse(readFileSync(url, 'utf8')));
  const inOrder = Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = inOrder.flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { summary, description = '' }]) => [
      method.toUpperCase(),
      `\`${path}\``,
      /Needs the scope (`\w+`)/.exec(description)?.[1] ?? 'no key',
      summary,
    ]),
  );
  const table = tableOf(['method', 'path', 'scope', 'what it does'], rows);
  return withSections('docs/api.md', { endpoints: table });
}
