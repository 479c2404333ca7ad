/** OpenAPI document at /api/v1/openapi.json, the API reference at /docs and the guides, all without a key. */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { OpenAPIV3_1 } from 'openapi-types';
import { errorResponses } from '../http/envelope.ts';
import { RouteNotFoundError } from '../http/errors.ts';
import { API_PREFIX, pathOf } from '../http/not-found.ts';
import { completeOpenApi, openApiBase } from '../http/openapi-document.ts';
import { DOCUMENT_HEADERS } from './document-frame.ts';
import { Guides, guideRoutes, PAGE_TYPE } from './guides.ts';
import { type DocumentAnswer, madeOnce } from './made-once.ts';
import { OPERATIONS_PATH, REFERENCE_PATH, Reference } from './reference.ts';

/** Errors of every route: requests may break HTTP, come too often, or hit a bug. */
const COMMON = errorResponses(400, 429, 500);
/** Errors of every route with a key: the disk may be full, or the service may be stopping. */
const COMMON_OF_KEYED = { ...COMMON, ...errorResponses(401, 403, 503) };

/** Registers document, reference and guides. Call it before the documented routes. */
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
  const hidden = { schema: { hide: true } };
  const json = madeOnce(() => JSON.stringify(app.swagger()), 'application/json; charset=utf-8');
  const yaml = madeOnce(() => app.swagger({ yaml: true }), 'application/yaml; charset=utf-8');
  app.get(`${REFERENCE_PATH}/json`, hidden, json);
  app.get(`${REFERENCE_PATH}/yaml`, hidden, yaml);
  app.get(`${API_PREFIX}/openapi.json`, hidden, json);

  // The document is complete once all routes are registered.
  let reference: Reference | undefined;
  // The cast is safe: `openApiBase` makes it a 3.1 document.
  const made = () => (reference ??= new Reference(app.swagger() as OpenAPIV3_1.Document));
  const list = madeOnce(() => made().list(), PAGE_TYPE);
  app.get(REFERENCE_PATH, hidden, async (request, reply) =>
    list(request, reply.headers(DOCUMENT_HEADERS)),
  );
  let pages: ReadonlyMap<string, DocumentAnswer> | undefined;
  const pageOf = (id: string) => {
    pages ??= new Map(
      made()
        .ids()
        .map((each) => [each, madeOnce(() => made().operation(each), PAGE_TYPE)]),
    );
    return pages.get(id);
  };
  app.get<{ Params: { readonly id: string } }>(
    `${OPERATIONS_PATH}/:id`,
    hidden,
    async (request, reply) => {
      const page = pageOf(request.params.id);
      if (page === undefined) throw new RouteNotFoundError('GET', pathOf(request.url));
      return page(request, reply.headers(DOCUMENT_HEADERS));
    },
  );
  const guides = new Guides();
  guideRoutes(app, guides);
  const search = madeOnce(
    async () => JSON.stringify([...(await guides.entries()), ...made().entries()]),
    'application/json; charset=utf-8',
  );
  app.get(SEARCH_PATH, hidden, search);
}

/** Path of the entries of the search in guides and reference. */
const SEARCH_PATH = '/docs/search.json';
