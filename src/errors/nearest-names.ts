/** Suggests known names for a misspelt one. */

/** Longer words are not compared: no known name is that long, and the cost grows with the length. */
const MAX_COMPARED_LENGTH = 32;

/**
 * Edit distance: insertions, deletions, replacements and swaps of neighbours that turn one word into the
 * other.
 *
 * @see Damerau 1964; the restricted ("optimal string alignment") form.
 */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, beforeLast[j - 2]! + 1);
      }
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}

/**
 * Returns up to three known names nearest to a misspelt one, nearest first; none where all are far off.
 *
 * Case is ignored. A third of the letters may be wrong, and always one.
 */
export function nearestNames(name: string, known: Iterable<string>): readonly string[] {
  if (name.length > MAX_COMPARED_LENGTH) return [];
  const wanted = name.toLowerCase();
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  const near: { readonly candidate: string; readonly distance: number }[] = [];
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) > allowed) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance <= allowed) near.push({ candidate, distance });
  }
  near.sort((a, b) => a.distance - b.distance);
  return near.slice(0, 3).map(({ candidate }) => candidate);
}

/**
 * Returns ` Did you mean CX or CNOT?`, to follow "there is no such name"; empty where no name is near.
 *
 * @param known - Names that are valid there.
 */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = nearestNames(name, known);
  return near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
}
