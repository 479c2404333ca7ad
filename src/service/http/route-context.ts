/** Context of all routes, and the route that most of them are: one that shows a value. */
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import type { ServiceDeps } from '../service-deps.ts';
import { type Envelopes, errorResponses, successEnvelope } from './envelope.ts';

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

/** Definition of a route that shows a value. */
interface ShownValue<Answer extends z.ZodType, Params extends z.ZodType> {
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Its path's parameters; a value that they do not name is answered 404. */
  readonly params?: Params;
  readonly answer: Answer;
  readonly view: (
    params: z.output<Params>,
    request: FastifyRequest,
  ) => (z.input<Answer> & object) | Promise<z.input<Answer> & object>;
}

/** Registers a route that shows a value to keys with the scope `read`. */
export function showRoute<Answer extends z.ZodType, Params extends z.ZodType = z.ZodNever>(
  app: ServiceApp,
  { envelopes }: Pick<RouteContext, 'envelopes'>,
  {
    path,
    operationId,
    tag,
    summary,
    description,
    params,
    answer,
    view,
  }: ShownValue<Answer, Params>,
): void {
  app.get(
    path,
    {
      config: { scope: 'read' },
      schema: {
        operationId,
        tags: [tag],
        summary,
        ...(description !== undefined && { description }),
        ...(params && { params }),
        response: { 200: successEnvelope(answer), ...(params && errorResponses(404)) },
      },
    },
    async (request, reply) =>
      // The cast is safe: the schema has validated the parameters.
      envelopes.send(request, reply, await view(request.params as z.output<Params>, request)),
  );
}
