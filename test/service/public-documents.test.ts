/** Documents and pages that anyone may read without a key, and their rate limit. */
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openTestService } from './support/test-service.ts';

const OPENAPI = '/api/v1/openapi.json';

describe('a document', () => {
  test.each([OPENAPI, '/docs/json', '/docs/yaml'])(
    '%s is made once, and not sent to who has it',
    async (url) => {
      await using service = await openTestService();
      const first = await service.app.inject({ url });
      expect(first.statusCode).toBe(200);
      expect(first.body.length).toBeGreaterThan(100_000);
      const tag = String(first.headers['etag']);
      // Weak, because the compressed forms share it.
      expect(tag).toMatch(/^W\/"[0-9a-f]{32}"$/);
      const packed = await service.app.inject({ url, headers: { 'accept-encoding': 'br' } });
      expect(packed.headers['etag']).toBe(tag);
      expect(brotliDecompressSync(packed.rawPayload).equals(first.rawPayload)).toBe(true);
      expect(packed.rawPayload.length).toBeLessThan(first.rawPayload.length / 8);
      // Made anew it would notice that the answer's parts can no longer be written.
      const stringify = JSON.stringify;
      JSON.stringify = () => {
        throw new Error('made anew');
      };
      try {
        const second = await service.app.inject({ url });
        expect(second.rawPayload.equals(first.rawPayload)).toBe(true);
        for (const known of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
          const third = await service.app.inject({ url, headers: { 'if-none-match': known } });
          expect([third.statusCode, third.body]).toEqual([304, '']);
        }
      } finally {
        JSON.stringify = stringify;
      }
      for (const spelling of [`${url.slice(0, -1)}%6${url.endsWith('n') ? 'e' : 'c'}`, `${url}/`]) {
        const { headers } = await service.app.inject({ url: spelling });
        expect([spelling, headers['etag']]).toEqual([spelling, tag]);
      }
      const other = await service.app.inject({ url, headers: { 'if-none-match': '"other"' } });
      expect(other.statusCode).toBe(200);
    },
  );
});

describe('requests without a key', () => {
  test('are counted by address, over all that needs none, and then answered 429', async () => {
    await using service = await openTestService({ settings: { publicRateLimit: 4 } });
    const ask = (url: string, remoteAddress = '10.0.0.1') =>
      service.app.inject({ url, remoteAddress });
    for (const url of [OPENAPI, '/', '/docs/', '/api/v1/']) {
      expect((await ask(url)).statusCode).toBe(200);
    }
    const refused = await ask(OPENAPI);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('60');
    expect(refused.json().error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      message: expect.stringContaining('4 requests a minute without a key'),
      details: [{ code: 'SERVICE_PUBLIC_RATE_LIMIT' }],
    });
    expect((await ask('/api/v1/nowhere')).statusCode).toBe(429);
    expect((await ask(OPENAPI, '10.0.0.2')).statusCode).toBe(200);
    service.clock.now += 60_000;
    expect((await ask(OPENAPI)).statusCode).toBe(200);
  });

  test('to probes and the demo, and those with a key, do not count', async () => {
    await using service = await openTestService({ settings: { publicRateLimit: 1 } });
    for (let i = 0; i < 3; i++) {
      expect((await service.app.inject({ url: '/healthz' })).statusCode).toBe(200);
      expect((await service.app.inject({ url: '/readyz' })).statusCode).toBe(200);
      expect((await service.get('/status')).statusCode).toBe(200);
      const demo = { method: 'POST', url: '/api/v1/demo/qnn-hybrid', payload: {} } as const;
      expect((await service.app.inject(demo)).statusCode).toBe(400);
    }
    expect((await service.app.inject({ url: OPENAPI })).statusCode).toBe(200);
  });
});

test('every answer says that its type is to be believed, and bears a policy', async () => {
  await using service = await openTestService();
  for (const url of [
    '/',
    '/docs/',
    '/healthz',
    OPENAPI,
    '/api/v1/',
    '/api/v1/status',
    '/nowhere',
  ]) {
    const { headers } = await service.app.inject({ url });
    expect([url, headers['x-content-type-options']]).toEqual([url, 'nosniff']);
    expect([url, headers['content-security-policy']]).toEqual([
      url,
      expect.stringContaining('frame-ancestors'),
    ]);
  }
});
