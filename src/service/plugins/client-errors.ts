/**
 * Answers bytes that are not HTTP, or that arrive too slowly, in the envelope; then closes the connection.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Envelopes, JSON_TYPE, SECURITY_HEADERS } from '../envelope.ts';
import { HttpMalformedError } from '../errors.ts';
import { presentError } from '../present-error.ts';
import type { ErrorEnvelope } from '../schemas/envelope.ts';
import { requestUnderWay } from './connections.ts';

const PROBLEMS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'its headers are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'it did not arrive in time.',
};

/** Creates the server's handler of client errors. */
export function createClientErrorHandler(envelopes: Envelopes, newRequestId: () => string) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    const underWay = requestUnderWay(socket);
    if (error.code !== 'ECONNRESET' && underWay?.request.complete === true) {
      // The fault is in bytes after a complete request, which is still answered.
      underWay.answer.once('close', () => socket.destroy());
      return;
    }
    const isTold = underWay?.answer.headersSent === true;
    if (error.code === 'ECONNRESET' || isTold || !socket.writable) {
      socket.destroy();
      return;
    }
    const problem = PROBLEMS[error.code ?? ''] ?? 'it is not well-formed HTTP.';
    const facts = { method: '', path: '', contentType: undefined, maxBodyBytes: 0 };
    const presented = presentError(new HttpMalformedError(problem), facts).error;
    const meta = envelopes.meta(newRequestId());
    const body = JSON.stringify({ success: false, error: presented, meta } satisfies ErrorEnvelope);
    const { status } = presented;
    socket.write(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        `Content-Type: ${JSON_TYPE}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${meta.request_id}`,
        ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
    // Not end(): a client that never closes would keep its half of the connection open.
    socket.destroySoon();
  };
}
