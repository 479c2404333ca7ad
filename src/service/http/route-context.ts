/** Context of all routes. */
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { ServiceDeps } from '../service-deps.ts';
import type { Envelopes } from './envelope.ts';

/** Application that derives its types from zod schemas. */
export type ServiceApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** Parts of the service that routes use. */
export interface RouteContext {
  readonly deps: ServiceDeps;
  readonly envelopes: Envelopes;
}
