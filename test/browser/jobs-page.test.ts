// @needs facilities
/** The page `#/jobs` of a real service: many jobs, filters, one job, keys alone, axe. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { EngineFailure } from '../../src/fleet/errors.ts';
import { FakeProcessor } from '../service/support/fake-processor.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { ConsoleVisit, DESK, PHONE } from './console-visit.ts';

const NUM_JOBS = 300;

describeWith(['Chromium'], 'the jobs page', () => {
  let visit: ConsoleVisit;
  const processor = new FakeProcessor();
  const other = new FakeProcessor({ id: 'qvm', name: 'Virtual machine', family: 'qvm' });
  beforeAll(async () => {
    visit = await ConsoleVisit.start({ processors: [processor, other] });
    for (let i = 0; i < NUM_JOBS; i += 1) await submit({ name: `job ${i}` });
  });
  afterAll(async () => {
    await visit?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    processor.isHolding = false;
    visit.complaints.length = 0;
  });
  afterEach(() => expect(visit.complaints).toEqual([]));

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
  const rows = () => visit.page.$$eval('.job-row', (all) => all.map((row) => row.textContent));
  const hash = () => visit.page.evaluate('location.hash');

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
    await visit.page.focus('.job-list');
    // Each press shows the end of what has been read, and so the next page is asked for.
    while (
      (await visit.page.evaluate(`document.body.innerText.includes('${NUM_JOBS} jobs.')`)) !== true
    ) {
      await visit.page.keyboard.press('End');
    }
    await visit.page.keyboard.press('End');
    await visit.page.waitForFunction(
      `[...document.querySelectorAll('.job-row b')].some((each) => each.textContent === 'job 0')`,
    );
    expect((await rows()).length).toBeLessThan(60);
  });

  test('arrows choose a job, Enter opens it, and the way back is a link', async () => {
    await visit.open('#/jobs', visit.service.key);
    await visit.sees(`job ${NUM_JOBS - 1}`);
    await visit.tabTo('Jobs');
    while ((await visit.page.evaluate(`document.activeElement.className`)) !== 'job-list card') {
      await visit.page.keyboard.press('Tab');
    }
    await visit.page.keyboard.press('ArrowDown');
    await visit.page.keyboard.press('ArrowDown');
    const chosen = await visit.page.$eval(
      '.job-row[aria-selected="true"]',
      (row) => row.textContent,
    );
    expect(chosen).toContain(`job ${NUM_JOBS - 2}`);
    await visit.page.keyboard.press('Enter');
    await visit.page.waitForSelector('h1::-p-text(job 298)');
    await visit.tabTo('All jobs');
    await visit.page.keyboard.press('Enter');
    await visit.page.waitForSelector('.job-list');
    expect(await hash()).toBe('#/jobs');
  });

  test('filters are held in the address', async () => {
    await submit({ name: 'tagged', tags: ['blue'], target_processor: 'qvm' });
    await visit.open('#/jobs', visit.service.key);
    await visit.sees('tagged');
    await visit.page.locator('input[type=search]').fill('job 29');
    await visit.page.waitForFunction(
      `document.querySelector('.job-row')?.textContent.includes('job 299')`,
    );
    expect(await hash()).toBe('#/jobs?text=job+29');
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
    await visit.page.waitForFunction(
      `/Running|Waiting/.test(document.querySelector('.status')?.textContent)`,
    );
    await visit.page.waitForSelector('button::-p-text(Cancel)');
    expect(await visit.violations()).toEqual([]);
    processor.held.at(-1)?.finish();
    await visit.page.waitForSelector('.histogram svg[aria-label^="Counts: 100 shots"]');
    await visit.sees('Completed');
    expect(await visit.violations()).toEqual([]);
  });

  test('the list shows that a job has ended', async () => {
    processor.isHolding = true;
    await submit({ name: 'listed while it runs' });
    const isFirst = (status: string) =>
      visit.page.waitForFunction(
        `(() => { const text = document.querySelector('.job-row')?.textContent ?? '';
          return text.includes('listed while it runs') && ${status}.test(text); })()`,
      );
    await visit.open('#/jobs', visit.service.key);
    await isFirst('/Running|Waiting/');
    processor.held.at(-1)?.finish();
    await isFirst('/Completed/');
  });

  test('a job is cancelled, run again and deleted after a question', async () => {
    processor.isHolding = true;
    const id = await submit({ name: 'unwanted' });
    await visit.open(`#/jobs/${id}`, visit.service.key);
    await visit.click('Cancel');
    await visit.page.waitForSelector('.status::-p-text(Cancelled)');
    processor.isHolding = false;
    await visit.click('Run again');
    await visit.page.waitForFunction(`!location.hash.endsWith('${id}')`);
    await visit.page.waitForSelector('.status::-p-text(Completed)');
    await visit.click('Delete');
    await visit.page.waitForSelector('dialog[open]');
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
    await visit.page.waitForSelector('.notice.bad::-p-text(It broke.)');
    await visit.page.waitForSelector('.status::-p-text(Failed)');
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
