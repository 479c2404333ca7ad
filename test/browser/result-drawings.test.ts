// @needs pages
/** Drawings of results on the page of a job: BB84, the slice of a TPU job, and the bars of many outcomes. */
import { afterAll, expect } from 'vitest';
import { Workloads } from '../../src/workloads/workloads.ts';
import { InProcessPool } from '../service/support/in-process-pool.ts';
import { START } from '../service/support/test-service.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { ConsoleVisit, DESK, PHONE, test } from './console-visit.ts';

describeWith(['Chromium'], 'the drawing of a result', () => {
  let visit: ConsoleVisit;
  const workloads = new Workloads({
    processors: [],
    pool: new InProcessPool(),
    queueLimit: 4,
    now: () => START,
  });
  test.beforeAll(async ({ opened }) => {
    await workloads.start();
    visit = await ConsoleVisit.start(opened, { workloads });
  });
  afterAll(async () => {
    await workloads.close();
  });

  /** Sends a job, whose end the page then waits for. @returns Its id. */
  async function sent(url: string, payload: object, id: 'task_id' | 'job_id'): Promise<string> {
    const answer = await visit.service.request({ method: 'POST', url, payload });
    return answer.json().data[id];
  }

  test.each([
    [DESK, 'light'],
    [PHONE, 'dark'],
  ] as const)('of BB84 has the qubits and the error rate', async (size, scheme) => {
    const payload = { task: 'bb84', input: { bits: 400, eavesdrop: true, seed: 5 } };
    const id = await sent('/agents/security/execute', payload, 'task_id');
    await visit.open(`#/jobs/${id}`, visit.service.key, size, scheme);
    await visit.has('.bb84 svg[aria-label*="Eve measured 8"]');
    await visit.has('.bb84 .rate.bad[aria-label*="limit 11.0%"]');
    await visit.sees('the key is given up');
    expect(await visit.overflow()).toBe(0);
    expect(await visit.violations()).toEqual([]);
    await visit.page.locator('summary:has-text("The first qubits as a table")').click();
    await visit.sees('Alice basis');
  });

  test('of a TPU job has its chips in the zone', async () => {
    const payload = {
      job_type: 'inference',
      tpu_type: 'v5e',
      zone: 'us-central1-a',
      input: { inputs: [[5.7, 2.9, 4.2, 1.3]], shots: 0 },
    };
    const id = await sent('/tpu/jobs', payload, 'job_id');
    await visit.open(`#/jobs/${id}`, visit.service.key);
    await visit.sees('of the 64 v5e chips of us-central1-a');
    await visit.has('.status:has-text("Completed")');
    expect(await visit.page.locator('.chips i').count()).toBe(64);
    expect(await visit.page.locator('.chips [data-kind="own"]').count()).toBeGreaterThan(0);
    expect(await visit.violations()).toEqual([]);
  });
});
