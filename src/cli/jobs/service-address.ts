/** Address and key of the service that `qcs jobs` uses. */
import { readFile } from 'node:fs/promises';
import type { CommandIo } from '../command-io.ts';
import { FileNotFoundError, FileUnreadableError } from '../errors.ts';
import { KeyMalformedError, KeyMissingError, ServiceUrlError } from './errors.ts';

/** Options of every `qcs jobs` command. */
export interface AddressOptions {
  readonly url?: string;
  readonly keyFile?: string;
}

/** A service and the key for it. */
export interface ServiceAddress {
  /** Origin without a trailing slash and without `/api/v1`. */
  readonly origin: string;
  readonly key: string;
}

const DEFAULT_URL = 'http://127.0.0.1:8080';

/**
 * Reads the address and the key from the options, or else from QCS_URL and QCS_API_KEY. No option takes the
 * key itself, because every user of a machine can see the arguments of its processes.
 *
 * @throws {ServiceUrlError | KeyMissingError | KeyMalformedError | FileNotFoundError | FileUnreadableError}
 */
export async function serviceAddress(
  { url, keyFile }: AddressOptions,
  { environment }: CommandIo,
): Promise<ServiceAddress> {
  const origin = originOf(url ?? (environment['QCS_URL'] || DEFAULT_URL));
  if (keyFile !== undefined) return { origin, key: keyIn(await read(keyFile), keyFile) };
  const text = environment['QCS_API_KEY'];
  if (text === undefined || text.trim() === '') throw new KeyMissingError();
  return { origin, key: keyIn(text, 'QCS_API_KEY') };
}

function originOf(text: string): string {
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  // A password in an address would appear in every message, and fetch refuses it.
  if (url === null || !isHttp || url.username !== '' || url.password !== '') {
    throw new ServiceUrlError(url === null || url.password === '' ? text : `${url.protocol}//…`);
  }
  return url.origin + url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

function keyIn(text: string, source: string): string {
  const key = text.trim();
  if (!/^[\x21-\x7e]{1,512}$/.test(key)) throw new KeyMalformedError(source);
  return key;
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new FileNotFoundError(path, { cause: error });
    }
    const why = error instanceof Error ? error.message : String(error);
    throw new FileUnreadableError(path, why, { cause: error });
  }
}
