/** The OpenAPI document at /api/v1/openapi.json and the page made from it at /docs, without a key. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { completeOpenApi, openApiBase } from '../openapi-document.ts';
import { errorResponses } from '../schemas/envelope.ts';
import { API_PREFIX } from './not-found.ts';

/** Everything the page loads comes from this service; its styles are partly inline. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; frame-ancestors 'none'";

/** Registers document and page; to be called before the routes that are to be in them. */
export async function registerDocumentation(app: FastifyInstance, version: string): Promise<void> {
  app.addHook('onRoute', (route) => {
    const schema = route.schema;
    if (schema === undefined || schema.hide === true) return;
    const isKeyed = route.config?.scope !== undefined;
    schema.security = isKeyed ? [{ ApiKey: [] }] : [];
    const common = isKeyed ? errorResponses(401, 403, 429, 500) : errorResponses(500);
    const declared = typeof schema.response === 'object' ? schema.response : {};
    schema.response = { ...common, ...declared };
    if (isKeyed) {
      const needs = `Needs the scope \`${route.config?.scope}\`.`;
      schema.description = [schema.description, needs].filter(Boolean).join(' ');
    }
  });
  await app.register(swagger, {
    openapi: openApiBase(version),
    transform: jsonSchemaTransform,
    transformObject: (document) => completeOpenApi(jsonSchemaTransformObject(document)),
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // No validator: the default would send the document's address to a host outside.
    uiConfig: { validatorUrl: 'none', tryItOutEnabled: true },
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title: 'Quantum Compute Service' },
  });
  app.get(`${API_PREFIX}/openapi.json`, { schema: { hide: true } }, async () => app.swagger());
}
