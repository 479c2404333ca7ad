/** The OpenAPI document at /api/v1/openapi.json and the page made from it at /docs, without a key. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { framedPage } from '../documents/document-frame.ts';
import { REFERENCE_SCRIPT, REFERENCE_STYLE } from '../documents/document-style.ts';
import { madeOnce } from '../documents/made-once.ts';
import { completeOpenApi, openApiBase } from '../openapi-document.ts';
import { errorResponses } from '../schemas/envelope.ts';
import { API_PREFIX } from './not-found.ts';

/** Any request may break HTTP, come too often, or meet a fault. */
const COMMON = errorResponses(400, 429, 500);
/** Any that reads or changes records may meet a disk that is full, or a service that ends. */
const COMMON_OF_KEYED = { ...COMMON, ...errorResponses(401, 403, 503) };

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
    const common = isKeyed ? COMMON_OF_KEYED : COMMON;
    const declared = typeof schema.response === 'object' ? schema.response : {};
    schema.response = { ...common, ...declared };
    if (isKeyed) {
      const needs = `Needs the scope \`${route.config?.scope}\`.`;
      // The schema of a GET comes again with the HEAD that is made of it.
      if (schema.description?.endsWith(needs) === true) return;
      schema.description = [schema.description, needs].filter(Boolean).join(' ');
    }
  });
  await app.register(swagger, {
    openapi: openApiBase(version),
    transform: jsonSchemaTransform,
    transformObject: (document) => completeOpenApi(jsonSchemaTransformObject(document)),
  });
  const json = madeOnce(() => JSON.stringify(app.swagger()), 'application/json; charset=utf-8');
  const yaml = madeOnce(() => app.swagger({ yaml: true }), 'application/yaml; charset=utf-8');
  const page = madeOnce(referencePage, 'text/html; charset=utf-8');
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiHooks: {
      // In place of Swagger UI's own answers, which are made anew for each request.
      onRequest: async (request, reply) => {
        // The route's, which stands for every spelling of the path.
        const { url } = request.routeOptions;
        if (url === '/docs') return page(request, reply);
        if (url === '/docs/json') return json(request, reply);
        if (url === '/docs/yaml') return yaml(request, reply);
      },
    },
    uiConfig: {
      // Without Swagger UI's bar: the page has a head of its own.
      layout: 'BaseLayout',
      // No validator: the default would send the document's address to a host outside.
      validatorUrl: 'none',
      tryItOutEnabled: true,
    },
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: {
      css: [{ filename: 'reference.css', content: REFERENCE_STYLE }],
      js: [{ filename: 'reference.js', content: REFERENCE_SCRIPT }],
    },
  });
  app.get(`${API_PREFIX}/openapi.json`, { schema: { hide: true } }, json);
}

/** The page in which Swagger UI shows the document, in this service's own frame. */
function referencePage(): Promise<string> {
  const files = '/docs/static';
  return framedPage({
    title: 'API reference',
    styles: [`${files}/swagger-ui.css`, `${files}/theme/reference.css`],
    scripts: [
      `${files}/theme/reference.js`,
      `${files}/swagger-ui-bundle.js`,
      `${files}/swagger-ui-standalone-preset.js`,
      `${files}/swagger-initializer.js`,
    ],
    body: '<div id="swagger-ui"></div>',
  });
}
