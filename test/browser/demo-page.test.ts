// @needs pages
/**
 * The demo in headless Chromium, on the real service: what it shows, with a keyboard alone, and
 * with answers that are none. Runs are answered by the test.
 */
import { beforeEach, expect } from 'vitest';
import { DEMO_FACTS, demoErrorBody } from '../support/demo-facts.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { SMALL_SERVICE, startServiceProcess, temporaryFolder } from '../support/service-process.ts';
import { DESK, PHONE, test } from './browser-page.ts';
import {
  ANSWER,
  BORDERLINE,
  CLOSE,
  DemoVisit,
  type RunAnswer,
  VERSICOLOR,
} from './demo-page-visit.ts';

const [FIRST] = DEMO_FACTS.examples;

describeWith(['Chromium'], 'the demo page', () => {
  let visit: DemoVisit;
  test.beforeAll(async ({ opened }) => {
    visit = await DemoVisit.start(opened);
  });
  beforeEach(() => visit.reset());

  test('opens with the first example as the self-test ran it, and asks for no run', async () => {
    await visit.openDemo();
    expect(await visit.text('chip')).toBe('Self-test: 5.8 · 2.7 · 4.1 · 1.3 cm');
    expect(await visit.text('verdict')).toBe('Virginica');
    expect(visit.runs).toEqual([]);
  });

  test('runs the first example when asked, and shows answer, margin and counts', async () => {
    await visit.openDemo();
    await visit.tabToId('run');
    await visit.press('Enter');
    await visit.textUntil('chip', /^For 5\.8/);
    expect(visit.runs).toEqual([{ input: FIRST?.input }]);
    expect(await visit.text('verdict')).toBe('Virginica');
    expect(await visit.text('margin')).toBe('0.620 ± 0.023 from the threshold: a clear call.');
    expect(await visit.text('sum')).toContain('(861 − 163) / 1,024 = +0.682');
    expect(await visit.text('provenance')).toContain('statevector-sim (cpu, f64)');
    expect(await visit.text('line')).toContain('⟨Z₀⟩ = +0.682');
    const bars = await visit.page.locator('#histogram .own').all();
    expect(bars).toHaveLength(16);
    const boxes = await Promise.all(bars.map((bar) => bar.boundingBox()));
    for (const [i, box] of boxes.entries()) {
      const next = boxes[i + 1];
      if (box && next) expect(box.x + box.width).toBeLessThan(next.x);
    }
    const outcomes = await visit.page.locator('#histogram .outcome').allTextContents();
    const ends = outcomes.map((outcome) => outcome.at(-1)).join('');
    expect(ends).toBe(`${'1'.repeat(8)}${'0'.repeat(8)}`);
    const headings = await visit.page.locator('#histogram .group').allTextContents();
    expect(headings).toEqual(['−1: 163', '+1: 861']);
    expect(await visit.page.locator('#histogram tbody').textContent()).toContain('0000+1214');
  });

  test.each([
    ['a desk', DESK],
    ['a phone', PHONE],
  ])('moves nothing after it is painted first, nor when answers come: %s', async (_, size) => {
    const held = Promise.withResolvers<RunAnswer>();
    visit.answer = () => held.promise;
    await visit.resize(size);
    // On a network that lets a page be painted before the demo's script is there.
    const painted = Promise.withResolvers<void>();
    await visit.page.route('**/demo-page-*.js', async (route) => {
      await painted.promise;
      await route.continue();
    });
    const loaded = visit.loadDemo();
    await visit.until(`performance.getEntriesByName('first-contentful-paint').length > 0`);
    painted.resolve();
    await loaded;
    await visit.page.unroute('**/demo-page-*.js');
    await visit.evaluate(`document.getElementById('answer').scrollIntoView()`);
    await visit.evaluate(`document.getElementById('run').click()`);
    await visit.textUntil('run', /Running/);
    held.resolve(VERSICOLOR);
    await visit.textUntil('verdict', /Versicolor/);
    visit.answer = () => CLOSE;
    await visit.evaluate(`document.getElementById('run').click()`);
    await visit.textUntil('margin', /a close call/);
    // The label of the button and the words of the chip stand elsewhere in their boxes when they change.
    const moved = await visit.evaluate(`new Promise((resolve) => {
      const moved = [];
      const changes = (node) => document.getElementById('run').contains(node) || document.getElementById('chip').contains(node);
      new PerformanceObserver((list) => {
        for (const { sources } of list.getEntries()) {
          for (const { node } of sources) {
            if (!changes(node)) moved.push(node?.outerHTML?.slice(0, 200) ?? node?.textContent ?? 'what is gone');
          }
        }
      }).observe({ type: 'layout-shift', buffered: true });
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(moved)));
    })`);
    expect(moved).toEqual([]);
  });

  test('is used with the keyboard alone: Tab, arrows, Enter', async () => {
    await visit.openDemo();
    visit.answer = () => VERSICOLOR;
    await visit.tabToId('feature-2');
    for (let presses = 0; presses < 15; presses += 1) await visit.press('ArrowRight');
    await visit.press('Tab');
    await visit.press('Home');
    // What was answered before stays, and says that it is of before.
    expect(visit.runs).toEqual([]);
    expect(await visit.text('chip')).toContain('earlier measurements');
    await visit.tabToId('run');
    await visit.press('Enter');
    await visit.textUntil('verdict', /Versicolor/);
    expect(visit.runs).toEqual([{ input: [5.8, 2.7, 5.6, 1] }]);
    expect(await visit.text('chip')).toBe('For 5.8 · 2.7 · 5.6 · 1.0 cm');
    expect(await visit.text('aloud')).toMatch(/^Versicolor: .*a clear call/);
    expect(await visit.focus()).toBe('run');
    await visit.press('Shift+Tab');
    expect(await visit.focus()).toBe('feature-3');
  });

  test('runs by Enter on a slider, and by Space on the button', async () => {
    await visit.openDemo();
    await visit.tabToId('feature-0');
    await visit.press('End');
    await visit.press('Enter');
    await visit.textUntil('chip', /For 7\.9/);
    await visit.tabToId('run');
    await visit.press(' ');
    await visit.textUntil('run', /^Run the circuit$/);
    expect(visit.runs).toHaveLength(2);
  });

  test('runs an example at one press, and shows that it is set', async () => {
    await visit.openDemo();
    visit.answer = () => BORDERLINE;
    await visit.tabToId('feature-0');
    await visit.press('Shift+Tab');
    await visit.press('Enter');
    await visit.textUntil('verdict', /^Versicolor\?$/);
    expect(await visit.text('margin')).toContain('too close to call at 1,024 shots');
    expect(visit.runs).toEqual([{ input: [6.0, 2.7, 5.1, 1.6] }]);
    const pressed = await visit.page.locator('[aria-pressed=true]').allTextContents();
    expect(pressed).toEqual(['A borderline one']);
  });

  test('turns the gates that encode a slider with it, and those alone', async () => {
    await visit.openDemo();
    const angles = () => visit.page.locator('#circuit-drawing .angle').allTextContents();
    const before = await angles();
    await visit.tabToId('feature-1');
    await visit.press('Home');
    const after = await angles();
    expect(before).toHaveLength(16);
    const turned = after.flatMap((angle, index) => (angle === before[index] ? [] : [index]));
    // RY of qubit 1 in each layer of four RY and four RZ.
    expect(turned).toEqual([1, 9]);
    expect(await visit.text('circuit-list')).toContain('on qubit 1, from sepal width');
    expect(await visit.text('call-code')).toContain('{"input":[5.8,2,4.1,1.3]}');
  });

  test('asks once while a run is under way, however often it is pressed', async () => {
    await visit.openDemo();
    const held = Promise.withResolvers<RunAnswer>();
    visit.answer = () => held.promise;
    await visit.tabToId('run');
    await visit.press('Enter');
    await visit.textUntil('run', /Running/);
    await visit.press('Enter');
    await visit.press(' ');
    held.resolve(VERSICOLOR);
    await visit.textUntil('verdict', /Versicolor/);
    expect(visit.runs).toHaveLength(1);
  });

  test.each([
    ['Promise.resolve()', 'Copied'],
    ['Promise.reject(new DOMException("No.", "NotAllowedError"))', 'Not copied: mark the text'],
  ])('says what came of copying the call: %s', async (outcome, word) => {
    await visit.openDemo();
    await visit.evaluate(`navigator.clipboard.writeText = () => ${outcome}`);
    const copy = visit.page.locator('[aria-labelledby="call-title"] button');
    await copy.press('Enter');
    await copy.getByText(word, { exact: true }).waitFor();
    // Another text has not been copied yet.
    await visit.tabToId('feature-1');
    await visit.press('Home');
    await copy.getByText('Copy', { exact: true }).waitFor();
  });

  test('counts down where the limit is reached, and may then be used again', async () => {
    await visit.openDemo();
    visit.answer = () => ({
      status: 429,
      headers: { 'retry-after': '3' },
      body: demoErrorBody('RATE_LIMIT_EXCEEDED', 429, 'Too many.'),
    });
    // The page's clock goes on when the test says.
    await visit.evaluate(`window.clockMs = performance.now(); performance.now = () => clockMs;`);
    await visit.tabToId('run');
    await visit.press('Enter');
    await visit.textUntil('run', /^Again in 3 s$/);
    expect(await visit.text('message')).toContain('limit of 10 runs a minute');
    expect(await visit.text('aloud')).toContain('limit');
    // The answer before it stays.
    expect(await visit.text('verdict')).toBe('Virginica');
    await visit.press('Enter');
    await visit.evaluate('clockMs += 1000');
    await visit.textUntil('run', /^Again in 2 s$/);
    await visit.evaluate('clockMs += 2000');
    await visit.textUntil('run', /^Run the circuit$/);
    expect(visit.runs).toHaveLength(1);
    visit.answer = () => VERSICOLOR;
    await visit.press('Enter');
    await visit.textUntil('verdict', /Versicolor/);
    expect(await visit.text('message')).not.toContain('That was the limit');
  });

  test('says why a run is refused, and takes the next', async () => {
    await visit.openDemo();
    visit.answer = () => ({
      status: 503,
      body: demoErrorBody('SERVICE_UNAVAILABLE', 503, 'The processor is in maintenance.'),
    });
    await visit.tabToId('run');
    await visit.press('Enter');
    await visit.textUntil('run', /^Try again$/);
    expect(await visit.text('message')).toContain('The processor is in maintenance.');
    expect(await visit.text('aloud')).toContain('The processor is in maintenance.');
    visit.answer = () => VERSICOLOR;
    await visit.press('Enter');
    await visit.textUntil('verdict', /Versicolor/);
    expect(await visit.text('run')).toBe('Run the circuit');
  });

  test('that is opened while the model is unavailable says so and asks for nothing', async () => {
    visit.facts = {
      ...DEMO_FACTS,
      availability: { available: false, reason: 'Its self-test failed.' },
    };
    await visit.openDemo();
    await visit.textUntil('verdict', /Unavailable/);
    expect(await visit.text('margin')).toBe('Its self-test failed.');
    expect(await visit.text('run')).toBe('Try again');
    expect(visit.runs).toEqual([]);
    await visit.tabToId('run');
    await visit.press('Enter');
    await visit.textUntil('verdict', /Virginica/);
  });

  test('shows what the deployed model counts on the real service', async () => {
    using folder = temporaryFolder();
    const service = await startServiceProcess(folder.path, SMALL_SERVICE);
    try {
      visit.answer = undefined;
      await visit.resize(DESK);
      await visit.loadDemo(service.origin);
      await visit.has(ANSWER);
      // The service's own run: opening the page has taken none of the visitor's.
      expect(await visit.text('chip')).toMatch(/^Self-test: /);
      expect(visit.runs).toEqual([]);
      await visit.page.locator('.example').nth(1).click();
      await visit.textUntil('chip', /^For 6\.8/);
      // Class and margin are the service's; the sum is the page's, from the counts.
      expect(await visit.text('verdict')).toBe('Virginica');
      expect(await visit.text('margin')).toContain('a clear call');
      expect(visit.runs).toHaveLength(1);
      expect(await visit.text('sum')).toMatch(/\([\d,]+ − [\d,]+\) \/ 1,024 = \+0\.\d{3}$/);
      expect(service.log()).not.toContain('Warning');
    } finally {
      await service.stop('SIGTERM');
    }
  });
});
