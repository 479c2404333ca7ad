/** Client of the service that `qcs jobs` and `qcs submit` talk to. */

import { ApiError, QcsClient } from '../../client/client.ts';
import { readText } from '../circuit-file.ts';
import { type CommandIo, printable } from '../command-io.ts';
import { KeyMalformedError, KeyMissingError, ServiceUrlError } from '../errors.ts';
import { durationText } from './job-record.ts';

/** Options of every `qcs jobs` command. */
export interface AddressOptions {
  readonly url?: string;
  readonly keyFile?: string;
}

const DEFAULT_URL = 'http://127.0.0.1:8080';

/**
 * A client with the address and the key of the options, or else of QCS_URL and QCS_API_KEY. No option takes
 * the key itself, because every user of a machine can see the arguments of its processes. A request is sent
 * again only if the service says after which time; the wait is reported.
 *
 * @throws {ServiceUrlError | KeyMissingError | KeyMalformedError | FileNotFoundError | FileUnreadableError}
 */
export async function serviceClient(
  { url, keyFile }: AddressOptions,
  io: CommandIo,
): Promise<QcsClient> {
  const { environment, err } = io;
  return new QcsClient({
    baseUrl: baseUrlOf(url ?? (environment['QCS_URL'] || DEFAULT_URL)),
    key: await keyOf(keyFile, environment['QCS_API_KEY']),
    surroundings: io,
    retry: {
      isWorthRetrying: (error) => error instanceof ApiError && error.retryAfterMs !== undefined,
    },
    onRetry: ({ error, delayMs }) =>
      err.write(`${printable(error.message)} Waiting ${durationText(delayMs)}.\n`),
  });
}

async function keyOf(file: string | undefined, variable: string | undefined): Promise<string> {
  if (file !== undefined) return keyIn(await readText(file), file);
  if (variable === undefined || variable.trim() === '') throw new KeyMissingError();
  return keyIn(variable, 'QCS_API_KEY');
}

function baseUrlOf(text: string): string {
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  // A password in an address would appear in every message, and fetch refuses it.
  if (url === null || !isHttp || url.username !== '' || url.password !== '') {
    throw new ServiceUrlError(url === null || url.password === '' ? text : `${url.protocol}//…`);
  }
  return url.origin + url.pathname;
}

function keyIn(text: string, source: string): string {
  const key = text.trim();
  if (!/^[\x21-\x7e]{1,512}$/.test(key)) throw new KeyMalformedError(source);
  return key;
}
