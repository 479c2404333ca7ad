/** HTTP client of a running service. It converts refusals to errors of the command line. */
import { type Fault, MAX_FAULTS } from '../../errors/coded-error.ts';
import type { CommandIo } from '../command-io.ts';
import { fieldsOf, printable, textOf } from './answer-fields.ts';
import {
  AnswerUnreadableError,
  KeyRefusedError,
  ServiceRefusedError,
  ServiceUnreachableError,
} from './errors.ts';
import type { ServiceAddress } from './service-address.ts';

/** Longest wait, in seconds. If the service asks for more, the request fails. */
const LONGEST_WAIT_S = 120;
/** Greatest number of times that a request is sent again after the service asked to wait. */
const MAX_WAITS = 5;

/** Options of a request. */
interface RequestOptions {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** Body, sent as JSON. */
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** Client of one service with one key. */
export class ServiceClient {
  readonly origin: string;
  readonly #key: string;
  readonly #io: Pick<CommandIo, 'err' | 'sleep'>;

  /** @param io - Waits are reported on its `err`. */
  constructor({ origin, key }: ServiceAddress, io: Pick<CommandIo, 'err' | 'sleep'>) {
    this.origin = origin;
    this.#key = key;
    this.#io = io;
  }

  /**
   * Sends a request and returns `data` of the answer. If the rate limit is used up, it waits as long as the
   * service says.
   *
   * @param path - Path below /api/v1.
   * @throws {ServiceUnreachableError | KeyRefusedError | ServiceRefusedError | AnswerUnreadableError}
   */
  async ask(
    path: string,
    options: RequestOptions = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    for (let numWaits = 0; ; numWaits++) {
      const response = await this.send(path, options);
      const waitS = response.status === 429 ? retryAfterS(response) : undefined;
      if (waitS === undefined || waitS > LONGEST_WAIT_S || numWaits === MAX_WAITS) {
        return await this.#dataOf(response);
      }
      const { said: why } = await errorIn(response);
      this.#io.err.write(`${why} Waiting ${waitS} s.\n`);
      await this.#io.sleep(waitS * 1000, options.signal);
    }
  }

  /**
   * Sends a request and returns once the headers have arrived. The caller reads or cancels the body.
   *
   * @throws {ServiceUnreachableError}
   */
  async send(path: string, options: RequestOptions = {}): Promise<Response> {
    const { method = 'GET', headers, body, signal } = options;
    try {
      return await fetch(`${this.origin}/api/v1${path}`, {
        method,
        headers: {
          'x-api-key': this.#key,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // Do not follow redirects: the key must not go to another host.
        redirect: 'manual',
        ...(signal && { signal }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new ServiceUnreachableError(this.origin, reasonOf(error), { cause: error });
    }
  }

  /** Error for an unsuccessful answer. */
  async refusal(response: Response): Promise<Error> {
    const { status } = response;
    const { said, faults } = await errorIn(response);
    if (status === 401 || status === 403) {
      return new KeyRefusedError(this.origin, status, said);
    }
    return new ServiceRefusedError(this.origin, status, said, faults);
  }

  async #dataOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
    if (!response.ok) throw await this.refusal(response);
    const data = fieldsOf((await bodyOf(response, this.origin))?.['data']);
    if (data === undefined) throw new AnswerUnreadableError(this.origin, 'there is no `data`');
    return data;
  }
}

/** Seconds of the Retry-After header, at least 1; undefined if it is missing or a date. */
export function retryAfterS({ headers }: Response): number | undefined {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,9}$/.test(text) ? Math.max(1, Number(text)) : undefined;
}

/** System error code of a failed connection. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

async function bodyOf(
  response: Response,
  origin: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    return fieldsOf(JSON.parse(await response.text()));
  } catch (error) {
    if (error instanceof SyntaxError) throw new AnswerUnreadableError(origin, 'it is not JSON');
    throw new ServiceUnreachableError(origin, reasonOf(error), { cause: error });
  }
}

/** Message of an error envelope; for any other body the text of the HTTP status. */
async function errorIn(
  response: Response,
): Promise<{ readonly said: string; readonly faults: readonly Fault[] }> {
  const text = await response.text().catch(() => '');
  const to = response.headers.get('location');
  const plain = `${response.statusText || 'no reason'}${to === null ? '' : `, to ${to}`}.`;
  const error = fieldsOf(fieldsOf(parsed(text))?.['error']);
  const details = error?.['details'];
  const faults = (Array.isArray(details) ? details : []).flatMap((detail): readonly Fault[] => {
    const { path, message } = fieldsOf(detail) ?? {};
    if (typeof path !== 'string' || typeof message !== 'string') return [];
    return [{ path: printable(path), message: printable(message) }];
  });
  return {
    said: printable(textOf(error?.['message']) ?? plain),
    faults: faults.slice(0, MAX_FAULTS),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
