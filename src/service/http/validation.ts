/** Validation of bodies against their schemas, and in tests of answers. */
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import { formFaults } from '../../errors/form-faults.ts';
import { errorEnvelope, problemDetails } from './envelope.ts';
import { RequestInvalidError } from './errors.ts';
import { isApiPath } from './not-found.ts';

/** Prefix of fault paths by part of the request; those of a body have none. */
const PREFIXES: Readonly<Record<string, string>> = { querystring: 'query', headers: 'headers' };

/** Validates a part of a request with its zod schema. */
const compileValidator: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) => {
  if (!(schema instanceof z.ZodType)) throw new Error('unreachable: a schema that is not zod');
  const prefix = PREFIXES[httpPart ?? ''];
  return (data: unknown) => {
    const parsed = schema.safeParse(data);
    return parsed.success
      ? { value: parsed.data }
      : {
          error: new RequestInvalidError(
            formFaults(parsed.error, schema, data, prefix ? [prefix] : []),
          ),
        };
  };
};

/** Validator for routes whose handler checks the body. */
export const compileAllButBody: FastifySchemaCompiler<unknown> = (route) =>
  route.httpPart === 'body' ? (data: unknown) => ({ value: data }) : compileValidator(route);

/** Validates with zod. Answers are sent as text, so serialization is plain JSON. */
export function registerValidation(app: FastifyInstance): void {
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(() => JSON.stringify);
}

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
