// @needs pages
/** The page `#/jobs` of a real service: many jobs, filters, one job, keys alone, axe. */
import { beforeEach, expect } from 'vitest';
import { EngineFailure } from '../../src/fleet/errors.ts';
import { FakeProcessor } from '../service/support/fake-processor.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { ConsoleVisit, DESK, PHONE, test } from './console-visit.ts';

const NUM_JOBS = 300;

describeWith(['Chromium'], 'the jobs page', () => {
  let visit: ConsoleVisit;
  const processor = new FakeProcessor();
  const other = new FakeProcessor({ id: 'qvm', name: 'Virtual machine', family: 'qvm' });
  test.beforeAll(async ({ opened }) => {
    visit = await ConsoleVisit.start(opened, { processors: [processor, other] });
    for (let i = 0; i < NUM_JOBS; i += 1) await submit({ name: `job ${i}` });
  });
  beforeEach(() => {
    processor.isHolding = false;
  });

  /** Submits a circuit, and returns its id at once if it is held, or else when it has ended. */
  async function submit(rest: Readonly<Record<string, unknown>> = {}): Promise<string> {
    // Jobs of one time have no order.
    visit.service.clock.now += 1000;
    const answer = await visit.service.request({
      method: 'POST',
      url: '/quantum/circuits',
      headers: { prefer: processor.isHolding ? 'respond-async' : 'wait=20' },
      payload: {
        circuit: [{ gate: 'H', qubit: 0 }],
        target_processor: 'statevector-sim',
        shots: 100,
        ...rest,
      },
    });
    return answer.json().data.circuit_id;
  }
  const rows = () => visit.page.locator('.job-row').allTextContents();
  const hash = () => visit.evaluate('location.hash');

  test('says without a key what it needs', async () => {
    await visit.open('#/jobs');
    await visit.sees('You need an API key with the scope read to see jobs.');
    await visit.open('#/jobs/circ_1');
    await visit.sees('You need an API key with the scope read to see jobs.');
    expect(await visit.violations()).toEqual([]);
  });

  test('shows the newest jobs first, and older ones as one scrolls', async () => {
    await visit.open('#/jobs', visit.service.key);
    await visit.sees(`job ${NUM_JOBS - 1}`);
    expect((await rows()).length).toBeLessThan(60);
    expect(await visit.violations()).toEqual([]);
    await visit.page.locator('.job-row a').first().focus();
    // Each press shows the end of what has been read, and so the next page is asked for.
    while (
      (await visit.evaluate(`document.body.innerText.includes('${NUM_JOBS} jobs.')`)) !== true
    ) {
      await visit.press('End');
    }
    await visit.press('End');
    await visit.has('.job-row a:text-is("job 0"):focus');
    expect((await rows()).length).toBeLessThan(60);
  });

  test('arrows choose a job, Enter opens it, and the way back is a link', async () => {
    await visit.open('#/jobs', visit.service.key);
    await visit.sees(`job ${NUM_JOBS - 1}`);
    await visit.tabTo('Sent ▾');
    await visit.press('Tab', 'ArrowDown');
    await visit.has('.job-row.chosen a:text-is("job 298"):focus');
    await visit.press('Enter');
    await visit.has('h1:has-text("job 298")');
    await visit.tabTo('All jobs');
    await visit.press('Enter');
    await visit.has('.job-list');
    expect(await hash()).toBe('#/jobs');
  });

  test('Back finds the list as it was: its search, its pages, its scroll', async () => {
    await visit.open('#/jobs?text=job&sort=-job', visit.service.key);
    await visit.sees('job 299');
    await visit.page.locator('.job-row a').first().focus();
    while (
      (await visit.evaluate(`document.body.innerText.includes('${NUM_JOBS} jobs.')`)) !== true
    ) {
      await visit.press('End');
    }
    await visit.evaluate(`document.querySelector('.job-list').scrollTop = 200 * 56`);
    await visit.page.locator('.job-row a:text-is("job 99")').click();
    await visit.has('h1:has-text("job 99")');
    await visit.page.goBack();
    await visit.has('.job-row a:text-is("job 99")');
    expect(await hash()).toBe('#/jobs?text=job&sort=-job');
    expect(await visit.evaluate(`document.querySelector('.job-list').scrollTop`)).toBe(200 * 56);
    expect(await visit.evaluate(`document.querySelector('input[type=search]').value`)).toBe('job');
    await visit.sees(`${NUM_JOBS} jobs.`);
    await visit.page.locator('.job-row a:text-is("job 98")').click();
    await visit.page.getByRole('link', { name: 'All jobs' }).click();
    await visit.has('.job-row a:text-is("job 98")');
    expect(await hash()).toBe('#/jobs?text=job&sort=-job');
  });

  test('a title sorts by its column, and again the other way round', async () => {
    await visit.open('#/jobs?text=job+29', visit.service.key);
    // 29, 129, 229 and 290 to 299: both words are somewhere in the name.
    await visit.sees('13 jobs.');
    await visit.click('Job');
    await visit.has('[role=columnheader][aria-sort="ascending"]:has-text("Job")');
    expect((await rows())[0]).toContain('job 29');
    expect((await rows())[1]).toContain('job 129');
    await visit.page.locator('[role=columnheader] button:has-text("Job")').click();
    await visit.has('[role=columnheader][aria-sort="descending"]:has-text("Job")');
    expect((await rows())[0]).toContain('job 299');
    expect(await hash()).toBe('#/jobs?text=job+29&sort=-job');
    expect(await visit.violations()).toEqual([]);
  });

  test('filters are held in the address', async () => {
    await submit({ name: 'tagged', tags: ['blue'], target_processor: 'qvm' });
    await visit.open('#/jobs', visit.service.key);
    await visit.sees('tagged');
    await visit.page.locator('input[type=search]').fill('job 29');
    await visit.lacks('.job-row:has-text("tagged")');
    await expect.poll(hash).toBe('#/jobs?text=job+29');
    await expect.poll(async () => (await rows())[0]).toContain('job 299');
    await visit.open('#/jobs?tag=blue&where=qvm', visit.service.key);
    await visit.sees('1 job.');
    expect((await rows())[0]).toContain('tagged');
    await visit.open('#/jobs?kind=batch', visit.service.key);
    await visit.sees('No job passes the filters.');
    expect(await visit.violations()).toEqual([]);
    await visit.click('Clear filters');
    await visit.sees('tagged');
  });

  test('a job is followed by its events, and its counts are drawn', async () => {
    processor.isHolding = true;
    const id = await submit({ name: 'held' });
    await visit.open(`#/jobs/${id}`, visit.service.key);
    await visit.has('.status:text-matches("Running|Waiting")');
    await visit.has('button:has-text("Cancel")');
    expect(await visit.violations()).toEqual([]);
    processor.held.at(-1)?.finish();
    await visit.has('.histogram svg[aria-label^="Counts: 100 shots"]');
    await visit.sees('Completed');
    expect(await visit.violations()).toEqual([]);
  });

  test('the list shows that a job has ended', async () => {
    processor.isHolding = true;
    await submit({ name: 'listed while it runs' });
    const first = () => visit.page.locator('.job-row').first().textContent();
    const isFirst = (status: RegExp) => expect.poll(first).toMatch(status);
    await visit.open('#/jobs', visit.service.key);
    await isFirst(/(Running|Waiting).*listed while it runs/);
    processor.held.at(-1)?.finish();
    await isFirst(/Completed.*listed while it runs/);
  });

  test('a job is cancelled, run again and deleted after a question', async () => {
    processor.isHolding = true;
    const id = await submit({ name: 'unwanted' });
    await visit.open(`#/jobs/${id}`, visit.service.key);
    await visit.click('Cancel');
    await visit.has('.status:has-text("Cancelled")');
    processor.isHolding = false;
    await visit.click('Run again');
    await expect.poll(hash).not.toContain(id);
    await visit.has('.status:has-text("Completed")');
    await visit.click('Delete');
    await visit.has('dialog[open]');
    expect(await visit.violations()).toEqual([]);
    await visit.click('Keep it');
    await visit.click('Delete');
    await visit.click('Delete it');
    await visit.sees('The job and its result have been deleted.');
  });

  test('an error is in words, and an unknown id is said to be one', async () => {
    processor.isHolding = true;
    const id = await submit({ name: 'faulty' });
    processor.held.at(-1)?.fail(new EngineFailure('ENGINE_STATE_MEMORY', 'It broke.', []));
    await visit.open(`#/jobs/${id}`, visit.service.key);
    await visit.has('.notice.bad:has-text("It broke.")');
    await visit.has('.status:has-text("Failed")');
    expect(await visit.violations()).toEqual([]);
    for (const unknown of ['circ_01a221450d777f0ab26df3e0c17c4299', 'nothing']) {
      await visit.open(`#/jobs/${unknown}`, visit.service.key);
      await visit.sees('There is no job with this id');
    }
  });

  test.each([PHONE, DESK])('is no wider than the window', async (size) => {
    const id = await submit({
      name: 'a name that is much longer than a phone is wide, to be sure',
    });
    for (const address of ['#/jobs', `#/jobs/${id}`]) {
      await visit.open(address, visit.service.key, size);
      await visit.sees('a name that is much longer');
      expect(await visit.overflow()).toBe(0);
    }
  });
});
