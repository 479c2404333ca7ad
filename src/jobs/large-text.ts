/** Large requests and results, which are stored compressed and apart from the columns that listings read. */
import { promisify } from 'node:util';
import { zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib';

/**
 * Length from which a text counts as large, characters. Compressing shorter ones would save less than a page
 * of the file.
 */
const LARGE_TEXT_LENGTH = 8192;
/**
 * Length from which a text is compressed by Node's thread pool, characters. A shorter one takes less time than
 * waking a thread, some 50 to 150 µs.
 */
const LONG_TEXT_LENGTH = 65_536;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** True if a text is stored separately. */
export function isLarge(text: string | undefined): text is string {
  return text !== undefined && text.length >= LARGE_TEXT_LENGTH;
}

/** Compresses a large text; undefined for others. */
export function packLarge(text: string | undefined): Uint8Array | Promise<Uint8Array> | undefined {
  if (!isLarge(text)) return undefined;
  const bytes = Buffer.from(text);
  return text.length < LONG_TEXT_LENGTH ? zstdCompressSync(bytes) : compress(bytes);
}

/** Decompresses a text. */
export async function unpack(bytes: Uint8Array): Promise<string> {
  return (await decompress(bytes)).toString();
}
