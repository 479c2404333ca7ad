// @needs pages
/** The demo for everyone: on phones, by its names, by its focus, by its contrasts. */
import { beforeEach, describe, expect } from 'vitest';
import { DEMO_FACTS } from '../support/demo-facts.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { DESK, PHONE, SCHEMES, test } from './browser-page.ts';
import { MARK_CONTRASTS, TEXT_CONTRAST, TEXT_CONTRASTS } from './contrast.ts';
import { BORDERLINE, DemoVisit, LOPSIDED } from './demo-page-visit.ts';

/** Contrast of marks and edges of controls by WCAG 2.2, level AA. */
const MARK_CONTRAST = 3;

const SMALL_PHONE = { ...PHONE, width: 320 };

describeWith(['Chromium'], 'access to the demo page', () => {
  let visit: DemoVisit;
  test.beforeAll(async ({ opened }) => {
    visit = await DemoVisit.start(opened);
  });
  beforeEach(() => visit.reset());

  test.each([
    ['a phone', PHONE],
    ['a small phone', SMALL_PHONE],
    ['a tablet', { width: 820, height: 1100 }],
    ['a desk', DESK],
  ])('never scrolls sideways on %s', async (_, size) => {
    await visit.openDemo(size);
    expect(await visit.overflow()).toBe(0);
  });

  test.each([
    ['a desk', DESK],
    ['a small phone', SMALL_PHONE],
  ])('keeps every word of a drawing inside it on %s', async (_, size) => {
    for (const answer of [LOPSIDED, BORDERLINE]) {
      visit.facts = { ...DEMO_FACTS, selfTest: answer.body };
      await visit.openDemo(size);
      const outside = await visit.evaluate(`[...document.querySelectorAll('#demo svg text')]
        .filter((text) => {
          const [own, all] = [text, text.ownerSVGElement].map((each) => each.getBoundingClientRect());
          const isWide = own.left < all.left - 1 || own.right > all.right + 1;
          return isWide || own.top < all.top - 1 || own.bottom > all.bottom + 1;
        })
        .map((text) => text.textContent)`);
      expect(outside).toEqual([]);
    }
  });

  test('has controls of a finger’s size on a phone, and a circuit that scrolls by itself', async () => {
    await visit.openDemo(PHONE);
    const small = await visit.evaluate(`[...document.querySelectorAll('button, input')]
      .filter((each) => each.checkVisibility())
      .map((each) => [each.id, each.getBoundingClientRect().height])
      .filter(([, height]) => height < 24)`);
    expect(small).toEqual([]);
    const scroll = `document.getElementById('circuit-drawing')`;
    expect(await visit.evaluate(`${scroll}.scrollWidth > ${scroll}.clientWidth`)).toBe(true);
    expect(await visit.evaluate(`${scroll}.tabIndex`)).toBe(0);
  });

  test('brings the answer into view on a phone, and leaves a desk as it is', async () => {
    for (const size of [PHONE, DESK]) {
      await visit.openDemo(size);
      await visit.evaluate(`document.getElementById('run').focus()`);
      const scrolled = await visit.evaluate('scrollY');
      await visit.press('Enter');
      await visit.textUntil('aloud', /Virginica/);
      await visit.until(`document.getElementById('verdict').getBoundingClientRect().top > 0`);
      await visit.until(
        `document.getElementById('line').getBoundingClientRect().bottom < innerHeight`,
      );
      if (size === DESK) expect(await visit.evaluate('scrollY')).toBe(scrolled);
    }
  });

  test('gives every control and every drawing a name', async () => {
    await visit.openDemo();
    const named = async (role: 'slider' | 'button' | 'img', names: readonly string[]) => {
      const all = visit.page.getByRole(role);
      expect([role, await all.count()]).toEqual([role, names.length]);
      for (const name of names) await visit.page.getByRole(role, { name }).waitFor();
    };
    await named('slider', ['Sepal length', 'Sepal width', 'Petal length', 'Petal width']);
    await named('button', [
      'A borderline one',
      'A typical versicolor',
      'A typical virginica',
      'Colours: system',
      'Copy',
      'Run the circuit',
    ]);
    await named('img', [
      'Measured: +0.682, with a shot noise of 0.023.',
      '−1: 163 shots. +1: 861 shots.',
      'Circuit of 4 qubits and 24 gates',
      'qnn-hybrid: 94.0% ± 5.4%. Linear discriminant analysis: 96.2% ± 4.1%',
    ]);
    expect(await visit.page.getByRole('heading').first().textContent()).toMatch(
      /^Which iris is it/,
    );
    await visit.has('#feature-2[aria-valuetext="4.1 cm"]');
  });

  test('shows where the focus is, on everything that takes it', async () => {
    await visit.openDemo();
    const seen: string[] = [];
    for (;;) {
      await visit.press('Tab');
      const [name, style] = String(
        await visit.evaluate(`(() => {
          const focus = document.activeElement;
          if (focus === document.body) return '';
          const { outlineStyle, outlineWidth } = getComputedStyle(focus);
          return (focus.id || focus.textContent.trim()) + '|' + outlineStyle + ' ' + outlineWidth;
        })()`),
      ).split('|');
      if (name === undefined || name === '' || seen.includes(name)) break;
      seen.push(name);
      // A slider shows it on its thumb, of which a page cannot ask.
      if (!name.startsWith('feature-')) expect([name, style]).toEqual([name, 'solid 3px']);
    }
    expect(seen).toEqual(
      expect.arrayContaining(['feature-0', 'feature-3', 'run', 'circuit-drawing', 'Copy']),
    );
    const thumb = await visit.evaluate(`[...document.styleSheets]
      .flatMap((sheet) => [...sheet.cssRules])
      .find((rule) => rule.selectorText?.includes(':focus-visible::-webkit-slider-thumb'))?.style.outline`);
    expect(thumb).toMatch(/solid/);
    expect(seen.indexOf('feature-0')).toBeLessThan(seen.indexOf('run'));
  });

  describe.each(SCHEMES)('in the %s scheme', (scheme) => {
    /** The contrasts of a list that are below `least`. */
    const tooLow = (contrasts: unknown, least: number) => {
      if (!Array.isArray(contrasts)) throw new Error('no contrasts');
      return contrasts.filter(([, contrast]) => !(contrast >= least));
    };

    test('has text that can be read on its ground', async () => {
      await visit.openDemo(DESK, scheme);
      // Also what is said of a result of before.
      await visit.tabToId('feature-0');
      await visit.press('End');
      const contrasts = await visit.evaluate(TEXT_CONTRASTS);
      expect(contrasts).toHaveProperty(
        'length',
        expect.toSatisfy((length) => length > 100),
      );
      expect(tooLow(contrasts, TEXT_CONTRAST)).toEqual([]);
    });

    test('has marks that can be told from their ground', async () => {
      await visit.openDemo(DESK, scheme);
      const contrasts = await visit.evaluate(MARK_CONTRASTS);
      expect(contrasts).toHaveLength(8);
      expect(tooLow(contrasts, MARK_CONTRAST)).toEqual([]);
    });
  });
});
