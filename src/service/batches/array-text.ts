/** Arrays of results as pieces of JSON text. */
import { JobDamagedError } from '../../jobs/errors.ts';
import type { JobPart } from '../../jobs/job.ts';
import type { PackedArray, PackedIntegers } from './batch-schema.ts';

/** Characters of a piece of the text, about. */
export const PIECE_LENGTH = 65_536;

/** Base64 of three bytes each ends nowhere but at the end. */
const BASE64_BYTES = 3;
/** Bytes of a piece of base64. */
const PACKED_BYTES = 3 * 2 ** 16;

/** Writes blocks of bytes as one array in base64. */
export async function* packedText(
  blocks: AsyncIterable<Uint8Array>,
  head: Omit<PackedArray | PackedIntegers, 'data'>,
): AsyncGenerator<string, void, undefined> {
  yield `${JSON.stringify(head).slice(0, -1)},"data":"`;
  let left: Buffer = Buffer.alloc(0);
  for await (const bytes of blocks) {
    const all =
      left.length === 0
        ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
        : Buffer.concat([left, bytes]);
    const end = all.length - (all.length % BASE64_BYTES);
    for (let at = 0; at < end; at += PACKED_BYTES) {
      yield all.toString('base64', at, Math.min(at + PACKED_BYTES, end));
    }
    left = all.subarray(end);
  }
  yield `${left.toString('base64')}"}`;
}

/** Writes parts with numbers as nested arrays. */
export async function* nestedText(
  parts: AsyncIterable<JobPart>,
  dimensions: readonly number[],
): AsyncGenerator<string, void, undefined> {
  /** Numbers in an array of each depth, the outermost first. */
  const sizes = dimensions.map((_, depth) =>
    dimensions.slice(depth).reduce((product, length) => product * length, 1),
  );
  const fromInside = sizes.toReversed();
  let text = '[';
  let separator = '';
  for await (const { bytes, from, to } of parts) {
    // A copy, for numbers must be aligned.
    const numbers = new Float64Array(Uint8Array.from(bytes).buffer);
    if (numbers.length !== (to - from) * (sizes[0] ?? 1)) {
      throw new JobDamagedError('a part of its result has another length');
    }
    for (let i = 0; i < numbers.length; i++) {
      text += separator;
      for (const size of sizes) if (i % size === 0) text += '[';
      text += jsonNumber(numbers[i]!);
      for (const size of fromInside) if ((i + 1) % size === 0) text += ']';
      separator = ',';
      if (text.length < PIECE_LENGTH) continue;
      yield text;
      text = '';
    }
  }
  yield `${text}]`;
}

/** A derivative may not exist, and JSON has no such number. Adding 0 turns −0 into 0, as JSON would. */
function jsonNumber(number: number): number | null {
  return Number.isFinite(number) ? number + 0 : null;
}
