/** The log of requests has what operators need, and no secrets. */
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { BELL, openTestService } from './support/test-service.ts';

function capture() {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, stream };
}

test('a line a request says what was asked, by which key, and how it went', async () => {
  const { lines, stream } = capture();
  await using service = await openTestService({ logger: { level: 'info', stream } });
  await service.get('/quantum/processors/x?secret=1', { 'x-request-id': 'abc' });
  const [key] = await service.deps.keys.list();
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 30,
    request_id: 'abc',
    method: 'GET',
    path: '/api/v1/quantum/processors/x',
    status: 404,
    ms: expect.any(Number),
    key_id: key?.id,
  });
});

test('a proxy that is not named is logged once, with the setting that names it', async () => {
  const { lines, stream } = capture();
  const logger = { level: 'warn', stream };
  const from = { 'x-forwarded-for': '192.0.2.7' };
  const settings = { trustedProxies: ['127.0.0.1'] };
  await using named = await openTestService({ logger, settings });
  await named.get('/status', from);
  await using service = await openTestService({ logger });
  await service.get('/status');
  expect(lines).toEqual([]);
  for (let time = 0; time < 3; time++) await service.get('/status', from);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    address: '127.0.0.1',
    msg: expect.stringContaining('QCS_TRUSTED_PROXIES'),
  });
});

test('no key, secret, query or body gets into the log, whatever happens', async () => {
  const { lines, stream } = capture();
  await using service = await openTestService({ logger: { level: 'trace', stream } });
  const headers = { authorization: 'Bearer s3cr3t', cookie: 'session=s3cr3t' };
  await service.submit({ ...BELL, s3cr3t: 1 }, headers);
  await service.submit(BELL, headers);
  await service.get('/status?key=s3cr3t', headers);
  await service.get('/status', { 'x-api-key': 's3cr3t' });
  service.app.log.info({ req: { headers: { ...headers, 'x-api-key': service.key } } }, 'dump');
  service.app.log.info({ headers: { 'x-api-key': service.key } }, 'dump');
  const log = lines.join('');
  expect(lines.length).toBeGreaterThanOrEqual(6);
  expect(log).not.toContain('s3cr3t');
  expect(log).not.toContain(service.key.split('_')[2]);
  expect(log).toContain('[Redacted]');
});

test('an error that nobody foresaw is logged with its stack and the request id', async () => {
  const { lines, stream } = capture();
  const failing = await openTestService();
  await using service = await openTestService({
    logger: { level: 'error', stream },
    keys: { ...failing.deps.keys, find: () => Promise.reject(new Error('disk on fire')) },
  });
  const answer = await service.get('/status');
  expect(answer.statusCode).toBe(500);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 50,
    request_id: answer.json().meta.request_id,
    err: { message: 'disk on fire', stack: expect.stringContaining('request-log.test.ts') },
  });
});
