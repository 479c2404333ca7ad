// @needs pages
/** The composer: by keys, by mouse, by text, with the state beside it. */
import { expect } from 'vitest';
import { describeWith } from '../support/facilities/describe-with.ts';
import { ConsoleVisit, DESK, PHONE, test } from './console-visit.ts';

describeWith(['Chromium'], 'the composer', () => {
  let visit: ConsoleVisit;
  test.beforeAll(async ({ opened }) => {
    visit = await ConsoleVisit.start(opened);
  });

  const open = async (hash = '#/composer', size = DESK) => {
    await visit.open(hash, undefined, size);
    await visit.has('#composer-grid');
  };
  const press = async (...keys: readonly string[]) => {
    await visit.page.locator('#composer-grid').focus();
    await visit.press(...keys);
  };
  /** Waits until the probabilities are these. */
  const probabilities = (text: string) => visit.has(`.bars[aria-label="Probabilities: ${text}"]`);
  /** Replaces the text of the editor, as a person does. */
  const type = async (text: string) => {
    await visit.goToText();
    await visit.press('Control+a', 'Delete');
    await visit.page.keyboard.type(text);
  };

  test('makes a Bell pair with two keys, in gates, text and state', async () => {
    await open();
    await probabilities('00 100%');
    await press('h', 'c');
    await probabilities('00 50%, 11 50%');
    await visit.textHas('cx q[0], q[1];');
    expect(await visit.page.locator('.bloch').allTextContents()).toEqual([
      expect.stringContaining('|r| = 0.00'),
      expect.stringContaining('|r| = 0.00'),
    ]);
  });

  test('undoes, redoes, moves, copies and deletes by keys', async () => {
    await open();
    await press('x');
    await probabilities('01 100%');
    await visit.press('Control+z');
    await probabilities('00 100%');
    await visit.press('Control+y');
    await probabilities('01 100%');
    // To the other qubit.
    await press('Home', 'Shift+ArrowDown');
    await probabilities('10 100%');
    await visit.press('Control+c', 'Control+v');
    await probabilities('11 100%');
    await press('Home', 'Delete');
    await probabilities('10 100%');
  });

  test('follows the text, underlines its fault, and keeps the circuit meanwhile', async () => {
    await open('#/composer?example=bell');
    await probabilities('00 50%, 11 50%');
    // The text of the example comes after its state; before, there is nothing to select.
    await visit.textHas('cx q[0], q[1];');
    await type('OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nx q[1];\n');
    await probabilities('10 100%');
    await visit.sees('X');
    await type('OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nx q[7];\n');
    await visit.has('.editor .cm-fault');
    await probabilities('10 100%');
    // A loop over measured bits is shown as a text alone.
    await type(
      'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nbit c;\nint n = 0;\nwhile (n < 1) { x q[0]; c = measure q[0]; if (c) { n += 1; } }\n',
    );
    await visit.sees('the text is the source');
    await visit.sees('one course of it');
  });

  test('keeps inputs in the text and its edits, and shares a program that gates cannot express', async () => {
    await open('#/composer?example=ansatz');
    await visit.textHas('input float a;');
    await visit.textHas('ry(a) q[0];');
    const head = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n';
    await type(`${head}input float a;\nqubit[1] q;\nrx(2*a) q[0];\n`);
    // The slider has the value of before, a quarter turn, which the angle doubles.
    await visit.sees('a = 1.571');
    await probabilities('1 100%');
    await type(`${head}input int n;\nqubit[2] q;\nfor int i in [1:n] { x q[0]; }\n`);
    await visit.sees('the text is the source');
    await probabilities('01 100%');
    await visit.fill('n', '2');
    await probabilities('00 100%');
    await visit.click('Copy a link to this circuit');
    await visit.sees('The link');
    await visit.open(String(await visit.evaluate('location.hash')), undefined, DESK);
    await visit.textHas('input int n;');
    await probabilities('00 100%');
    // The gates before it are neither shown nor changed, until the text is undone.
    await visit.lacks('#composer-grid');
    await visit.click('Undo');
    await visit.has('#composer-grid');
  });

  test('leaves a text as it was typed until a gate is changed', async () => {
    await open('#/composer?example=bell');
    await visit.textHas('cx q[0], q[1];');
    await type('OPENQASM 3.0; qubit[2] q;');
    await probabilities('00 100%');
    await visit.page.keyboard.type(' U(pi, 0, pi) q[1];');
    await probabilities('10 100%');
    await visit.textHas('OPENQASM 3.0; qubit[2] q; U(pi, 0, pi) q[1];');
    await press('Home', 'x');
    await probabilities('11 100%');
    await visit.textHas('x q[0];');
  });

  test('keeps what is edited through reloads, Back, examples and links, and says that a link is damaged', async () => {
    await open('#/composer?example=bell');
    await probabilities('00 50%, 11 50%');
    await press('x');
    // At once: the address still names the example.
    await visit.page.reload();
    await probabilities('01 50%, 10 50%');
    await visit.until(`location.hash.includes('c=')`);
    const hash = String(await visit.evaluate('location.hash'));
    await visit.page.getByRole('link', { name: 'Jobs' }).click();
    await visit.page.goBack();
    await probabilities('01 50%, 10 50%');
    // An example, opened over it, and undone.
    await visit.load(`${visit.origin}/#/composer?example=ghz`);
    await probabilities('0000 50%, 1111 50%');
    await visit.click('Undo');
    await probabilities('01 50%, 10 50%');
    await visit.load(`${visit.origin}/${hash.slice(0, -3)}`);
    await visit.has('.composer > .notice.bad:has-text("The link is damaged")');
    await probabilities('01 50%, 10 50%');
    await visit.textHas('x q[0];');
    await type('OPENQASM 3.0; // unfinished');
    await visit.page.keyboard.type(' qubit');
    await visit.page.reload();
    await visit.textHas('// unfinished qubit');
  });

  test('keeps what is edited when a browser reloads the address of just before', async () => {
    await open('#/composer?example=bell');
    await probabilities('00 50%, 11 50%');
    await press('x');
    await probabilities('01 50%, 10 50%');
    const kept = `JSON.parse(sessionStorage.getItem('qcs-circuit'))`;
    await visit.until(`${kept}.at.startsWith('c=')`);
    await visit.evaluate(`history.replaceState(null, '', '#/composer?' + ${kept}.before)`);
    await visit.page.reload();
    await probabilities('01 50%, 10 50%');
  });

  test('steps through the circuit, column by column', async () => {
    await open('#/composer?example=ghz');
    await probabilities('0000 50%, 1111 50%');
    await visit.click('To the start');
    await probabilities('0000 100%');
    await visit.click('One column on');
    await probabilities('0000 50%, 0001 50%');
    await visit.sees('after column 1');
  });

  test('sets angles by text, by slider and by an input with a name', async () => {
    await open();
    await press('a', 'ArrowLeft');
    await visit.fill('theta', 'pi');
    await probabilities('01 100%');
    await visit.press('Tab');
    await visit.fill('theta', '3');
    // What is no angle leaves none of its beginnings behind.
    await visit.fill('theta', '3 apples');
    await probabilities('01 100%');
    await visit.fill('theta', 'phase');
    await probabilities('00 100%');
    await visit.sees('phase = 0.000');
    await visit.fill('theta', '1 apple');
    await visit.sees('Write radians');
  });

  test('draws another course of a circuit that depends on chance', async () => {
    await open('#/composer?example=teleportation');
    await visit.sees('This circuit depends on chance');
    const seen = new Set<string>();
    while (seen.size < 3) {
      seen.add(String(await visit.page.locator('.composer .notice p').textContent()));
      await visit.click('Draw another');
    }
  });

  test('draws all bars on one axis, in the order that is chosen, and says where to scroll', async () => {
    const bars = () => visit.page.locator('.bars rect');
    const card = () => visit.page.locator('.state-card .scroll').boundingBox();
    await open('#/composer?example=ghz');
    await probabilities('0000 50%, 1111 50%');
    expect(await bars().count()).toBe(2);
    const [first, last, host] = [
      await bars().first().boundingBox(),
      await bars().last().boundingBox(),
      await card(),
    ];
    if (!first || !last || !host) throw new Error('unreachable: not drawn');
    expect(last.x + last.width).toBeLessThanOrEqual(host.x + host.width);
    expect(last.height).toBeCloseTo(first.height, 1);
    expect(await visit.page.locator('.bars .tick text').allTextContents()).toEqual([
      '0%',
      '25%',
      '50%',
    ]);
    await open('#/composer', PHONE);
    await visit.textHas('qubit[2] q;');
    await type('OPENQASM 3.0; include "stdgates.inc"; qubit[16] q; ry(1) q[3]; h q[4]; h q; ');
    await visit.sees('The 32 most likely of 65,536 basis states');
    await visit.sees('Scroll sideways for all 32 bars.');
    expect(await bars().count()).toBe(32);
    await visit.click('by probability');
    const heights = await bars().evaluateAll((all) =>
      all.map((each) => Number(each.getAttribute('height'))),
    );
    expect(heights).toEqual(heights.toSorted((a, b) => b - a));
  });

  test('shows the density matrix of a pair', async () => {
    await open('#/composer?example=bell');
    await visit.click('Show a density matrix');
    const entries = () => visit.page.locator('.density td').allInnerTexts();
    await expect
      .poll(async () => (await entries()).filter((text) => text === '0.50'))
      .toHaveLength(4);
  });

  test('exports and shares what it shows', async () => {
    await open('#/composer?example=bell');
    await probabilities('00 50%, 11 50%');
    const exported = async (form: string) => {
      await visit.click(form);
      await visit.has(`.export-text[aria-label="${form}"]`);
      return (await visit.page.locator('.export-text').textContent()) ?? '';
    };
    expect(await exported('OpenQASM 2')).toContain('cx q[0],q[1];'.replace(',', ', '));
    expect(await exported('Qiskit')).toContain('qc.cx(0, 1)');
    expect(await exported('Cirq')).toContain('cirq.CNOT(q[0], q[1])');
    expect(await exported('PennyLane')).toContain('qml.CNOT(wires=[0, 1])');
    await visit.click('at this service');
    await visit.has('.export-text:has-text("qcs.simulator")');
    expect(JSON.parse(await exported('JSON'))).toMatchObject({ qubits: 2 });
    expect(await exported('SVG')).toMatch(/^<svg [^>]*xmlns/);
    await visit.click('Copy a link to this circuit');
    await visit.sees('The link');
    const hash = String(await visit.evaluate('location.hash'));
    await open(hash);
    await probabilities('00 50%, 11 50%');
  });

  test('puts a gate where a mouse drops it', async () => {
    await open();
    await probabilities('00 100%');
    const grid = await visit.page.locator('#composer-grid').boundingBox();
    const gate = await visit.page.locator('.palette-gate[aria-label^="X:"]').boundingBox();
    if (grid === null || gate === null) throw new Error('unreachable: not drawn');
    const { mouse } = visit.page;
    await mouse.move(gate.x + 10, gate.y + 10);
    await mouse.down();
    await mouse.move(grid.x + 80, grid.y + 108, { steps: 5 });
    await mouse.up();
    await probabilities('10 100%');
    // And takes it along to the other qubit.
    await mouse.move(grid.x + 80, grid.y + 108);
    await mouse.down();
    await mouse.move(grid.x + 80, grid.y + 42, { steps: 5 });
    await mouse.up();
    await probabilities('01 100%');
  });

  test.each([
    ['a desk', DESK],
    ['a phone', PHONE],
  ])('is accessible and fits %s', async (_, size) => {
    await open('#/composer?example=ansatz', size);
    await visit.sees('Variational circuit');
    await visit.has('.bars');
    expect(await visit.overflow()).toBeLessThanOrEqual(0);
    expect(await visit.violations()).toEqual([]);
  });
});
