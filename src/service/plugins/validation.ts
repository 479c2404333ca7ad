/** Uses zod as the framework's validator, with faults in this project's form. */
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import { formFaults } from '../../errors/form-faults.ts';
import { RequestInvalidError } from '../errors.ts';

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
