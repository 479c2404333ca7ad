// @needs facilities
/** Edits of the composer: open controls, ranges of columns, matrices on several qubits, qubits taken out, faulty gates. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeWith } from '../support/facilities/describe-with.ts';
import { ConsoleVisit, DESK } from './console-visit.ts';

describeWith(['Chromium'], 'edits of the composer', () => {
  let visit: ConsoleVisit;
  beforeAll(async () => {
    visit = await ConsoleVisit.start();
  });
  afterAll(() => visit?.[Symbol.asyncDispose]());
  afterEach(() => expect(visit.complaints).toEqual([]));

  const open = async (hash = '#/composer') => {
    await visit.open(hash, undefined, DESK);
    await visit.page.waitForSelector('#composer-grid');
  };
  const press = async (...keys: readonly string[]) => {
    await visit.evaluate(`document.getElementById('composer-grid').focus()`);
    for (const key of keys) await visit.page.keyboard.press(key as 'Enter');
  };
  const held = async (modifiers: readonly string[], ...keys: readonly string[]) => {
    for (const each of modifiers) await visit.page.keyboard.down(each as 'Shift');
    for (const key of keys) await visit.page.keyboard.press(key as 'Enter');
    for (const each of modifiers) await visit.page.keyboard.up(each as 'Shift');
  };
  const probabilities = (text: string) =>
    visit.page.waitForSelector(`.bars[aria-label=${JSON.stringify(`Probabilities: ${text}`)}]`);

  test('a control acts on 0 by a key, or by its field', async () => {
    await open();
    await press('c', 'ArrowLeft');
    await probabilities('00 100%');
    await press('o');
    await probabilities('10 100%');
    await visit.page.waitForSelector('.circuit .ring');
    await visit.page.waitForSelector('#composer-inspector h2::-p-text(controlled by q0 on 0)');
    expect(await visit.violations()).toEqual([]);
    await visit.page.select('#composer-inspector label:nth-of-type(3) select', '1');
    await probabilities('00 100%');
  });

  test('columns are selected by keys, copied, pasted, cut and deleted', async () => {
    await open();
    await press('x', 'c', 'Home');
    await probabilities('11 100%');
    await held(['Control', 'Shift'], 'ArrowRight', 'ArrowRight');
    await visit.page.waitForSelector('#composer-inspector h2::-p-text(Columns 1 to 2)');
    await visit.page.waitForSelector('.circuit .range');
    expect(await visit.violations()).toEqual([]);
    await held(['Control'], 'c');
    await press('End');
    await held(['Control'], 'v');
    // X, CX, X, CX.
    await probabilities('10 100%');
    expect(await visit.page.$$eval('.circuit .gate', (all) => all.length)).toBe(4);
    await press('Home');
    await held(['Control', 'Shift'], 'ArrowRight');
    await held(['Control'], 'x');
    await probabilities('11 100%');
    await held(['Control'], 'z');
    await probabilities('10 100%');
    await press('Home');
    await held(['Control', 'Shift'], 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight');
    await visit.page.waitForSelector('#composer-inspector h2::-p-text(Columns 1 to 4)');
    await visit.click('Delete');
    await probabilities('00 100%');
    expect(await visit.page.$$eval('.circuit .gate', (all) => all.length)).toBe(0);
  });

  test('a mouse selects columns beside the gates', async () => {
    await open('#/composer?example=ghz');
    await probabilities('0000 50%, 1111 50%');
    const box = await (await visit.page.$('#composer-grid'))?.boundingBox();
    if (!box) throw new Error('unreachable: not drawn');
    // The last wire is free in the first columns.
    const y = box.y + 42 + 3 * 66;
    await visit.page.mouse.move(box.x + 80, y);
    await visit.page.mouse.down();
    await visit.page.mouse.move(box.x + 80 + 72, y, { steps: 4 });
    await visit.page.mouse.up();
    await visit.page.waitForSelector('#composer-inspector h2::-p-text(Columns 1 to 2)');
    await press('Escape');
    await visit.page.waitForFunction(`document.querySelector('.circuit .range') === null`);
  });

  test('a matrix is written with roots, on two qubits, and its fault is at its gate', async () => {
    await open();
    await visit.clickOn('.palette-gate[aria-label^="UNITARY"]');
    await probabilities('01 100%');
    const matrix = (text: string) => visit.fillIn('#composer-inspector textarea', text);
    await matrix('1/sqrt(2) i/sqrt(2)\ni/sqrt(2) 1/sqrt(2)');
    await probabilities('00 50%, 01 50%');
    await visit.click('Add a qubit to the matrix');
    await probabilities('00 50%, 01 50%');
    await matrix('0 0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0');
    await probabilities('01 100%');
    await matrix('0 0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 1');
    await visit.page.waitForSelector('.circuit .faulty');
    await visit.page.waitForSelector('#composer-inspector .notice.bad::-p-text(Not unitary)');
    expect(await visit.violations()).toEqual([]);
    await visit.click('Take q1 out of the matrix');
    await probabilities('00 100%');
  });

  test('all gates at fault are marked', async () => {
    await open();
    const insert = '.palette-gate[aria-label^="UNITARY"]';
    for (const row of ['2 0', '3 0']) {
      await visit.clickOn(insert);
      await visit.fillIn('#composer-inspector textarea', `${row}\n0 1`);
    }
    await visit.until(`document.querySelectorAll('.circuit .faulty').length === 2`);
  });

  test('the qubit of the cursor is taken out', async () => {
    await open('#/composer?example=ghz');
    await probabilities('0000 50%, 1111 50%');
    await press('Home', 'ArrowDown');
    await visit.click('Remove q1');
    // Only the gates on the others are left.
    await probabilities('000 50%, 001 50%');
    await visit.click('Undo');
    await probabilities('0000 50%, 1111 50%');
  });
});
