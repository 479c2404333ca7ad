// @needs pages
/** The list of `#/jobs` with ten thousand jobs: all are within reach, and few are in the document. */
import { beforeEach, expect } from 'vitest';
import { newJobId } from '../../src/jobs/job.ts';
import { FakeProcessor } from '../service/support/fake-processor.ts';
import { START } from '../service/support/test-service.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { ConsoleVisit, test } from './console-visit.ts';

const NUM_JOBS = 10_000;
/** Rows in sight and those beyond the edges. */
const MOST_ROWS = 50;

describeWith(['Chromium'], 'the list of ten thousand jobs', () => {
  let visit: ConsoleVisit;
  const processor = new FakeProcessor();
  test.beforeAll(async ({ opened }) => {
    visit = await ConsoleVisit.start(opened, { processors: [processor] });
    const { service } = visit;
    const answer = await service.request({
      method: 'POST',
      url: '/quantum/circuits',
      headers: { prefer: 'wait=20' },
      payload: {
        circuit: [{ gate: 'H', qubit: 0 }],
        target_processor: 'statevector-sim',
        shots: 1,
      },
    });
    const one = await service.store.get(answer.json().data.circuit_id);
    if (one === undefined) throw new Error('unreachable: it was stored');
    // Older than the one that ran, each a second younger than the one before.
    for (let i = 0; i < NUM_JOBS - 1; i += 1) {
      await service.store.create({
        ...one,
        id: newJobId('circuit'),
        name: `job ${i}`,
        tags: [i % 1000 === 0 ? 'rare' : 'common'],
        createdAt: START - (NUM_JOBS - i) * 1000,
      });
    }
  });
  beforeEach(async () => {
    await visit.open('#/jobs', visit.service.key);
    await visit.has('.job-row');
    await visit.page.locator('.job-row a').first().focus();
  });

  const names = () => visit.page.locator('.job-row a').allTextContents();
  /** Waits until a job is in sight of the list. */
  const inSight = (name: string) =>
    visit.until(`(() => {
      const { bottom } = document.querySelector('.job-list').getBoundingClientRect();
      const top = document.querySelector('.job-head').getBoundingClientRect().bottom;
      return [...document.querySelectorAll('.job-row')].some((row) => {
        const box = row.getBoundingClientRect();
        return row.querySelector('a').textContent === '${name}' && box.top >= top - 1 && box.bottom <= bottom + 1;
      });
    })()`);
  /** Pixels between the top of the list and the row of a job, to be evaluated. */
  const distanceOf = (job: number) => `(() => {
      const row = [...document.querySelectorAll('.job-row')].find((each) =>
        each.querySelector('a').textContent === 'job ${job}');
      return row?.getBoundingClientRect().top - document.querySelector('.job-head').getBoundingClientRect().bottom;
    })()`;
  const scrollTo = (row: number) =>
    visit.evaluate(`document.querySelector('.job-list').scrollTop = ${row} * 56`);

  /** Goes to the end again and again, until all jobs have been read. */
  const readAll = async () => {
    while (
      (await visit.evaluate(`document.body.innerText.search(/10,00\\d jobs[.]/) >= 0`)) !== true
    ) {
      await visit.press('End');
    }
  };

  test('reads all of them as one goes to their end', async () => {
    await readAll();
    await visit.press('End');
    await inSight('job 0');
    expect((await names()).length).toBeLessThan(MOST_ROWS);
    await visit.press('Home');
    // The newest one has no name.
    await inSight('Circuit');
    expect((await names()).length).toBeLessThan(MOST_ROWS);
  });

  test('shows each of them where one scrolls to', async () => {
    await readAll();
    const seen = new Set<string>();
    for (let row = 0; row < NUM_JOBS; row += 250) {
      await scrollTo(row);
      await inSight(row === 0 ? 'Circuit' : `job ${NUM_JOBS - 1 - row}`);
      const shown = await names();
      expect(new Set(shown).size, `at row ${row}`).toBe(shown.length);
      for (const name of shown) seen.add(name);
    }
    expect(seen.size).toBeGreaterThan(500);
  });

  test('keeps the chosen job while one scrolls away, and opens it by Enter', async () => {
    for (let i = 0; i < 3; i += 1) await visit.press('PageDown');
    await visit.press('ArrowUp');
    const chosen = () => visit.page.locator('.job-row.chosen a').textContent();
    const name = await chosen();
    expect(name).toMatch(/^job \d+$/);
    await scrollTo(90);
    await inSight(`job ${NUM_JOBS - 91}`);
    expect(await chosen()).toBe(name);
    await visit.has('.job-row.chosen a:focus');
    await visit.press('Enter');
    await visit.has(`h1:has-text("${name}")`);
  });

  test('leaves the rows where they are when a job comes in above them', async () => {
    const submit = (name: string) =>
      visit.service.submit(
        { circuit: [{ gate: 'H', qubit: 0 }], target_processor: 'statevector-sim', shots: 1, name },
        { prefer: 'respond-async' },
      );
    // The list is renewed more often while a job runs.
    processor.isHolding = true;
    visit.service.clock.now += 1000;
    await submit('held');
    await visit.open('#/jobs', visit.service.key);
    await inSight('held');
    await scrollTo(41);
    await inSight(`job ${NUM_JOBS - 41}`);
    visit.service.clock.now += 1000;
    await submit('new');
    await visit.until(
      `document.querySelector('.job-list').scrollTop === 42 * 56 && ${distanceOf(NUM_JOBS - 41)} === 0`,
    );
    await scrollTo(0);
    await inSight('new');
    for (const held of [...processor.held]) held.finish();
  });

  test('finds jobs among them by text and by tag, without reading the others', async () => {
    await visit.page.locator('input[type=search]').fill('777');
    // 777, 1777 to 9777 and 7770 to 7779.
    await visit.until(
      `[...document.querySelectorAll('.job-row a')].every((each) => each.textContent.includes('777'))`,
    );
    await visit.sees('19 jobs.');
    expect(await visit.page.locator('.job-row').count()).toBe(19);
    await visit.open('#/jobs?tag=rare', visit.service.key);
    await visit.sees('10 jobs.');
    expect(await names()).toEqual(Array.from({ length: 10 }, (_, i) => `job ${(9 - i) * 1000}`));
  });
});
