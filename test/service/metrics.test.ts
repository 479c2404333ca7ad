/** `/metrics`: who may read it, and that its figures are those of what happened. */

import { PerformanceObserver } from 'node:perf_hooks';
import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, test } from 'vitest';
import { EngineLostError } from '../../src/fleet/errors.ts';
import { JOB_KINDS } from '../../src/jobs/job.ts';
import type { ClusterFigures } from '../../src/service/metrics/cluster-metrics.ts';
import { ServiceMetrics } from '../../src/service/metrics/service-metrics.ts';
import { eventually } from '../support/eventually.ts';
import { parseScrape, type Scrape } from '../support/prometheus-text.ts';
import { FakeDevices } from './support/fake-devices.ts';
import { FakeProcessor } from './support/fake-processor.ts';
import { openModelService } from './support/model-service.ts';
import {
  BELL,
  openTestService,
  START,
  settled,
  type TestOverrides,
  type TestService,
} from './support/test-service.ts';

/** Where scrapes of these tests come from. */
const SCRAPER = '192.0.2.9';
const open = { settings: { metricsAddresses: [SCRAPER] } };
const FLOWER = [6.1, 2.9, 4.7, 1.4];

type Headers = Readonly<Record<string, string>>;

function get(
  { app }: Pick<TestService, 'app'>,
  remoteAddress = SCRAPER,
  headers: Headers = {},
): Promise<LightMyRequestResponse> {
  return app.inject({ url: '/metrics', remoteAddress, headers });
}

async function scrape(service: Pick<TestService, 'app'>): Promise<Scrape> {
  const answer = await get(service);
  expect(answer.statusCode).toBe(200);
  return parseScrape(answer.body);
}

async function infer({ request }: TestService, body: object): Promise<number> {
  const answer = await request({
    method: 'POST',
    url: '/models/qnn-hybrid/inference',
    payload: body,
  });
  return answer.statusCode;
}

describe('GET /metrics', () => {
  test('answers in the text format of Prometheus, not to be kept', async () => {
    await using service = await openTestService(open);
    const answer = await get(service);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(parseScrape(answer.body).types.size).toBeGreaterThan(20);
  });

  test('is for keys with the scope admin, whose limit it counts towards', async () => {
    await using service = await openTestService();
    const key = await service.createKey('standard', ['admin']);
    const answer = await get(service, '192.0.2.1', { 'x-api-key': key });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['x-ratelimit-remaining']).toBe('99999');
  });

  test('answers 403 to a key without that scope, in the envelope', async () => {
    await using service = await openTestService();
    const answer = await get(service, '192.0.2.1', { 'x-api-key': service.key });
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({
      success: false,
      error: { code: 'FORBIDDEN', details: [{ code: 'SERVICE_SCOPE_MISSING' }] },
    });
  });

  test('answers 401 without a key, in the envelope', async () => {
    await using service = await openTestService();
    const answer = await get(service);
    expect(answer.statusCode).toBe(401);
    expect(answer.json()).toMatchObject({
      success: false,
      error: { code: 'UNAUTHORIZED', details: [{ code: 'SERVICE_KEY_MISSING' }] },
    });
  });

  test('answers 404 to other methods, and names those there are', async () => {
    await using service = await openTestService(open);
    const answer = await service.app.inject({ method: 'POST', url: '/metrics' });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['allow']).toBe('GET, HEAD');
    expect(answer.json().error.details[0].code).toBe('SERVICE_METHOD_NOT_FOUND');
  });
});

describe('an address that the operator names', () => {
  test.each([
    ['192.0.2.9', ['192.0.2.9'], 200],
    ['192.0.2.10', ['192.0.2.9'], 401],
    ['10.1.2.3', ['192.0.2.9', '10.0.0.0/8'], 200],
    ['11.1.2.3', ['10.0.0.0/8'], 401],
    ['::ffff:10.1.2.3', ['10.0.0.0/8'], 200],
    ['2001:db8::7', ['2001:db8::/32'], 200],
    ['2001:db9::7', ['2001:db8::/32'], 401],
    ['fe80::1%eth0', ['fe80::/10'], 200],
  ])('%s, where %s are named, is answered %i', async (address, metricsAddresses, expected) => {
    await using service = await openTestService({ settings: { metricsAddresses } });
    expect((await get(service, address)).statusCode).toBe(expected);
  });

  test('is not believed from a header, unless a trusted proxy sent it', async () => {
    const metricsAddresses = [SCRAPER];
    const spoofed = { 'x-forwarded-for': SCRAPER };
    await using plain = await openTestService({ settings: { metricsAddresses } });
    expect((await get(plain, '198.51.100.1', spoofed)).statusCode).toBe(401);
    await using proxied = await openTestService({
      settings: { metricsAddresses, trustedProxies: ['10.0.0.1'] },
    });
    expect((await get(proxied, '198.51.100.1', spoofed)).statusCode).toBe(401);
    expect((await get(proxied, '10.0.0.1', spoofed)).statusCode).toBe(200);
    const withPort = { 'x-forwarded-for': `${SCRAPER}:4711` };
    expect((await get(proxied, '10.0.0.1', withPort)).statusCode).toBe(200);
    const through = { 'x-forwarded-for': `${SCRAPER}, 198.51.100.1` };
    expect((await get(proxied, '10.0.0.1', through)).statusCode).toBe(401);
    expect((await get(proxied, '10.0.0.1')).statusCode).toBe(401);
  });

  test('costs nothing of a limit, and may use its budget of failures elsewhere', async () => {
    await using service = await openTestService(open);
    for (let i = 0; i < 70; i++) expect((await get(service)).statusCode).toBe(200);
    const { headers, statusCode } = await get(service);
    expect(statusCode).toBe(200);
    expect(headers).not.toHaveProperty('ratelimit');
    const elsewhere = { url: '/api/v1/status', remoteAddress: SCRAPER };
    expect((await service.app.inject(elsewhere)).statusCode).toBe(401);
  });

  test('opens nothing else', async () => {
    await using service = await openTestService(open);
    for (const url of ['/api/v1/status', '/api/v1/keys/info', '/api/v1/models']) {
      const answer = await service.app.inject({ url, remoteAddress: SCRAPER });
      expect(answer.statusCode).toBe(401);
    }
  });

  test('has a key that it sends checked', async () => {
    await using service = await openTestService(open);
    const wrong = await get(service, SCRAPER, { 'x-api-key': 'qcs_wrong' });
    const weak = await get(service, SCRAPER, { 'x-api-key': service.key });
    expect([wrong.statusCode, weak.statusCode]).toEqual([401, 403]);
  });
});

describe('requests', () => {
  const CIRCUITS = { route: '/api/v1/quantum/circuits', method: 'POST' };

  test('are counted by route, method and status, with their durations', async () => {
    await using service = await openTestService(open);
    for (let i = 0; i < 3; i++) await service.submit(BELL);
    await service.submit({});
    const before = await scrape(service);
    expect(before.value('qcs_http_requests_total', { ...CIRCUITS, status: '201' })).toBe(3);
    expect(before.value('qcs_http_requests_total', { ...CIRCUITS, status: '400' })).toBe(1);
    expect(before.value('qcs_http_request_duration_seconds_count', CIRCUITS)).toBe(4);
    expect(before.value('qcs_http_request_duration_seconds_sum', CIRCUITS)).toBeGreaterThan(0);
    await service.submit(BELL);
    const after = await scrape(service);
    expect(after.value('qcs_http_requests_total', { ...CIRCUITS, status: '201' })).toBe(4);
    expect(after.value('qcs_http_requests_total', { route: '/metrics', status: '200' })).toBe(1);
  });

  test('take their time from the answer', async () => {
    await using service = await openTestService(open);
    service.processor.isHolding = true;
    const sentAt = performance.now();
    const answer = service.submit(BELL);
    while (service.processor.held.length === 0) await settled();
    const since = performance.now();
    while (performance.now() - since < 30) await settled();
    service.processor.held[0]!.finish();
    await answer;
    const { all, value } = await scrape(service);
    const seconds = value('qcs_http_request_duration_seconds_sum', CIRCUITS);
    expect(seconds).toBeGreaterThan(0.03);
    expect(seconds).toBeLessThan((performance.now() - sentAt) / 1000);
    // It took 30 ms or more, and is counted in every bucket of what it took and longer.
    const buckets = all('qcs_http_request_duration_seconds_bucket', CIRCUITS);
    expect(buckets.length).toBeGreaterThan(5);
    for (const { labels, value: count } of buckets) {
      const bound = Number(labels['le']?.replace('+Inf', 'Infinity'));
      expect([bound, count]).toEqual([bound, seconds <= bound ? 1 : 0]);
    }
  });

  test('for paths that nothing is at are one series a method and status', async () => {
    await using service = await openTestService(open);
    await service.app.inject({ url: '/first' });
    await scrape(service);
    const before = await scrape(service);
    for (let i = 0; i < 100; i++) {
      await service.app.inject({ url: `/${i}/../x${i}?y=${i}` });
      await service.get(`/quantum/circuits/circ_${i}`);
    }
    const after = await scrape(service);
    const unmatched = after.all('qcs_http_requests_total', { route: 'unmatched' });
    expect(unmatched.map(({ labels, value }) => [labels['status'], value])).toEqual([['404', 101]]);
    const seriesOf = ({ samples }: Scrape, name: string) =>
      samples.filter((sample) => sample.name === name).length;
    // That of the circuits' pattern has come.
    const requests = 'qcs_http_requests_total';
    expect(seriesOf(after, requests)).toBe(seriesOf(before, requests) + 1);
    const byCircuit = after.all(requests, { route: '/api/v1/quantum/circuits/:circuit_id' });
    expect(byCircuit.map(({ value }) => value)).toEqual([100]);
  });

  test('with paths that cannot be read, or are too long, are counted as unmatched', async () => {
    await using service = await openTestService(open);
    await service.app.inject({ url: '/%zz' });
    await service.get(`/quantum/circuits/${'x'.repeat(300)}`);
    const { all, value } = await scrape(service);
    const unmatched = all('qcs_http_requests_total', { route: 'unmatched' });
    expect(unmatched.map(({ labels, value }) => [labels['status'], value])).toEqual([
      ['400', 1],
      ['404', 1],
    ]);
    expect(value('qcs_http_errors_total', { code: 'SERVICE_HTTP_MALFORMED' })).toBe(1);
  });

  test('with unusual methods are one series', async () => {
    await using service = await openTestService(open);
    for (const method of ['PROPFIND', 'MKCOL', 'LOCK'] as const) {
      await service.app.inject({ method: method as 'GET', url: '/metrics' });
    }
    const { all } = await scrape(service);
    const other = all('qcs_http_requests_total', { method: 'other' });
    expect(other.map(({ value }) => value)).toEqual([3]);
  });

  test('that are refused are counted by what was wrong', async () => {
    await using service = await openTestService({
      settings: { ...open.settings, rateLimits: { standard: 2, enterprise: 5 }, demoRateLimit: 1 },
    });
    const admin = await service.createKey('enterprise', ['admin']);
    for (let i = 0; i < 5; i++) await service.get('/status');
    await service.app.inject({ url: '/api/v1/status' });
    await service.get('/status', { 'x-api-key': admin });
    const demo = { method: 'POST', url: '/api/v1/demo/qnn-hybrid', payload: {} } as const;
    for (let i = 0; i < 3; i++) await service.app.inject(demo);
    const { value } = await scrape(service);
    const errors = (code: string) => value('qcs_http_errors_total', { code });
    expect(errors('SERVICE_RATE_LIMIT')).toBe(3);
    expect(errors('SERVICE_KEY_MISSING')).toBe(1);
    expect(errors('SERVICE_SCOPE_MISSING')).toBe(1);
    expect(errors('SERVICE_DEMO_RATE_LIMIT')).toBe(2);
  });

  test('bring no id, key or address into any label', async () => {
    await using service = await openTestService(open);
    const { data } = (await service.submit(BELL)).json();
    await service.get(`/quantum/circuits/${data.circuit_id}`);
    const text = (await get(service)).body;
    const { id } = (await service.get('/keys/info')).json().data;
    for (const secret of [data.circuit_id, service.key, id, SCRAPER, 'statevector-sim?']) {
      expect(text).not.toContain(secret);
    }
  });
});

describe('jobs', () => {
  const KIND = { kind: 'circuit' };
  const prefer = { prefer: 'respond-async' };

  test('are in flight until they end, and are then counted by how', async () => {
    await using service = await openTestService(open);
    service.processor.isHolding = true;
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      ids.push((await service.submit(BELL, prefer)).json().data.circuit_id);
    }
    while (service.processor.held.length < 4) await settled();
    service.processor.held[0]!.hooks.onStarted?.();
    await settled();
    const during = await scrape(service);
    expect(during.value('qcs_jobs_in_flight', { ...KIND, status: 'queued' })).toBe(3);
    expect(during.value('qcs_jobs_in_flight', { ...KIND, status: 'running' })).toBe(1);
    expect(during.value('qcs_processor_queue_depth')).toBe(4);

    service.clock.now += 1500;
    service.processor.held[0]!.finish();
    service.processor.held[0]!.fail(new EngineLostError(2));
    await service.request({ method: 'POST', url: `/quantum/circuits/${ids[3]}/cancel` });
    await service.runner.waitFor(ids[0]!);
    const after = await scrape(service);
    const finished = (status: string) =>
      after.value('qcs_jobs_finished_total', { ...KIND, status });
    expect(finished('completed')).toBe(1);
    expect(finished('failed')).toBe(1);
    expect(finished('cancelled')).toBe(1);
    // Being queued and running are no ends.
    expect(after.all('qcs_jobs_finished_total', KIND)).toHaveLength(3);
    expect(after.value('qcs_job_run_seconds_count', KIND)).toBe(1);
    expect(after.value('qcs_job_run_seconds_sum', KIND)).toBe(1.5);
    expect(after.value('qcs_jobs_in_flight', { ...KIND, status: 'running' })).toBe(0);
  });

  test('that are stored with their outcome alone are counted once', async () => {
    await using service = await openTestService(open);
    for (let i = 0; i < 5; i++) await service.submit(BELL);
    const { value } = await scrape(service);
    expect(value('qcs_jobs_finished_total', { ...KIND, status: 'completed' })).toBe(5);
    expect(value('qcs_job_queue_seconds_count', KIND)).toBe(5);
  });

  test('of kinds that never came are counted as none', async () => {
    await using service = await openTestService(open);
    const { all } = await scrape(service);
    const finished = all('qcs_jobs_finished_total');
    expect(finished).toHaveLength(3 * JOB_KINDS.length);
    expect(finished.every(({ value }) => value === 0)).toBe(true);
  });
});

describe('engines', () => {
  test('are counted by what they ran', async () => {
    await using models = await openModelService(open);
    const { service } = models;
    const before = await scrape(service);
    for (let i = 0; i < 2; i++) await service.submit(BELL);
    const { value } = await scrape(service);
    const circuit = { processor: 'statevector-sim', engine: 'reference', work: 'circuit' };
    expect(before.all('qcs_engine_tasks_total', circuit)).toEqual([]);
    expect(value('qcs_engine_tasks_total', circuit)).toBe(2);
    expect(value('qcs_engine_circuits_total', circuit)).toBe(2);
    // What the fake processor says it took: 0.3 ms and 0.2 ms a circuit.
    expect(value('qcs_engine_execution_seconds_total', circuit)).toBeCloseTo(6e-4, 12);
    expect(value('qcs_engine_compile_seconds_total', circuit)).toBeCloseTo(4e-4, 12);
    const { processor, engine } = circuit;
    expect(value('qcs_engine_reuse_total', { processor, engine, reused: 'nothing' })).toBe(2);
    expect(value('qcs_engine_reuse_total', { processor, engine, reused: 'shape' })).toBe(0);
  });
});

describe('models', () => {
  test('count inferences by mode and outcome, and the rows of those that were answered', async () => {
    await using models = await openModelService(open);
    const { service } = models;
    expect(await infer(service, { input: FLOWER })).toBe(200);
    expect(await infer(service, { inputs: [FLOWER, FLOWER] })).toBe(200);
    const theta = new Array(models.models.classifier.card.circuit.parameters).fill(0.1);
    expect(await infer(service, { input: FLOWER, parameters: { theta: [...theta, 0] } })).toBe(400);
    const trained = { model: 'qnn-hybrid', mode: 'trained', source: 'key' };
    const first = await scrape(service);
    expect(first.value('qcs_inferences_total', { ...trained, outcome: 'completed' })).toBe(2);
    expect(first.value('qcs_inference_rows_total', trained)).toBe(3);
    expect(first.value('qcs_inferences_total', { mode: 'custom', outcome: 'refused' })).toBe(1);
    const demo = { method: 'POST', url: '/api/v1/demo/qnn-hybrid' } as const;
    await service.app.inject({ ...demo, payload: { input: FLOWER } });
    const second = await scrape(service);
    expect(second.value('qcs_inferences_total', { source: 'demo', outcome: 'completed' })).toBe(1);
    expect(second.value('qcs_inference_rows_total', { source: 'demo' })).toBe(1);
    expect(second.value('qcs_inferences_total', { ...trained, outcome: 'completed' })).toBe(2);
  });

  test('are available as they are now', async () => {
    await using models = await openModelService(open);
    const { service } = models;
    const before = await scrape(service);
    expect(before.value('qcs_model_available', { model: 'qnn-hybrid' })).toBe(1);
    expect(before.all('qcs_model_available', { model: 'llma-text' })[0]?.value).toBe(0);
    models.fleet.reason = 'unwell';
    models.simulator.reason = 'unwell';
    const after = await scrape(service);
    expect(after.all('qcs_model_available', { model: 'qnn-hybrid' })[0]?.value).toBe(0);
    expect(await infer(service, { input: FLOWER })).toBe(503);
    const { value } = await scrape(service);
    expect(value('qcs_inferences_total', { outcome: 'unavailable' })).toBe(1);
  });
});

describe('the fleet', () => {
  test('shows processors as they are now, and no wait for one that takes nothing', async () => {
    const processor = new FakeProcessor({ physicalGpus: 2 });
    await using service = await openTestService({ ...open, processors: [processor] });
    const before = await scrape(service);
    const waits = 'qcs_processor_expected_wait_seconds';
    expect(before.value('qcs_processor_available')).toBe(1);
    expect(before.value('qcs_processor_physical_gpus')).toBe(2);
    expect(before.value(waits, { width: 'small' })).toBeCloseTo(0.0123, 12);
    expect(before.value(waits, { width: 'wide' })).toBeCloseTo(0.0456, 12);
    processor.reason = 'unwell';
    const after = await scrape(service);
    expect(after.all('qcs_processor_available')[0]?.value).toBe(0);
    expect(after.all(waits)).toEqual([]);
  });

  test('shows its devices by state, and what each has done', async () => {
    const devices = new FakeDevices();
    await using service = await openTestService({ ...open, devices });
    const before = await scrape(service);
    expect(before.value('qcs_fleet_devices', { state: 'available' })).toBe(48);
    devices.setMaintenance('gpu-00', { reason: 'fans' });
    devices.change('gpu-01', {
      availability: { available: false, reason: 'lost', checkedAt: START },
    });
    const counters = { completed: 7, failed: 2, lost: 1, busyMs: 2500 };
    devices.change('gpu-02', { isBusy: true, counters });
    for (let i = 0; i < 2; i++) {
      const { value, all } = await scrape(service);
      const states = all('qcs_fleet_devices').map((sample) => sample.value);
      expect(states).toEqual([46, 1, 1]);
      expect(value('qcs_fleet_devices_busy')).toBe(1);
      expect(value('qcs_fleet_device_busy_seconds_total', { device: 'gpu-02' })).toBe(2.5);
      const tasks = all('qcs_fleet_device_tasks_total', { device: 'gpu-02' });
      expect(tasks.map((sample) => [sample.labels['ending'], sample.value])).toEqual([
        ['completed', 7],
        ['failed', 2],
        ['lost', 1],
      ]);
    }
  });
});

describe('the process', () => {
  test('uses CPU time, of which its event loop was at work for a part', async () => {
    await using service = await openTestService(open);
    const begun = performance.now();
    const before = await scrape(service);
    let after = before;
    const grown = (name: string) => after.value(name) - before.value(name);
    const cpu = () =>
      grown('process_cpu_user_seconds_total') + grown('process_cpu_system_seconds_total');
    const active = () => grown('nodejs_eventloop_active_seconds_total');
    // Scraping is work; how much of it makes so much time depends on the machine.
    while (cpu() < 0.02 || active() < 0.02) after = await scrape(service);
    expect(active()).toBeLessThan((performance.now() - begun) / 1000);
    expect(after.value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect(after.value('process_start_time_seconds')).toBeGreaterThan(1.6e9);
  });

  test('tells how long its event loop was held', async () => {
    await using service = await openTestService(open);
    await settled();
    const lag = async () => (await scrape(service)).value('nodejs_eventloop_lag_seconds_sum');
    const before = await lag();
    const since = performance.now();
    while (performance.now() - since < 120);
    await eventually(async () => expect((await lag()) - before).toBeGreaterThan(0.09));
  });

  test('tells of every garbage collection, also of those that are reported together', async () => {
    await using service = await openTestService(open);
    const numCounted = async () =>
      (await scrape(service))
        .all('nodejs_gc_duration_seconds_count')
        .reduce((sum, { value }) => sum + value, 0);
    const before = await numCounted();
    const pauses = { numSeen: 0, mostAtOnce: 0 };
    const observer = new PerformanceObserver((list) => {
      const { length } = list.getEntries();
      pauses.numSeen += length;
      pauses.mostAtOnce = Math.max(pauses.mostAtOnce, length);
    });
    observer.observe({ entryTypes: ['gc'] });
    while (pauses.mostAtOnce < 2) {
      const garbage: object[] = [];
      // So much of it in one turn that the young generation fills several times.
      for (let i = 0; i < 4_000_000; i++) garbage[i % 1000] = new Array(8);
      await settled();
    }
    // Observers of one process hear of pauses in the same turn.
    observer.disconnect();
    expect((await numCounted()) - before).toBeGreaterThanOrEqual(pauses.numSeen);
  });

  test('tells what is running', async () => {
    await using service = await openTestService(open);
    const { all } = await scrape(service);
    expect(all('qcs_build_info')).toEqual([
      {
        name: 'qcs_build_info',
        labels: { version: '0.1.0', nodejs: process.versions.node },
        value: 1,
      },
    ]);
  });
});

test('services of one process count each for itself', async () => {
  const services: TestService[] = [];
  await using stack = new AsyncDisposableStack();
  const overrides: TestOverrides = open;
  for (let i = 0; i < 10; i++) services.push(stack.use(await openTestService(overrides)));
  await services[3]!.submit(BELL);
  const scrapes = await Promise.all(services.map((service) => scrape(service)));
  const completed = { kind: 'circuit', status: 'completed' };
  expect(scrapes.map(({ value }) => value('qcs_jobs_finished_total', completed))).toEqual([
    0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
  ]);
});

describe('the metrics of a node of a cluster', () => {
  const FIGURES: ClusterFigures = {
    nodes: ['up', 'up', 'draining', 'stopped'],
    leaseAgeMs: 250,
    numClaims: 17,
    numGivenUp: 1,
    queuedJobs: new Map([
      ['circuits', 12],
      ['tpu', 1],
    ]),
    notifications: { sent: 5, received: 7 },
  };
  const openNode = async (figures: () => ClusterFigures) => {
    const metrics = new ServiceMetrics(() => 0);
    metrics.setCluster({ node: 'node-a', figures });
    return await openTestService({ ...open, metrics });
  };

  test('carry its name in every sample', async () => {
    await using service = await openNode(() => FIGURES);
    await service.submit(BELL);
    const { samples } = await scrape(service);
    expect(samples.length).toBeGreaterThan(100);
    expect(samples.filter(({ labels }) => labels['node'] !== 'node-a')).toEqual([]);
  });

  test('are what the node knows at the scrape', async () => {
    let figures = FIGURES;
    await using service = await openNode(() => figures);
    const first = await scrape(service);
    const states = ['up', 'draining', 'silent', 'stopped'];
    const nodes = (of: Scrape) => states.map((state) => of.value('qcs_cluster_nodes', { state }));
    expect(nodes(first)).toEqual([2, 1, 0, 1]);
    expect(first.value('qcs_cluster_lease_age_seconds')).toBe(0.25);
    expect(first.value('qcs_cluster_claims_total')).toBe(17);
    expect(first.value('qcs_cluster_nodes_given_up_total')).toBe(1);
    expect(first.value('qcs_cluster_jobs_queued', { line: 'circuits' })).toBe(12);
    expect(first.value('qcs_cluster_notifications_total', { direction: 'sent' })).toBe(5);
    expect(first.value('qcs_cluster_notifications_total', { direction: 'received' })).toBe(7);

    figures = { ...FIGURES, numClaims: 20, queuedJobs: new Map([['tpu', 2]]) };
    const second = await scrape(service);
    expect(second.value('qcs_cluster_claims_total')).toBe(20);
    expect(
      second.all('qcs_cluster_jobs_queued').map(({ labels, value }) => [labels['line'], value]),
    ).toEqual([['tpu', 2]]);
  });

  test('have no age of a lease that was never renewed', async () => {
    await using service = await openNode(() => ({ ...FIGURES, leaseAgeMs: undefined }));
    expect((await scrape(service)).all('qcs_cluster_lease_age_seconds')).toEqual([]);
  });

  test('are missing without a cluster, as is the label', async () => {
    await using service = await openTestService(open);
    const { types, samples } = await scrape(service);
    expect([...types.keys()].filter((name) => name.startsWith('qcs_cluster'))).toEqual([]);
    expect(samples.filter(({ labels }) => 'node' in labels)).toEqual([]);
  });
});
