/** Counts of a batch in base64. */
import type { PackedCounts } from './api-types.ts';
import { unpackIntegers } from './packed-array.ts';

/** Labels of more bits are hexadecimal numbers, as in JSON. */
const MAX_BINARY_BITS = 64;

/** Counts of one point: number of shots of each bit string, classical bit 0 rightmost. */
export type PointCounts = Readonly<Record<string, number>>;

/** Reads counts of an answer in either of their forms: one object for each point. */
export function countsByPoint(
  counts: PackedCounts | readonly PointCounts[],
): readonly PointCounts[] {
  return 'bits' in counts ? unpackCounts(counts) : counts;
}

/**
 * Reads counts in base64.
 *
 * @throws {RangeError} if the data of an array does not match its shape.
 */
function unpackCounts(counts: PackedCounts): readonly PointCounts[] {
  const { bits, outcomes_per_point, outcomes: rows } = counts;
  const outcomes = unpackIntegers(rows);
  const occurrences = unpackIntegers(counts.occurrences);
  const numBytes = rows.shape[1] ?? 0;
  let at = 0;
  return Array.from(unpackIntegers(outcomes_per_point), (numOutcomes) => {
    const point: Record<string, number> = {};
    for (const end = at + numOutcomes; at < end; at++) {
      const label = labelOf(outcomes.subarray(at * numBytes, (at + 1) * numBytes), bits);
      point[label] = occurrences[at]!;
    }
    return point;
  });
}

function labelOf(bytes: Uint8Array | Uint16Array | Uint32Array, numBits: number): string {
  const isBinary = numBits <= MAX_BINARY_BITS;
  let label = '';
  for (let byte = bytes.length - 1; byte >= 0; byte--) {
    label += isBinary
      ? bytes[byte]!.toString(2).padStart(8, '0')
      : bytes[byte]!.toString(16).padStart(2, '0');
  }
  if (isBinary) return label.slice(label.length - numBits);
  return `0x${label.slice(label.length - Math.ceil(numBits / 4))}`;
}
