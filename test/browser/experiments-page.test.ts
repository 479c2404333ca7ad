// @needs pages
/** The page `#/experiments` of a real service, and the record of an experiment: counts as they come, and the plot. */
import { afterAll, expect } from 'vitest';
import { type FleetService, openFleetService } from '../service/support/fleet-service.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { ConsoleVisit, PHONE, test } from './console-visit.ts';

const TEXT = 'A circuit in Stim’s format, or tasks as JSON';
const SHOTS = 'Shots of each task, at most';

describeWith(['Chromium'], 'the experiments page', () => {
  let visit: ConsoleVisit;
  let served: FleetService;
  test.beforeAll(async ({ opened }) => {
    served = await openFleetService();
    visit = await ConsoleVisit.to(opened, served.service);
  });
  // The visit closes the service.
  afterAll(() => served.fleet.close());

  const open = async (size = undefined as typeof PHONE | undefined) => {
    await visit.open('#/experiments', visit.service.key, size);
    await visit.has('.experiment textarea');
  };
  const state = (name: string) => visit.has(`.status:has-text("${name}")`);
  const plot = () => visit.page.locator('.curve .plot');
  const valueText = () => plot().getAttribute('aria-valuetext');

  test('the threshold of a code: from the form to curves, read with the keyboard, and a table', async () => {
    await open();
    await visit.fill(SHOTS, '5000');
    await visit.fill('Seed', '7');
    await visit.tabTo('Run the experiment');
    await visit.press('Enter');
    await state('Completed');
    expect(await visit.evaluate('location.hash')).toMatch(/^#\/jobs\/exp_/);
    await visit.sees('threshold of repetition codes');
    await visit.sees('12 tasks, ');
    await visit.sees('cross between p =');
    await plot().focus();
    await visit.press('Home');
    expect(await valueText()).toMatch(
      /^p = 0\.02: d = 3 = 0\.0\d+ \(0\.0\d+ to 0\.0\d+\), d = 5 = \S+ \(\S+ to \S+\), d = 7 = /,
    );
    await visit.press('End');
    expect(await valueText()).toMatch(/^p = 0\.2: /);
    await visit.has('.experiment-tasks td:text-is("d = 7, p = 0.05")');
    expect(await visit.page.locator('.experiment-tasks tbody tr').count()).toBe(12);
    expect(await visit.violations()).toEqual([]);
    const download = visit.page.waitForEvent('download');
    await visit.click('Download CSV');
    expect((await download).suggestedFilename()).toMatch(/^exp_\w+\.csv$/);
  });

  test('axis, curves and scale can be chosen', async () => {
    await open();
    await visit.click('Decoders');
    await visit.fill(SHOTS, '2000');
    await visit.click('Run the experiment');
    await state('Completed');
    const legend = () => visit.page.locator('.legend li').allTextContents();
    expect(await legend()).toEqual(['matching', 'none', 'union_find']);
    await visit.page.getByLabel('decoder', { exact: true }).uncheck();
    await visit.sees('Several tasks of a curve have the same p.');
    expect(await legend()).toEqual([
      'Logical error rate',
      'Logical error rate (2)',
      'Logical error rate (3)',
    ]);
    await visit.page.getByLabel('decoder', { exact: true }).check();
    await visit.page.getByLabel('Horizontal axis').selectOption('d');
    await visit.page.getByLabel('logarithmic').uncheck();
    await plot().focus();
    await visit.press('Home');
    expect(await valueText()).toMatch(/^d = 5: matching = /);
    expect(await visit.violations()).toEqual([]);
  });

  test('counts grow while it runs, and stay when it is cancelled', async () => {
    await open();
    await visit.fill(SHOTS, '1000000000000');
    await visit.fill('Errors of each task, about at most', '');
    await visit.click('Run the experiment');
    const shots = async () =>
      Number(
        (await visit.page.locator('.experiment-tasks tbody td').nth(3).textContent())?.replaceAll(
          ',',
          '',
        ),
      );
    await expect.poll(shots).toBeGreaterThan(0);
    const first = await shots();
    await expect.poll(shots).toBeGreaterThan(first);
    await state('Running');
    expect(await visit.violations()).toEqual([]);
    await visit.click('Cancel');
    await state('Cancelled');
    expect(await shots()).toBeGreaterThan(first);
  });

  test('faults are shown at their fields, those of the service too', async () => {
    await open();
    await visit.fill(SHOTS, 'many');
    await visit.fill(TEXT, '[{]');
    await visit.click('Run the experiment');
    await visit.sees('Shots are a whole number from 1 on.');
    await visit.sees('The JSON cannot be read');
    await visit.fill(SHOTS, '100');
    await visit.fill(TEXT, '[{"stim": "M 0"}, {"stim": "FROBNICATE 0"}]');
    await visit.click('Run the experiment');
    await visit.has('.field .fault:has-text("Task 1: ")');
    expect(await visit.violations()).toEqual([]);
  });

  test('tasks without numbers have no plot, and the page says what is missing', async () => {
    await open();
    await visit.click('One circuit');
    await visit.fill(SHOTS, '1000');
    await visit.click('Run the experiment');
    await state('Completed');
    await visit.sees('There is no plot: no task has a number in its metadata.');
    await visit.has('.experiment-tasks td:text-is("1,000")');
  });

  test('fits a phone, with its counts', async () => {
    await open(PHONE);
    await visit.fill(SHOTS, '1000');
    await visit.click('Run the experiment');
    await state('Completed');
    await visit.has('.curve canvas');
    expect(await visit.overflow()).toBe(0);
    expect(await visit.violations()).toEqual([]);
  });

  test('says without a key what it needs', async () => {
    await visit.open('#/experiments');
    await visit.sees('You need an API key with the scopes read and circuits to run an experiment.');
  });
});
