/**
 * Documents of which a part is generated: the part stands between two comments, and the rest is written by
 * hand.
 */
import { readFileSync } from 'node:fs';

/** Markdown of each generated part, by name. */
export type Sections = Readonly<Record<string, string>>;

/**
 * The text of a document with its generated parts replaced.
 *
 * A part NAME is what stands between `<!-- generated: NAME -->` and `<!-- end of NAME -->`.
 *
 * @param path - From the repository's root.
 * @throws {Error} if the document lacks one of the parts.
 */
export function withSections(path: string, sections: Sections): string {
  let text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  for (const [name, content] of Object.entries(sections)) {
    const begin = `<!-- generated: ${name} -->`;
    const end = `<!-- end of ${name} -->`;
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`${path} has no part "${begin} … ${end}".`);
    text = `${text.slice(0, from)}${begin}\n\n${content.trim()}\n\n${text.slice(to)}`;
  }
  return text;
}

/** A Markdown table. */
export function tableOf(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
