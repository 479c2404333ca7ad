/** Checks every answer against the schema of its route and status. For tests. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { errorEnvelope, problemDetails } from '../schemas/envelope.ts';
import { isApiPath } from './not-found.ts';

/** Checks each answer in the form in which it is sent. */
export function registerResponseCheck(
  app: FastifyInstance,
  onInvalid: (problem: string) => void,
): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isHidden = request.routeOptions.schema?.hide === true;
    if (typeof payload !== 'string' || !isApiPath(request.url) || isHidden) return;
    const type = String(reply.getHeader('content-type'));
    const where = `${request.method} ${request.url} → ${reply.statusCode}`;
    const schema = declaredSchema(request.routeOptions.schema?.response, reply.statusCode, type);
    if (request.is404 || schema === undefined) {
      const parsed = errorEnvelope.safeParse(JSON.parse(payload));
      if (!request.is404) onInvalid(`${where}: the status is not declared`);
      else if (!parsed.success && !type.startsWith('application/problem+json')) {
        onInvalid(`${where}: ${z.prettifyError(parsed.error)}`);
      }
      return;
    }
    const parsed = schema.safeParse(JSON.parse(payload));
    if (!parsed.success) onInvalid(`${where}: ${z.prettifyError(parsed.error)}`);
  });
}

function declaredSchema(response: unknown, status: number, type: string): z.ZodType | undefined {
  const schemas = new Map(Object.entries(response ?? {}));
  const schema: unknown = schemas.get(String(status));
  if (schema === errorEnvelope && type.startsWith('application/problem+json'))
    return problemDetails;
  return schema instanceof z.ZodType ? schema : undefined;
}
