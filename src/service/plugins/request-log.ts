/** Logs one line per request without secrets: the path without query, the key's public id without headers. */
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import type { LoggerOptions } from '../service-deps.ts';
import { pathOf } from './not-found.ts';

/** Headers with secrets, redacted wherever a log line contains headers. */
const SECRETS = ['x-api-key', 'authorization', 'cookie'].flatMap((name) => [
  `headers["${name}"]`,
  `*.headers["${name}"]`,
]);

/** Adds redaction to the logger's options. */
export function withoutSecrets(
  options: LoggerOptions,
): NonNullable<FastifyServerOptions['logger']> {
  return options === false ? false : { ...options, redact: SECRETS };
}

/** Logs each request when its answer is sent. */
export function registerRequestLog(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const line = {
      method: request.method,
      path: pathOf(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...(request.caller === undefined ? {} : { key_id: request.caller.key.id }),
    };
    if (reply.statusCode >= 500) request.log.warn(line, 'request');
    else request.log.info(line, 'request');
  });
}
