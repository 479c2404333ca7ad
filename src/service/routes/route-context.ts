/** Context of all routes. */
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Envelopes } from '../envelope.ts';
import type { ServiceDeps } from '../service-deps.ts';

/** The application with zod schemas as the source of its types. */
export type ServiceApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** The service's parts, for a file of routes. */
export interface RouteContext {
  readonly deps: ServiceDeps;
  readonly envelopes: Envelopes;
}
