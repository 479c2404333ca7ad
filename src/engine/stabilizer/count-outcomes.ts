/**
 * Counts equal outcomes of many bits: a quicksort on words, highest word first. Most outcomes of noisy circuits differ
 * in their first few words, where a radix sort would look at all bytes.
 *
 * @see Bentley & Sedgewick, "Fast algorithms for sorting and searching strings", 1997.
 */
import { CountsBuilder } from '../counts-builder.ts';
import type { Counts } from '../engine.ts';
import type { TimeSlicer } from '../time-slicer.ts';

/** Outcomes whose words from `word + 1` on are equal. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly word: number;
}

/**
 * Counts outcomes.
 *
 * @param outcomes - `stride` words each; kept by the counts where there is one word.
 */
export async function countOutcomes(
  outcomes: Uint32Array<ArrayBuffer>,
  stride: number,
  numBits: number,
  slicer: TimeSlicer,
): Promise<Counts> {
  const numShots = outcomes.length / stride;
  const builder = new CountsBuilder(numBits);
  if (stride === 1) {
    builder.addWords(outcomes, new Uint32Array(numShots).fill(1));
    return await builder.finish(slicer);
  }
  // All at once: a list that grows takes twice the room.
  builder.reserve(numShots);
  const order = new Uint32Array(numShots);
  for (let i = 0; i < numShots; i++) order[i] = i;
  const parts: Part[] = numShots === 0 ? [] : [{ from: 0, to: numShots, word: stride - 1 }];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const { from, to, word } = part;
    if (word < 0 || to - from === 1) {
      builder.add(outcomes, to - from, order[from]! * stride);
    } else {
      const [low, high] = partition(outcomes, stride, order, part);
      // The last part is taken first, so that outcomes come in ascending order.
      if (high < to) parts.push({ from: high, to, word });
      parts.push({ from: low, to: high, word: word - 1 });
      if (low > from) parts.push({ from, to: low, word });
    }
    if (slicer.spend(4 * (to - from))) await slicer.pause();
  }
  return await builder.finish(slicer);
}

/** Parts an order into outcomes whose word is lower than that of the one in the middle, equal to it, and higher. */
function partition(
  outcomes: Uint32Array,
  stride: number,
  order: Uint32Array,
  { from, to, word }: Part,
): readonly [low: number, high: number] {
  const valueAt = (i: number) => outcomes[order[i]! * stride + word]!;
  const pivot = valueAt((from + to) >>> 1);
  let [low, high] = [from, to];
  for (let i = from; i < high; ) {
    const value = valueAt(i);
    const kept = order[i]!;
    if (value < pivot) {
      order[i++] = order[low]!;
      order[low++] = kept;
    } else if (value > pivot) {
      order[i] = order[--high]!;
      order[high] = kept;
    } else i++;
  }
  return [low, high];
}
