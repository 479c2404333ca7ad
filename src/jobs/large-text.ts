/**
 * Large requests and results as they are stored: compressed, in a table of their own, so that listings do
 * not read them. The compressing is done by Node's thread pool, not by the thread of the event loop.
 *
 * The text as it was sent is kept, and not the circuit that was read from it: a record shows its request
 * as it was.
 */
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';

/** Characters from which on a text is large: shorter ones would gain less than a page of the file. */
const LARGE_TEXT_LENGTH = 8192;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Whether a text is stored apart. */
export function isLarge(text: string | undefined): text is string {
  return text !== undefined && text.length >= LARGE_TEXT_LENGTH;
}

/** The text compressed, if it is large; else undefined. */
export async function packLarge(text: string | undefined): Promise<Uint8Array | undefined> {
  return isLarge(text) ? compress(Buffer.from(text)) : undefined;
}

/** The text that was packed. */
export async function unpack(bytes: Uint8Array): Promise<string> {
  return (await decompress(bytes)).toString();
}
