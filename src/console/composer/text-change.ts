/** Changes of a text. Apart from the editor, which cannot be loaded without a document. */

/** The shortest change of one place that makes a text another one. A cursor elsewhere stays where it is. */
export function changeTo(
  before: string,
  after: string,
): { readonly from: number; readonly to: number; readonly insert: string } {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
