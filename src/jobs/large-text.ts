/**
 * Compression of large requests and results. They are stored in a separate table, so that listings do not
 * read them. Node's thread pool compresses them, outside the event loop.
 *
 * The text is stored as it was sent, not as the circuit read from it, because a record shows its request
 * unchanged.
 */
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';

/**
 * Length from which a text counts as large, characters. Compressing shorter ones would save less than a page
 * of the file.
 */
const LARGE_TEXT_LENGTH = 8192;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** True if a text is stored separately. */
export function isLarge(text: string | undefined): text is string {
  return text !== undefined && text.length >= LARGE_TEXT_LENGTH;
}

/** Compresses a large text; undefined for others. */
export async function packLarge(text: string | undefined): Promise<Uint8Array | undefined> {
  return isLarge(text) ? compress(Buffer.from(text)) : undefined;
}

/** Decompresses a text. */
export async function unpack(bytes: Uint8Array): Promise<string> {
  return (await decompress(bytes)).toString();
}
