/** Metrics of HTTP: requests by route, and errors by code. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';
import { ERROR_TABLE } from '../error-table.ts';
import type { ErrorEnvelope } from '../schemas/envelope.ts';
import { DURATION_BUCKETS } from './buckets.ts';

/** Label of requests that match no route. */
const UNMATCHED = 'unmatched';
/** Methods with a series of their own; the parser knows about thirty others, which share one. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Streams have no duration metric: their readers decide how long they stay open. */
const EVENT_STREAM = 'text/event-stream';

/** Metrics of HTTP. */
export class HttpMetrics {
  readonly #requests: Counter<'route' | 'method' | 'status'>;
  readonly #durations: Histogram<'route' | 'method'>;
  readonly #errors: Counter<'code' | 'status'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'qcs_http_requests_total',
      help: 'Requests answered, by the pattern of their route.',
      labelNames: ['route', 'method', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'qcs_http_request_duration_seconds',
      help: 'From the headers of a request to the end of its answer, event streams left out.',
      labelNames: ['route', 'method'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#errors = new Counter({
      name: 'qcs_http_errors_total',
      help: 'Errors answered, by their code in docs/errors.md.',
      labelNames: ['code', 'status'],
      registers,
    });
  }

  /** Counts every request of an application. Call it before its routes are registered. */
  watch(app: FastifyInstance): void {
    app.addHook('onRequest', (request, reply, done) => {
      // `onResponse` is not called if the caller disconnects first, as readers of event streams do.
      reply.raw.on('close', () => {
        // Without an answer the status code means nothing.
        const isAnswered = reply.raw.headersSent;
        this.#count(request, reply, isAnswered ? String(reply.statusCode) : 'aborted');
      });
      done();
    });
  }

  /** Counts a request that reached neither a route nor its hooks. */
  countUnrouted(request: FastifyRequest, reply: FastifyReply): void {
    this.#count(request, reply, String(reply.statusCode));
  }

  /** Counts an answered error; an error with several faults counts by its first. */
  countError({ code, status, details }: ErrorEnvelope['error']): void {
    const exact = details?.[0]?.code;
    const isKnown = exact !== undefined && Object.hasOwn(ERROR_TABLE, exact);
    this.#errors.inc({ code: isKnown ? exact : code, status: String(status) });
  }

  #count(request: FastifyRequest, reply: FastifyReply, status: string): void {
    const route = request.routeOptions.url ?? UNMATCHED;
    const method = METHODS.has(request.method) ? request.method : 'other';
    this.#requests.inc({ route, method, status });
    if (String(reply.getHeader('content-type')).startsWith(EVENT_STREAM)) return;
    this.#durations.observe({ route, method }, reply.elapsedTime / 1000);
  }
}
