/** CORS headers for pages of other origins. */
import { describe, expect, test } from 'vitest';
import { BELL, openTestService, type TestService } from './support/test-service.ts';

const ORIGIN = 'https://app.example.com';
const CIRCUITS = '/api/v1/quantum/circuits';

function preflight(service: TestService, url: string, headers: Record<string, string> = {}) {
  return service.app.inject({
    method: 'OPTIONS',
    url,
    headers: { origin: ORIGIN, 'access-control-request-method': 'POST', ...headers },
  });
}

const listOf = (header: unknown) =>
  String(header)
    .split(', ')
    .map((name) => name.toLowerCase());

describe('an origin that is named', () => {
  const settings = { corsOrigins: ['http://localhost:3000', ORIGIN] };

  test('gets the methods and headers that a page may use, without a key', async () => {
    await using service = await openTestService({ settings });
    const asked = 'x-api-key, authorization, content-type, idempotency-key, last-event-id, prefer';
    const answer = await preflight(service, CIRCUITS, { 'access-control-request-headers': asked });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(answer.headers['vary']).toContain('Origin');
    expect(listOf(answer.headers['access-control-allow-headers'])).toEqual(
      expect.arrayContaining(listOf(asked)),
    );
    expect(listOf(answer.headers['access-control-allow-methods'])).toEqual(
      expect.arrayContaining(['get', 'post', 'patch', 'delete']),
    );
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test('asks as often as it likes: preflights count to no key and no address', async () => {
    const rateLimits = { standard: 1, enterprise: 1 };
    const limited = { ...settings, rateLimits, publicRateLimit: 1 };
    await using service = await openTestService({ settings: limited });
    const headers = { 'x-api-key': service.key };
    for (let i = 0; i < 5; i++) {
      expect((await preflight(service, CIRCUITS, headers)).statusCode).toBe(204);
    }
    expect((await service.get('/status', { origin: ORIGIN })).statusCode).toBe(200);
    const refused = await service.get('/status', { origin: ORIGIN });
    expect(refused.statusCode).toBe(429);
    // So that the page can read why, and when to come back.
    expect(refused.headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(listOf(refused.headers['access-control-expose-headers'])).toContain('retry-after');
  });

  test('reads answers, their headers and errors', async () => {
    await using service = await openTestService({ settings });
    const created = await service.submit(BELL, { origin: ORIGIN });
    expect(created.statusCode).toBe(201);
    expect(created.headers['access-control-allow-origin']).toBe(ORIGIN);
    const exposed = listOf(created.headers['access-control-expose-headers']);
    for (const name of ['location', 'retry-after', 'etag', 'ratelimit', 'x-ratelimit-remaining'])
      expect(exposed).toContain(name);
    const unknown = await service.app.inject({
      url: '/api/v1/status',
      headers: { origin: ORIGIN },
    });
    expect(unknown.statusCode).toBe(401);
    expect(unknown.headers['access-control-allow-origin']).toBe(ORIGIN);
    const missing = await service.get('/nothing', { origin: ORIGIN });
    expect(missing.statusCode).toBe(404);
    expect(missing.headers['access-control-allow-origin']).toBe(ORIGIN);
  });

  test('reads the events of a job', async () => {
    await using service = await openTestService({ settings });
    const { circuit_id } = (await service.submit(BELL)).json().data;
    const url = `/quantum/circuits/${circuit_id}/events`;
    const stream = await service.get(url, { origin: ORIGIN });
    expect(stream.headers['content-type']).toContain('text/event-stream');
    expect(stream.headers['access-control-allow-origin']).toBe(ORIGIN);
  });

  test('does not read the metrics, which an address may open', async () => {
    const open = { corsOrigins: ['*'], metricsAddresses: ['10.0.0.0/8'] };
    await using service = await openTestService({ settings: open });
    const answer = await service.app.inject({
      url: '/metrics',
      headers: { origin: ORIGIN },
      remoteAddress: '10.1.2.3',
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

test('with * every origin is let in', async () => {
  await using service = await openTestService({ settings: { corsOrigins: ['*'] } });
  const answer = await preflight(service, CIRCUITS, { origin: 'https://elsewhere.example' });
  expect(answer.statusCode).toBe(204);
  expect(answer.headers['access-control-allow-origin']).toBe('*');
});

test.each([
  ['another origin', [ORIGIN], 'https://app.example.com.evil.example'],
  ['the same host on another port', [ORIGIN], `${ORIGIN}:8443`],
  ['any origin where none is named', [], ORIGIN],
])('%s gets no headers', async (_name, corsOrigins, origin) => {
  await using service = await openTestService({ settings: { corsOrigins } });
  const asked = await preflight(service, CIRCUITS, { origin });
  expect(asked.statusCode).toBe(404);
  expect(asked.json().error.details[0].code).toBe('SERVICE_METHOD_NOT_FOUND');
  const answer = await service.get('/status', { origin });
  expect(answer.statusCode).toBe(200);
  for (const headers of [asked.headers, answer.headers]) {
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  }
});

test('an unknown path is unknown still, not one with another method', async () => {
  await using service = await openTestService({ settings: { corsOrigins: [ORIGIN] } });
  const answer = await service.get('/nothing');
  expect(answer.json().error.details[0].code).toBe('SERVICE_ROUTE_NOT_FOUND');
});
