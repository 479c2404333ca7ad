/** OpenAPI document at /api/v1/openapi.json and its page at /docs, both without a key. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { errorResponses } from '../http/envelope.ts';
import { API_PREFIX } from '../http/not-found.ts';
import { completeOpenApi, openApiBase } from '../http/openapi-document.ts';
import { framedPage, REFERENCE_SCRIPT, REFERENCE_STYLE } from './document-frame.ts';
import { madeOnce } from './made-once.ts';

/** Errors of every route: requests may break HTTP, come too often, or hit a bug. */
const COMMON = errorResponses(400, 429, 500);
/** Errors of every route with a key: the disk may be full, or the service may be stopping. */
const COMMON_OF_KEYED = { ...COMMON, ...errorResponses(401, 403, 503) };

/** The page loads everything from this service; some of its styles are inline. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; frame-ancestors 'none'";

/** Registers document and page. Call it before the documented routes. */
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
      // The schema of a GET route is used again for its HEAD route.
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
      // Replaces Swagger UI's own answers, which are rendered for each request.
      onRequest: async (request, reply) => {
        // Pattern of the route, which stands for every spelling of the path.
        const { url } = request.routeOptions;
        if (url === '/docs') return page(request, reply);
        if (url === '/docs/json') return json(request, reply);
        if (url === '/docs/yaml') return yaml(request, reply);
      },
    },
    uiConfig: {
      // No top bar of Swagger UI: the page has its own head.
      layout: 'BaseLayout',
      // No validator: the default would send the document's address to another host.
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

/** Page with Swagger UI in this service's frame. */
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
