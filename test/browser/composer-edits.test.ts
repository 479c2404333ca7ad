// @needs pages
/** Edits of the composer: open controls, ranges of columns, matrices on several qubits, qubits taken out, faulty gates. */
import { expect } from 'vitest';
import { describeWith } from '../support/facilities/describe-with.ts';
import { ConsoleVisit, DESK, test } from './console-visit.ts';

describeWith(['Chromium'], 'edits of the composer', () => {
  let visit: ConsoleVisit;
  test.beforeAll(async ({ opened }) => {
    visit = await ConsoleVisit.start(opened);
  });

  const open = async (hash = '#/composer') => {
    await visit.open(hash, undefined, DESK);
    await visit.has('#composer-grid');
  };
  const press = async (...keys: readonly string[]) => {
    await visit.page.locator('#composer-grid').focus();
    await visit.press(...keys);
  };
  const probabilities = (text: string) => visit.has(`.bars[aria-label="Probabilities: ${text}"]`);
  const inspected = (heading: string) => visit.has(`#composer-inspector h2:has-text("${heading}")`);
  const matrix = (text: string) => visit.page.locator('#composer-inspector textarea').fill(text);

  test('a control acts on 0 by a key, or by its field', async () => {
    await open();
    await press('c', 'ArrowLeft');
    await probabilities('00 100%');
    await press('o');
    await probabilities('10 100%');
    await visit.has('.circuit .ring');
    await inspected('controlled by q0 on 0');
    expect(await visit.violations()).toEqual([]);
    await visit.page.getByLabel('Control acts on').selectOption('1');
    await probabilities('00 100%');
  });

  test('columns are selected by keys, copied, pasted, cut and deleted', async () => {
    await open();
    await press('x', 'c', 'Home');
    await probabilities('11 100%');
    await visit.press('Control+Shift+ArrowRight', 'Control+Shift+ArrowRight');
    await inspected('Columns 1 to 2');
    await visit.has('.circuit .range');
    expect(await visit.violations()).toEqual([]);
    await press('Control+c', 'End', 'Control+v');
    // X, CX, X, CX.
    await probabilities('10 100%');
    expect(await visit.page.locator('.circuit .gate').count()).toBe(4);
    await press('Home');
    await visit.press('Control+Shift+ArrowRight');
    await visit.press('Control+x');
    await probabilities('11 100%');
    await visit.press('Control+z');
    await probabilities('10 100%');
    await press('Home');
    for (let i = 0; i < 4; i += 1) await visit.press('Control+Shift+ArrowRight');
    await inspected('Columns 1 to 4');
    await visit.click('Delete');
    await probabilities('00 100%');
    expect(await visit.page.locator('.circuit .gate').count()).toBe(0);
  });

  test('a mouse selects columns beside the gates', async () => {
    await open('#/composer?example=ghz');
    await probabilities('0000 50%, 1111 50%');
    const box = await visit.page.locator('#composer-grid').boundingBox();
    if (!box) throw new Error('unreachable: not drawn');
    // The last wire is free in the first columns.
    const y = box.y + 42 + 3 * 66;
    await visit.page.mouse.move(box.x + 66, y);
    await visit.page.mouse.down();
    await visit.page.mouse.move(box.x + 66 + 44, y, { steps: 4 });
    await visit.page.mouse.up();
    await inspected('Columns 1 to 2');
    await press('Escape');
    await visit.lacks('.circuit .range');
  });

  test('keys work from the heading and from the palette, which is one stop of Tab, and say what they did', async () => {
    await visit.open('#/', undefined, DESK);
    await visit.has('main h1');
    await visit.page.getByRole('link', { name: 'Composer', exact: true }).first().click();
    await visit.until(`document.activeElement.matches('#main h1')`);
    await visit.press('h', 'c');
    await probabilities('00 50%, 11 50%');
    await visit.has('#composer-cell:text-is("X on q1, controlled by q0, inserted in column 2")');
    await visit.page.getByRole('button', { name: 'X: Bit flip' }).click();
    await probabilities('01 50%, 10 50%');
    await visit.press('Control+z');
    await probabilities('00 50%, 11 50%');
    await visit.page.getByRole('button', { name: 'X: Bit flip' }).click();
    await probabilities('01 50%, 10 50%');
    await visit.press('Delete');
    await probabilities('00 50%, 11 50%');
    await visit.press('Home');
    expect(await visit.focusName()).toMatch(/^H: /);
    await visit.press('ArrowRight', 'ArrowDown', 'ArrowUp');
    expect(await visit.focusName()).toMatch(/^X: /);
    await visit.press('Tab');
    await visit.until(`document.activeElement.id === 'composer-grid'`);
    await visit.press('Shift+Tab');
    expect(await visit.focusName()).toMatch(/^X: /);
  });

  test('a gate is dragged onto a new wire, which is previewed, and out of the circuit, which deletes it', async () => {
    await open('#/composer?example=bell');
    await probabilities('00 50%, 11 50%');
    const { mouse } = visit.page;
    const box = async (selector: string) => {
      const found = await visit.page.locator(selector).first().boundingBox();
      if (found === null) throw new Error(`unreachable: ${selector} is not drawn`);
      return { ...found, x: found.x + found.width / 2, y: found.y + found.height / 2 };
    };
    const gate = await box('.palette-gate[aria-label^="X:"]');
    const wires = await box('#composer-grid');
    await mouse.move(gate.x, gate.y);
    await mouse.down();
    await mouse.move(wires.x, wires.y, { steps: 5 });
    await visit.has('.circuit .drop');
    // There is room for another wire meanwhile.
    await expect
      .poll(async () => (await box('#composer-grid')).height)
      .toBeGreaterThan(wires.height);
    const grid = await box('#composer-grid');
    await mouse.move(grid.x, grid.y + grid.height / 2 - 20, { steps: 5 });
    await visit.has('.circuit .wire.added');
    await mouse.up();
    await probabilities('100 50%, 111 50%');
    await visit.lacks('.circuit .drop');
    const dropped = await box('#composer-grid .gate >> nth=1');
    await mouse.move(dropped.x, dropped.y);
    await mouse.down();
    await mouse.move(dropped.x, dropped.y + 500, { steps: 5 });
    await visit.has('.grid-host.leaving');
    await mouse.up();
    await probabilities('000 50%, 011 50%');
    await visit.press('Control+z');
    await probabilities('100 50%, 111 50%');
  });

  test('displays are put on a wire by their keys, show the state there, and come back with the link', async () => {
    const displays = () => visit.page.locator('.circuit .of-display').allTextContents();
    await open();
    await visit.press('h', 'e', 'x', 'l');
    await expect.poll(displays).toEqual(['50%', '']);
    await press('ArrowLeft', 'ArrowLeft', 'ArrowLeft');
    await visit.has('#composer-cell:has-text("Display of the probability of 1 of q0, 50%")');
    await visit.until(`location.hash.includes('c=')`);
    const link = String(await visit.evaluate('location.hash'));
    await visit.textHas('x q[0]');
    await visit.lacks('.editor:has-text("probability")');
    await visit.open(link, visit.service.key);
    await expect.poll(displays).toEqual(['50%', '']);
    expect(await visit.violations()).toEqual([]);
  });

  test('a matrix is written with roots, on two qubits, and its fault is at its gate', async () => {
    await open();
    await visit.page.locator('.palette-gate[aria-label^="UNITARY"]').click();
    await probabilities('01 100%');
    await matrix('1/sqrt(2) i/sqrt(2)\ni/sqrt(2) 1/sqrt(2)');
    await probabilities('00 50%, 01 50%');
    await visit.click('Add a qubit to the matrix');
    await probabilities('00 50%, 01 50%');
    await matrix('0 0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0');
    await probabilities('01 100%');
    await matrix('0 0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 1');
    await visit.has('.circuit .faulty');
    await visit.has('#composer-inspector .notice.bad:has-text("Not unitary")');
    expect(await visit.violations()).toEqual([]);
    await visit.click('Take q1 out of the matrix');
    await probabilities('00 100%');
  });

  test('all gates at fault are marked', async () => {
    await open();
    const insert = '.palette-gate[aria-label^="UNITARY"]';
    for (const row of ['2 0', '3 0']) {
      await visit.page.locator(insert).click();
      await matrix(`${row}\n0 1`);
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
