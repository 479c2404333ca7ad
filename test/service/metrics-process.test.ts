// @needs service
/** `/metrics` of the real service, whose parts are put together as an operator has them. */
import { expect } from 'vitest';
import { parseScrape, type Scrape } from '../support/prometheus-text.ts';
import { type SharedService, test } from '../support/shared-service.ts';
import { BELL } from './support/test-service.ts';

let service: SharedService;

test.beforeAll(({ service: shared }) => {
  service = shared;
});

async function scrape(): Promise<Scrape> {
  const answer = await fetch(`${service.origin}/metrics`);
  expect(answer.status).toBe(200);
  return parseScrape(await answer.text());
}

async function post(path: string, body: object): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-api-key': service.key };
  const url = `${service.origin}/api/v1${path}`;
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  await answer.arrayBuffer();
  return answer.status;
}

test('the figures of jobs, engines, devices and models move with what the service does', async () => {
  const before = await scrape();
  for (let i = 0; i < 3; i++) expect(await post('/quantum/circuits', BELL)).toBe(201);
  expect(await post('/quantum/circuits', { ...BELL, target_processor: 'gpu-fleet' })).toBe(201);
  const inputs = [
    [6.1, 2.9, 4.7, 1.4],
    [6.5, 3, 5.5, 1.8],
  ];
  expect(await post('/models/qnn-hybrid/inference', { inputs })).toBe(200);
  const after = await scrape();
  const grown = (name: string, labels = {}) =>
    after.all(name, labels).reduce((sum, { value }) => sum + value, 0) -
    before.all(name, labels).reduce((sum, { value }) => sum + value, 0);

  expect(grown('qcs_jobs_finished_total', { kind: 'circuit', status: 'completed' })).toBe(4);
  expect(grown('qcs_job_run_seconds_count', { kind: 'circuit' })).toBe(4);
  expect(grown('qcs_inferences_total', { outcome: 'completed', source: 'key' })).toBe(1);
  expect(grown('qcs_inference_rows_total')).toBe(2);
  // Agents and models run circuits for their self-tests, too, whenever a minute is over.
  const simulator = { processor: 'statevector-sim', engine: 'cpu', work: 'circuit' };
  expect(grown('qcs_engine_circuits_total', simulator)).toBeGreaterThanOrEqual(3);
  expect(grown('qcs_engine_execution_seconds_total', simulator)).toBeGreaterThan(0);
  expect(grown('qcs_engine_compile_seconds_total', simulator)).toBeGreaterThan(0);
  const batches = { processor: 'gpu-fleet', engine: 'cpu', work: 'batch' };
  expect(grown('qcs_engine_tasks_total', batches)).toBeGreaterThanOrEqual(1);
  expect(grown('qcs_engine_circuits_total', batches)).toBeGreaterThanOrEqual(2);
  expect(grown('qcs_fleet_device_tasks_total', { ending: 'completed' })).toBeGreaterThan(0);
  expect(grown('qcs_fleet_device_busy_seconds_total')).toBeGreaterThan(0);
});

test('circuits with noise are counted by method, with their trajectories', async () => {
  const before = await scrape();
  const noise = { gates: [{ gates: ['*'], channel: { type: 'bit_flip', probability: 1 } }] };
  const noisy = { ...BELL, noise, target_processor: 'qvm' };
  for (const method of ['statevector', 'density_matrix', 'density_matrix']) {
    expect(await post('/quantum/circuits', { ...noisy, method })).toBe(201);
  }
  const { circuit } = BELL;
  const programs = [{ circuit, noise, shots: 10, method: 'statevector' }];
  expect(await post('/quantum/batches', { target_processor: 'qvm', programs })).toBe(201);
  const after = await scrape();
  const grown = (name: string, labels: Record<string, string>) =>
    after.value(name, labels) - before.value(name, labels);
  const processor = 'qvm';
  expect(grown('qcs_noisy_circuits_total', { processor, method: 'trajectories' })).toBe(2);
  expect(grown('qcs_noisy_circuits_total', { processor, method: 'density_matrix' })).toBe(2);
  // The flips are certain, so all shots take one trajectory; that of the batch is not counted.
  expect(grown('qcs_trajectories_total', { processor })).toBe(1);
});

test('what the service is can be seen before anything happened', async () => {
  const { value } = await scrape();
  expect(value('qcs_processor_available', { processor: 'statevector-sim' })).toBe(1);
  expect(value('qcs_processor_available', { processor: 'superconducting-1' })).toBe(0);
  expect(value('qcs_model_available', { model: 'qnn-hybrid' })).toBe(1);
  expect(value('qcs_fleet_devices', { state: 'available' })).toBe(48);
});
