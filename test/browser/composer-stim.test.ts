// @needs pages
/** Texts in Stim's format in the composer: drawn along time with their detecting regions, edited, shared and run. */
import { afterAll, expect } from 'vitest';
import { type FleetService, openFleetService } from '../service/support/fleet-service.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { ConsoleVisit, DESK, PHONE, test } from './console-visit.ts';

describeWith(['Chromium'], 'the composer with texts in Stim’s format', () => {
  let visit: ConsoleVisit;
  let served: FleetService;
  test.beforeAll(async ({ opened }) => {
    served = await openFleetService();
    visit = await ConsoleVisit.to(opened, served.service);
  });
  // The visit closes the service.
  afterAll(() => served.fleet.close());

  const open = (hash: string, size = DESK) => visit.open(hash, visit.service.key, size);
  const type = async (text: string) => {
    await visit.goToText();
    await visit.press('Control+a', 'Delete');
    await visit.page.keyboard.insertText(text);
  };
  const drawing = (words: string) => visit.has(`.timeline svg[aria-label="Timeline of ${words}"]`);

  test('draws an example along time, and its regions at a TICK that keys choose', async () => {
    await open('#/composer?example=repetition-code');
    await drawing('5 qubits, 9 TICKs, 8 detectors');
    await visit.sees('REPEAT 2, i = 0 to 1');
    await visit.has(
      '.timeline .is-detector title:text-is("D2+2i at (1, 1+i) = rec[0+2i] ⊕ rec[2+2i]")',
    );
    await visit.lacks('#composer-grid');
    await visit.page.locator('.slice-card input').focus();
    await visit.press('Home');
    await visit.sees('TICK 1 of 9');
    await visit.has('.slice title:text-is("D0: Z0 Z1 Z2")');
    await visit.press('End');
    await visit.sees('TICK 9 of 9, repetition 2 of 2');
    await visit.has('.slice title:text-is("D6: Z0 Z1 Z2")');
    await visit.lacks('.slice title:text-is("D0: Z0 Z1 Z2")');
    await visit.sees('one course of it');
    expect(await visit.violations()).toEqual([]);
    await visit.click('SVG');
    await visit.has('.export-text[aria-label="SVG"]:has-text("D2+2i")');
    await visit.click('Copy a link to this circuit');
    await visit.sees('The link');
    await open(String(await visit.evaluate('location.hash')));
    await drawing('5 qubits, 9 TICKs, 8 detectors');
  });

  test('follows the gates in the language, and draws gates where there is nothing else', async () => {
    await open('#/composer?example=bell');
    await visit.page.getByRole('group', { name: 'Language of the text' }).getByText('Stim').click();
    await visit.textHas('CX 0 1');
    await type('X 1');
    await visit.has('.bars[aria-label="Probabilities: 10 100%"]');
    await visit.has('#composer-grid .gate');
    await type('X 1\nTICK\nX_ERROR(1) 0\nM 0 1\nDETECTOR rec[-1]');
    await drawing('2 qubits, 1 TICK, 1 detector');
    await visit.lacks('#composer-grid');
    // A fault is underlined, and nothing is run.
    await type('X 1\nCX 0');
    await visit.has('.editor .cm-fault');
    await visit.sees('Stim line 2, column 1: CX takes pairs of targets, and has 1 targets.');
    expect(await visit.page.locator('.run-form .primary').isDisabled()).toBe(true);
    // Of the text before, too, nothing is shown as if it were this one's.
    await visit.lacks('.timeline');
    await visit.lacks('.bars');
    await visit.click('Undo');
    await drawing('2 qubits, 1 TICK, 1 detector');
    await visit.click('Undo');
    await visit.has('#composer-grid .gate');
    await visit.textHas('X 1');
    await visit.lacks('.editor .cm-fault');
  });

  test('runs a text with its noise, and sums up its detection events', async () => {
    await open('#/composer?example=surface-code');
    await drawing('17 qubits, 21 TICKs, 24 detectors');
    await visit.sees('The noise is that of the text.');
    await visit.fill('Seed', '7');
    await visit.press('Control+Enter');
    await visit.sees('Of 1,000 shots, ');
    await visit.has('.detection th:text-is("L0")');
    await visit.has('.detection .curve canvas');
    expect(await visit.violations()).toEqual([]);
    await visit.page.getByRole('link', { name: 'Open this job' }).click();
    await visit.sees('Detection events');
    await visit.has('.detection th:text-is("L0")');
  });

  test('fits a phone', async () => {
    await open('#/composer?example=surface-code', PHONE);
    await drawing('17 qubits, 21 TICKs, 24 detectors');
    await visit.has('.slice .region');
    expect(await visit.overflow()).toBeLessThanOrEqual(0);
    expect(await visit.violations()).toEqual([]);
  });
});
