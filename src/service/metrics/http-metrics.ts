/** Requests by route, and errors by what was wrong. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';
import { ERROR_TABLE } from '../error-table.ts';
import type { ErrorEnvelope } from '../schemas/envelope.ts';
import { DURATION_BUCKETS } from './buckets.ts';

/** The route of requests that no route took. */
const UNMATCHED = 'unmatched';
/** Other methods that a parser knows, some thirty, are one series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** How long one is open is its reader's choice. */
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

  /** Counts every request of an application; to be called before its routes are registered. */
  watch(app: FastifyInstance): void {
    app.addHook('onRequest', (request, reply, done) => {
      // `onResponse` never comes where the caller hangs up first, as readers of event streams do.
      reply.raw.on('close', () => {
        // The code that an answer would have had says nothing.
        const isAnswered = reply.raw.headersSent;
        this.#count(request, reply, isAnswered ? String(reply.statusCode) : 'aborted');
      });
      done();
    });
  }

  /** Counts a request that never came to a route, nor to its hooks. */
  countUnrouted(request: FastifyRequest, reply: FastifyReply): void {
    this.#count(request, reply, String(reply.statusCode));
  }

  /** Counts an error as it is answered; one of several faults by its first. */
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
