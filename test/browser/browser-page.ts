/** Pages in headless Chromium: sizes, colour schemes, requests, what axe finds and what the browser complains of. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright';
import { test as base, expect } from 'vitest';
import { facilityPath } from '../support/facilities/describe-with.ts';
import { WAIT_MS } from '../support/facilities/facilities.ts';
import { openChromium } from './chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Pictures, texts and traces of the pages of failed tests. */
const FAILURES = '.vitest/failures';

/** A size of the window, in CSS pixels. */
export interface WindowSize {
  readonly width: number;
  readonly height: number;
}

/** The window of a phone. */
export const PHONE: WindowSize = { width: 360, height: 740 };
/** The window of a desk. */
export const DESK: WindowSize = { width: 1280, height: 900 };
/** The window of a wall screen. */
export const WALL: WindowSize = { width: 2560, height: 1440 };

/** Windows up to this width are those of phones: they have two device pixels per pixel, and touch. */
const MAX_PHONE_WIDTH = 480;

/** Colour schemes that a visitor may prefer. */
export const SCHEMES = ['light', 'dark'] as const;
export type Scheme = (typeof SCHEMES)[number];

/** The browser, which all files of a worker share, and the pages that a file has opened in it. */
export interface Opened {
  readonly chromium: Browser;
  readonly pages: BrowserPage[];
}

/**
 * `test` with the fixture `opened`. A test fails if the browser complains of something; of a test that fails, pictures,
 * texts and traces of the pages are kept.
 */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are needed.
  .extend('chromium', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const chromium = await openChromium(facilityPath('Chromium'));
    onCleanup(() => chromium.close());
    return chromium;
  })
  .extend('opened', { scope: 'file' }, ({ chromium }, { onCleanup }): Opened => {
    const pages: BrowserPage[] = [];
    onCleanup(async () => {
      for (const page of pages) await page[Symbol.asyncDispose]();
    });
    return { chromium, pages };
  })
  .extend('watch', { auto: true }, async ({ opened, task, onTestFailed }, { onCleanup }) => {
    const { pages } = opened;
    for (const page of pages) await page.begin();
    onTestFailed(async () => {
      for (const page of pages) await page.keep(task.fullTestName);
    });
    onCleanup(() => {
      for (const { complaints } of pages) expect(complaints).toEqual([]);
    });
  });

/**
 * Gives the focus to all that takes it, one after the other, and names what has no ring around it, or one that is cut off
 * by a part that scrolls or hides. The thumb of a slider has a ring of which a page cannot ask.
 */
const RING_FAULTS = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((each) => each.checkVisibility() && each.type !== 'range' && !each.disabled)
  .flatMap((each) => {
    each.focus();
    const name = each.tagName + ' ' + (each.getAttribute('aria-label') ?? each.textContent).trim().slice(0, 40);
    const around = [];
    for (let up = each; up !== document.body; up = up.parentElement) around.push(up);
    const at = around.findIndex((up) => getComputedStyle(up).outlineStyle !== 'none');
    if (document.activeElement !== each || at < 0) return [name + ' has none'];
    const { outlineWidth, outlineOffset } = getComputedStyle(around[at]);
    const width = parseFloat(outlineWidth) + parseFloat(outlineOffset) - 0.5;
    const ring = around[at].getBoundingClientRect();
    return around.slice(at + 1).flatMap((up) => {
      const { overflowX, overflowY } = getComputedStyle(up);
      const box = up.getBoundingClientRect();
      const [left, top] = [box.left + up.clientLeft, box.top + up.clientTop];
      // What is larger than its place is cut off by itself.
      const isCutX = overflowX !== 'visible' && ring.width <= up.clientWidth &&
        (ring.left - width < left || ring.right + width > left + up.clientWidth);
      const isCutY = overflowY !== 'visible' && ring.height <= up.clientHeight &&
        (ring.top - width < top || ring.bottom + width > top + up.clientHeight);
      return isCutX || isCutY ? [name + ' is cut off by ' + up.className] : [];
    });
  })`;

/** A window with one page. */
export class BrowserPage implements AsyncDisposable {
  /**
   * Messages of the console, errors of scripts, violations of the page's policy, and requests to other hosts.
   * Answers with an error status are none: tests provoke them.
   */
  readonly complaints: string[] = [];
  readonly #chromium: Browser;
  #context: BrowserContext | undefined;
  #page: Page | undefined;
  #isPhone = false;
  #origin = 'null';

  constructor({ chromium, pages }: Opened) {
    this.#chromium = chromium;
    pages.push(this);
  }

  /** The page; it is another one after a window of another kind. */
  get page(): Page {
    if (this.#page === undefined) throw new Error('No window is open yet.');
    return this.#page;
  }

  /** A window of that size, for a visitor who prefers a colour scheme. */
  async resize(size: WindowSize, scheme: Scheme = 'light'): Promise<void> {
    const isPhone = size.width <= MAX_PHONE_WIDTH;
    if (this.#page === undefined || isPhone !== this.#isPhone) await this.#openWindow(isPhone);
    await this.page.setViewportSize(size);
    await this.page.emulateMedia({ colorScheme: scheme });
  }

  async #openWindow(isPhone: boolean): Promise<void> {
    await this.#context?.close();
    this.#isPhone = isPhone;
    const kind = { isMobile: isPhone, hasTouch: isPhone, deviceScaleFactor: isPhone ? 2 : 1 };
    this.#context = await this.#chromium.newContext(kind);
    this.#context.setDefaultTimeout(WAIT_MS);
    // Actions, messages and requests. A copy of the document at each action would slow the pages down.
    await this.#context.tracing.start();
    this.#page = await this.#context.newPage();
    this.#page.on('pageerror', (error) => this.complaints.push(String(error)));
    this.#page.on('console', (message) => {
      const text = message.text();
      if (text.startsWith('Failed to load resource: the server responded')) return;
      this.complaints.push(`${message.type()}: ${text} (${message.location().url})`);
    });
    this.#page.on('request', (request) => {
      const url = new URL(request.url());
      if (this.#origin === 'null' || url.origin === this.#origin || url.protocol === 'data:')
        return;
      this.complaints.push(`request to ${url.href}`);
    });
    await this.prepare(this.#page);
  }

  /** Done with the page of each new window. */
  protected async prepare(_: Page): Promise<void> {}

  /** Loads an address anew, also if it differs from the present one after # alone. */
  async load(url: string): Promise<void> {
    this.#origin = 'null';
    await this.page.goto('about:blank');
    this.#origin = new URL(url).origin;
    await this.page.goto(url);
  }

  /** The value of an expression; a promise is waited for. */
  async evaluate(expression: string): Promise<unknown> {
    return await this.page.evaluate(expression);
  }

  /**
   * Waits until an expression holds. One that throws does not hold yet: it may look at elements that the page has not
   * drawn. (Playwright's waitForFunction needs a page whose policy allows eval.)
   */
  async until(expression: string): Promise<void> {
    await expect.poll(() => this.page.evaluate(expression), { message: expression }).toBe(true);
  }

  /** Waits until a text is seen. */
  async sees(text: string): Promise<void> {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** Waits until there is an element; some are drawn so that nobody sees them. */
  async has(selector: string): Promise<void> {
    await this.page.locator(selector).first().waitFor({ state: 'attached' });
  }

  /** Waits until there is none. */
  async lacks(selector: string): Promise<void> {
    await this.page.locator(selector).waitFor({ state: 'detached' });
  }

  /** Clicks a button by its name. */
  async click(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click();
  }

  /** Replaces what a field holds, by the field's label. */
  async fill(label: string, text: string): Promise<void> {
    await this.page.getByLabel(label, { exact: true }).filter({ visible: true }).fill(text);
  }

  /** Presses keys one after the other, such as `Control+Enter`. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Presses Tab until the element with this name has the focus. */
  async tabTo(name: string): Promise<void> {
    for (let presses = 0; presses < 100; presses += 1) {
      await this.press('Tab');
      if ((await this.focusName()) === name) return;
    }
    throw new Error(`Tab does not lead to ${name}`);
  }

  /** Name of the element that has the focus. */
  async focusName(): Promise<string> {
    return String(
      await this.evaluate(`(() => {
        const { activeElement: one } = document;
        const name = one.getAttribute('aria-label') ?? one.labels?.[0]?.innerText ?? one.textContent;
        return name.trim();
      })()`),
    );
  }

  /** What axe finds, by rule and element. */
  async violations(): Promise<readonly string[]> {
    await this.evaluate(AXE);
    const found = await this.evaluate(`axe.run().then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`);
    return Array.isArray(found) ? found.map(String) : [];
  }

  /** What has no ring when it has the focus, or one that is cut off. */
  async ringFaults(): Promise<readonly string[]> {
    // Rings are drawn for whoever uses keys.
    await this.press('Tab');
    const found = await this.evaluate(RING_FAULTS);
    return Array.isArray(found) ? found.map(String) : [];
  }

  /** Pixels by which the page is wider than its window. */
  async overflow(): Promise<number> {
    return Number(
      await this.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      ),
    );
  }

  /** Begins the trace of a test, which has no complaints yet. */
  async begin(): Promise<void> {
    this.complaints.length = 0;
    await this.#context?.tracing.startChunk();
  }

  /** Keeps a picture, the text and the trace of the page, and says where. */
  async keep(name: string): Promise<void> {
    if (this.#page === undefined || this.#context === undefined) return;
    mkdirSync(FAILURES, { recursive: true });
    const path = join(FAILURES, name.replaceAll(/\W+/g, '-').slice(0, 150));
    await this.#page.screenshot({ path: `${path}.png`, fullPage: true });
    writeFileSync(`${path}.yaml`, await this.#page.locator('body').ariaSnapshot());
    await this.#context.tracing.stopChunk({ path: `${path}.zip` });
    process.stderr.write(
      `The page looked like ${path}.png and read like ${path}.yaml; npx playwright show-trace ${path}.zip shows what happened.\n`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context?.close();
  }
}
