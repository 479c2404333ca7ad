/** Search in the guides and the API reference. */

/** A section of a guide, or an operation. */
export interface Entry {
  readonly path: string;
  /** Title of the guide, or summary of the operation. */
  readonly title: string;
  /** Heading of the section; empty at the beginning of a guide. */
  readonly section: string;
  readonly text: string;
}

/** An entry that was found, with the words around the first match in its text. */
export interface Found extends Entry {
  readonly excerpt: string;
}

/** Letters around a match. */
const BEFORE = 40;
const AFTER = 90;

/**
 * Finds the entries that have all words of a question, whatever their case: those with words in their titles first.
 *
 * @returns At most `most` of them.
 */
export function foundEntries(
  entries: readonly Entry[],
  question: string,
  most: number,
): readonly Found[] {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ entry }) => ({ ...entry, excerpt: excerptOf(entry.text, words) }));
}

/** 0 if a word is missing. */
function scoreOf({ title, section, text }: Entry, words: readonly string[]): number {
  const [inTitle, inSection, inText] = [title, section, text].map((each) => each.toLowerCase());
  let score = 0;
  for (const word of words) {
    if (inTitle?.includes(word)) score += 10;
    else if (inSection?.includes(word)) score += 6;
    else if (inText?.includes(word)) score += 1;
    else return 0;
  }
  // The beginning of a guide is before its sections.
  return section === '' ? score + 0.5 : score;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.max(0, ...words.slice(0, 1).map((word) => lower.indexOf(word)));
  const from = Math.max(0, at - BEFORE);
  const cut = text.slice(from, at + AFTER).trim();
  return `${from > 0 ? '… ' : ''}${cut}${at + AFTER < text.length ? ' …' : ''}`;
}
