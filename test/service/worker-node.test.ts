/** A node of a cluster that only runs jobs, and the readiness of nodes. */
import { describe, expect, test } from 'vitest';
import type { NodeFault } from '../../src/service/service-deps.ts';
import { openTestService } from './support/test-service.ts';

const SCRAPER = '192.0.2.9';
const WORKER = { settings: { role: 'worker', metricsAddresses: [SCRAPER] } } as const;

describe('a node with the role worker', () => {
  test.each(['/healthz', '/readyz', '/readyz/', '/metrics'])('answers GET %s', async (url) => {
    await using service = await openTestService(WORKER);
    expect((await service.app.inject({ url, remoteAddress: SCRAPER })).statusCode).toBe(200);
  });

  test('has its metrics read with an admin key, as other nodes do', async () => {
    await using service = await openTestService(WORKER);
    const key = await service.createKey('standard', ['admin']);
    const withKey = { url: '/metrics', headers: { 'x-api-key': key } };
    expect((await service.app.inject(withKey)).statusCode).toBe(200);
    expect((await service.app.inject({ url: '/metrics' })).statusCode).toBe(401);
  });

  test.each([
    ['GET', '/'],
    ['GET', '/docs'],
    ['GET', '/docs/guides'],
    ['GET', '/nothing'],
    ['GET', '/api/v1/status'],
    ['GET', '/api/v1/openapi.json'],
    ['GET', '/api/v1/nothing'],
    ['POST', '/api/v1/quantum/circuits'],
    ['POST', '/api/v1/demo/qnn-hybrid'],
    ['POST', '/metrics'],
    ['OPTIONS', '/api/v1/quantum/circuits'],
  ] as const)('refuses %s %s and says where to send it', async (method, url) => {
    const settings = { ...WORKER.settings, corsOrigins: ['*'] };
    await using service = await openTestService({ settings });
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
    const answer = await service.app.inject({ method, url, headers });
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({
      success: false,
      error: {
        code: 'SERVICE_UNAVAILABLE',
        message: 'This node runs jobs and takes no requests; send them to the other nodes.',
        details: [{ code: 'SERVICE_WORKER_NODE' }],
      },
    });
  });

  test('refuses in the form of IonQ’s interface there', async () => {
    await using service = await openTestService(WORKER);
    const answer = await service.app.inject({ url: '/v0.4/jobs' });
    expect(answer.statusCode).toBe(503);
    expect(answer.json().message).toContain('takes no requests');
  });
});

test.each(['all', 'api'] as const)('a node with the role %s takes requests', async (role) => {
  await using service = await openTestService({ settings: { role } });
  expect((await service.get('/status')).statusCode).toBe(200);
});

test.each(['draining', 'lease lost', 'database away'] as const)(
  'a node is not ready while it is %s, and says so',
  async (reason) => {
    let fault: NodeFault | undefined = reason;
    await using service = await openTestService({ nodeFault: () => fault });
    const ask = () => service.app.inject({ url: '/readyz' });
    const refused = await ask();
    expect([refused.statusCode, refused.body]).toEqual([503, `unready: ${reason}\n`]);
    expect((await service.app.inject({ url: '/healthz' })).statusCode).toBe(200);
    fault = undefined;
    expect((await ask()).body).toBe('ready\n');
  },
);
