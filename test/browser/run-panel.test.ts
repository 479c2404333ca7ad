// @needs pages
/** The run panel of the composer: a run that is cancelled, repeated, compared, refused and failed, by mouse and by keys. */
import { beforeEach, expect } from 'vitest';
import { writeShared } from '../../src/console/composer/permalink.ts';
import { EngineFailure } from '../../src/fleet/errors.ts';
import { FakeProcessor } from '../service/support/fake-processor.ts';
import { eventually } from '../support/eventually.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { ConsoleVisit, DESK, PHONE, test } from './console-visit.ts';

describeWith(['Chromium'], 'the run panel', () => {
  let visit: ConsoleVisit;
  const processor = new FakeProcessor();
  test.beforeAll(async ({ opened }) => {
    visit = await ConsoleVisit.start(opened, { processors: [processor] });
  });
  beforeEach(async () => {
    processor.isHolding = false;
    processor.held.length = 0;
    processor.tasks.length = 0;
    await open();
  });

  /** Opens the composer with a Bell pair, and waits until it can be run. */
  async function open(size?: typeof PHONE): Promise<void> {
    await visit.open('#/composer?example=bell', visit.service.key, size);
    await visit.has('.run-panel .primary:not(:disabled)');
    // The exact probabilities are those of a circuit that has not changed for a moment.
    await visit.has('.bars[aria-label="Probabilities: 00 50%, 11 50%"]');
  }
  /** Waits for the sentence below the form. */
  const state = (text: string) => visit.has(`.run-state:has-text("${text}")`);
  /** Waits for the label of the histogram to begin with a text. */
  const histogram = (text: string) =>
    visit.has(`.run-result .histogram svg[aria-label^="${text}"]`);
  /** The run that the processor holds. */
  const task = async () => {
    await eventually(() => processor.held.length === 1);
    const [held] = processor.held;
    if (held === undefined) throw new Error('unreachable: it is held');
    return held;
  };

  test('a run that goes on can be cancelled, and says so', async () => {
    processor.isHolding = true;
    await visit.click('Run');
    await visit.has('.run-panel button:has-text("Cancel")');
    // One run at a time.
    await visit.has('.run-panel .primary:disabled');
    expect(await visit.violations()).toEqual([]);
    await visit.click('Cancel');
    await visit.has('.run-panel .notice:has-text("cancelled")');
    await visit.has('.run-panel a:has-text("Open this job")');
    await visit.has('.run-panel .primary:not(:disabled)');
    await visit.lacks('.run-result');
  });

  test('a run can be repeated, and two runs compared', async () => {
    await visit.fill('Shots', '100');
    await visit.click('Run');
    await state('Run 1 has completed.');
    await histogram('Run 1: statevector-sim, 100 shots: 100 shots');
    await visit.fill('Shots', '250');
    await visit.click('Run again');
    await state('Run 2 has completed.');
    await histogram('Run 2: statevector-sim, 250 shots: 250 shots');
    await visit.page.locator('.compare select').selectOption({ index: 1 });
    await visit.has(
      '.histogram svg[aria-label$="Compared with Run 1: statevector-sim, 100 shots: 100 shots."]',
    );
    await visit.has('.legend li:has-text("Run 1: statevector-sim, 100 shots")');
    expect(await visit.violations()).toEqual([]);
    // Each run is a request of its own, with the choices of its time.
    expect(processor.tasks.map(({ request }) => request.shots)).toEqual([100, 250]);
  });

  test('nothing is run while the text has a fault, or is not read yet', async () => {
    const hasText = () => visit.textHas('cx q[0], q[1];');
    await hasText();
    await visit.goToText();
    await visit.page.keyboard.type('x q[7]; ');
    // From the first key on, before the text is read.
    await visit.has('.run-panel .primary:disabled');
    await visit.has('.run-panel .notice:has-text("The text has a fault")');
    await visit.has('.canvas .notice:has-text("The text has a fault")');
    await visit.press('Control+Enter');
    expect(await visit.violations()).toEqual([]);
    await visit.has('.workbench.stale .state-card .chip:has-text("not of the text")');
    // What was typed is undone first, and the text written anew.
    await visit.click('Undo');
    await hasText();
    await visit.has('.run-panel .primary:not(:disabled)');
    await visit.lacks('.workbench.stale');
    expect(processor.tasks).toEqual([]);
    await visit.click('Run');
    await state('Run 1 has completed.');
    expect(processor.tasks).toHaveLength(1);
  });

  test('a run is followed after a reload of the page, and shown after the next', async () => {
    processor.isHolding = true;
    await visit.click('Run');
    await eventually(() => processor.held.length === 1);
    await visit.page.reload();
    await visit.has('.run-panel button:has-text("Cancel")');
    (await task()).finish();
    await histogram('Run 1: statevector-sim, 1000 shots');
    await visit.page.reload();
    await histogram('Run 1: statevector-sim, 1000 shots');
    expect(processor.tasks).toHaveLength(1);
    await visit.click('Add a qubit');
    await visit.has('.run-card .notice:has-text("has been changed since this run")');
  });

  test('a circuit is run with its own qubits, also while the state is that of the one before', async () => {
    // From now on no state is computed.
    await visit.evaluate(`Worker.prototype.postMessage = () => {}`);
    await visit.click('Add a qubit');
    await visit.click('Run');
    await state('Run 1 has completed.');
    expect(processor.tasks.map(({ circuit }) => circuit)).toMatchObject([{ numQubits: 3 }]);
  });

  test('says what a run would take, moves nothing, and is quiet where the service does not know', async () => {
    const line = () => visit.page.locator('.run-estimate').textContent();
    const top = () =>
      visit.evaluate(`document.querySelector('.state-card').getBoundingClientRect().top`);
    const tops = [await top()];
    await expect.poll(line).toMatch(/on statevector-sim by statevector, starts at once\.$/i);
    tops.push(await top());
    await visit.page.route('**/quantum/estimate', (route) => route.abort());
    await visit.fill('Shots', '500');
    await expect.poll(line).toBe('');
    tops.push(await top());
    await visit.page.unroute('**/quantum/estimate');
    expect(tops).toEqual(Array(3).fill(tops[0]));
    await visit.lacks('.run-panel .notice.bad');
    await visit.page.locator('.run-panel .primary').click();
    await state('Run 1 has completed.');
    visit.complaints.length = 0;
  });

  test('a Bell pair is made and run in four clicks from the first page', async () => {
    await visit.open('#/', visit.service.key, { width: 1440, height: 900 });
    await visit.page.getByRole('link', { name: 'Build a circuit' }).click();
    await visit.page.locator('.palette-gate:text-is("H")').click();
    await visit.page.locator('.palette-gate:text-is("CX")').click();
    await visit.page.locator('.run-panel .primary').click();
    await state('Run 1 has completed.');
    await visit.has('.run-result .histogram svg');
  });

  test('a Bell pair is made and run in ten keys from the first page, and its counts are beside its state', async () => {
    await visit.open('#/', visit.service.key, { width: 1440, height: 900 });
    await visit.has('main h1');
    await visit.press('Tab', 'Tab', 'Tab', 'Enter');
    await visit.until(`document.activeElement.textContent === 'Composer'`);
    await visit.has('.run-panel .primary:not(:disabled)');
    await visit.press('h', 'c', 'Control+Enter');
    await state('Run 1 has completed.');
    await visit.has('.run-result .histogram svg');
    const boxOf = async (selector: string) => {
      const box = await visit.page.locator(selector).boundingBox();
      if (box === null) throw new Error(`unreachable: ${selector} is not drawn`);
      return box;
    };
    const [bars, counts] = [await boxOf('.bars'), await boxOf('.run-result .histogram svg')];
    expect(counts.x).toBeGreaterThan(bars.x + bars.width);
    for (const { y, height } of [bars, counts]) {
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + height).toBeLessThanOrEqual(900);
    }
    await visit.evaluate('scrollTo(0, 0)');
    expect((await boxOf('#composer-grid')).y).toBeLessThan(200);
  });

  test('Control and Enter run it from anywhere, and the seed is sent', async () => {
    await visit.fill('Seed', '7');
    await visit.page.locator('#composer-grid').focus();
    await visit.press('Control+Enter');
    await state('Run 1 has completed.');
    expect(processor.tasks.map(({ request }) => request.seed)).toEqual([7]);
    await visit.has('.run-facts dd:text-is("7")');
  });

  test('what is typed wrongly is said at its field, and is not sent', async () => {
    await visit.fill('Shots', 'many');
    await visit.has('.run-form .fault:has-text("A whole number of 1 or more.")');
    await visit.has('.run-panel .primary:disabled');
    await visit.press('Control+Enter');
    await visit.fill('Shots', '10');
    await visit.click('Run');
    await state('Run 1 has completed.');
    expect(processor.tasks).toHaveLength(1);
    expect(await visit.violations()).toEqual([]);
  });

  test('a run that fails says why, and leads to its job', async () => {
    processor.isHolding = true;
    await visit.click('Run');
    (await task()).fail(new EngineFailure('ENGINE_STATE_MEMORY', 'It broke.', []));
    await visit.has('.run-panel .notice.bad:has-text("It broke.")');
    await visit.click('Run');
    (await task()).finish();
    await state('Run 2 has completed.');
  });

  test('each of 64 outcomes has a bar, which a phone scrolls to', async () => {
    const circuit = Array.from({ length: 6 }, (_, qubit) => ({ gate: 'H', qubit }));
    const shared = await writeShared({ circuit, qubits: 6 });
    for (const size of [DESK, PHONE]) {
      await visit.open(`#/composer?c=${shared}`, visit.service.key, size);
      await expect.poll(() => visit.page.locator('.circuit .gate').count()).toBe(6);
      // The exact probabilities are sent along once the state has settled; each outcome has one.
      const numSlots = () => visit.page.locator('.histogram .slot').count();
      for (let run = 1; run === 1 || (await numSlots()) < 64; run += 1) {
        await visit.has('.run-panel .primary:not(:disabled)');
        await visit.click(run === 1 ? 'Run' : 'Run again');
        await state(`Run ${run} has completed.`);
        await visit.has('.histogram .slot');
      }
      expect(await numSlots()).toBe(64);
      expect(await visit.overflow()).toBe(0);
      expect(await visit.violations()).toEqual([]);
    }
  });

  test('a phone shows a run without a bar to the side', async () => {
    await open(PHONE);
    // In reach, wherever the page is scrolled to.
    const run = await visit.page.getByRole('button', { name: 'Run', exact: true }).boundingBox();
    expect(run && run.y + run.height).toBeLessThanOrEqual(PHONE.height);
    await visit.click('Run');
    await state('has completed.');
    await visit.has('.run-result .histogram svg');
    expect(await visit.overflow()).toBe(0);
  });
});
