// @needs pages
/** The page `#/sweeps` of a real service, whose processor is a CPU engine. */
import { afterAll, beforeEach, expect } from 'vitest';
import { EngineProcessor } from '../support/engine-processor.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { ConsoleVisit, PHONE, test } from './console-visit.ts';

describeWith(['Chromium'], 'the sweeps page', () => {
  let visit: ConsoleVisit;
  let processor: EngineProcessor;
  test.beforeAll(async ({ opened }) => {
    processor = new EngineProcessor('statevector-sim');
    visit = await ConsoleVisit.start(opened, { processors: [processor] });
  });
  afterAll(async () => {
    await processor[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    processor.gate = undefined;
  });

  const open = async (hash = '#/sweeps', size = undefined as typeof PHONE | undefined) => {
    await visit.open(hash, visit.service.key, size);
    await visit.has('.setup textarea');
  };
  const state = (name: string) => visit.has(`.result .chip:text-is("${name}")`);
  const plot = () => visit.page.locator('.result .plot').first();
  const valueText = () => plot().getAttribute('aria-valuetext');

  test('one input gives curves, read with the keyboard', async () => {
    await open();
    await visit.click('Run the sweep');
    await state('completed');
    await visit.sees('41 of 41 points, simulated on a CPU of the tests');
    await visit.sees('Z0 is least, −1, at a = 3.142, and greatest, 1, at a = 0.');
    await visit.sees('Derivative');
    await plot().focus();
    await visit.press('End');
    expect(await valueText()).toMatch(/^a = 6\.283: Z0 = 1, X0 = /);
    await visit.press('ArrowLeft');
    expect(await valueText()).toMatch(/^a = 6\.126: /);
    expect(await visit.violations()).toEqual([]);
  });

  test('two inputs give a heat map, read with the keyboard and as a table', async () => {
    await open();
    await visit.click('QAOA on a ring');
    await visit.click('Run the sweep');
    await state('completed');
    await visit.sees('cut is least, 1, at gamma = 0.7854 and beta = 0.3927');
    await plot().focus();
    expect(await valueText()).toBe('gamma = 0.7854, beta = 0.3927: cut = 1');
    await visit.press('Home');
    await visit.press('ArrowUp');
    expect(await valueText()).toBe('gamma = 0, beta = 0.4909: cut = 2');
    expect(await visit.violations()).toEqual([]);
    await visit.page.getByText('The values as a table').click();
    const rows = () => visit.page.locator('tbody tr').count();
    await expect.poll(rows).toBe(1000);
    await visit.click('More rows');
    await expect.poll(rows).toBe(1089);
  });

  test('the probability of an outcome is estimated from shots, with its errors', async () => {
    await open();
    await visit.click('Ramsey fringe');
    await visit.click('Run the sweep');
    await state('completed');
    await plot().focus();
    await visit.press('Home');
    for (let i = 0; i < 8; i += 1) await visit.press('ArrowRight');
    expect(await valueText()).toMatch(/^phi = −4\.608: P\(1\) = 0\.\d+ ± 0\.0\d+$/);
  });

  test('a circuit of an address is swept with the keyboard alone', async () => {
    const circuit = '[{"gate":"RX","qubit":0,"theta":{"input":"tilt"}}]';
    await open(`#/sweeps?${new URLSearchParams({ circuit })}`);
    await visit.tabTo('Points, input tilt');
    await visit.page.keyboard.type('5');
    await visit.tabTo('Run the sweep');
    await visit.press('Enter');
    await state('completed');
    await visit.sees('5 of 5 points');
    await visit.sees('Z0 is least, −1, at tilt = 3.142');
  });

  test('a sweep is one entry of the jobs by its name, and opens again with its values', async () => {
    await open();
    await visit.fill('Points, input a', '21');
    await visit.fill('Name in the list of jobs', 'my fringe');
    await visit.click('Run the sweep');
    await state('completed');
    const address = await visit.evaluate('location.hash');
    expect(address).toMatch(/^#\/sweeps\?sweep=sweep-[0-9a-f]{8}$/);
    await visit.open('#/jobs?text=fringe', visit.service.key);
    await visit.sees('1 job.');
    const row = await visit.page.locator('.job-row').textContent();
    expect(row).toMatch(/my fringe.*Sweep, 21 points in \d batches/);
    await visit.page.locator('.job-row a').click();
    await state('completed');
    expect(await visit.evaluate('location.hash')).toBe(address);
    await visit.sees('21 of 21 points, simulated on a CPU of the tests');
    await visit.sees('Z0 is least, −1, at a = 3.142, and greatest, 1, at a = 0.');
    expect(await visit.page.locator('input[aria-label="Points, input a"]').inputValue()).toBe('21');
    await visit.open('#/sweeps?sweep=sweep-00000000', visit.service.key);
    await visit.sees('This sweep is no longer there, or it was run with another key.');
  });

  test('faults are shown at their fields, those of the service too', async () => {
    await open();
    await visit.fill('Shots of each point', 'many');
    await visit.click('Run the sweep');
    await visit.sees('Shots are a whole number from 1 on');
    await visit.fill('Shots of each point', '10');
    await visit.fill('Observables, one a line', 'Z9');
    await visit.click('Run the sweep');
    await visit.has(
      '.field:has(label:text-is("Observables, one a line")) .fault:text-is(\'"Z9" names qubit 9, but the circuit has 1 qubit.\')',
    );
    await visit.fill(
      'Gates as JSON, or OpenQASM',
      'OPENQASM 3.0; input float a; qubit q; rx(b) q;',
    );
    await visit.click('Run the sweep');
    await visit.has('.setup .fault:has-text("b")');
    expect(await visit.violations()).toEqual([]);
  });

  test('a sweep is cancelled, and its batch with it', async () => {
    await open();
    processor.gate = new Promise(() => {});
    const before = processor.numAborted;
    const submitted = visit.page.waitForResponse((answer) => answer.url().endsWith('/events'));
    await visit.click('Run the sweep');
    await submitted;
    await visit.click('Cancel');
    await state('cancelled');
    await expect
      .poll(
        async () =>
          (await visit.service.get('/quantum/batches?status=cancelled')).json().data.batches,
      )
      .toHaveLength(1);
    expect(processor.numAborted).toBeGreaterThan(before);
  });

  test('the request that the page shows has no key in it', async () => {
    await open();
    await visit.page.getByText('The sweep by HTTP').click();
    for (const language of ['curl', 'Python', 'TypeScript']) {
      await visit.click(language);
      const text = await visit.page.locator('.api-panel code').textContent();
      expect(text).toContain('Z0');
      expect(text).not.toContain(visit.service.key);
    }
  });

  test('says without a key what it needs', async () => {
    await visit.open('#/sweeps');
    await visit.sees('You need an API key to run a sweep.');
    expect(await visit.violations()).toEqual([]);
  });

  test('fits a phone, with its values', async () => {
    await open('#/sweeps', PHONE);
    await visit.click('Entangled correlations');
    await visit.click('Run the sweep');
    await state('completed');
    expect(await visit.overflow()).toBe(0);
    expect(await visit.violations()).toEqual([]);
  });
});
