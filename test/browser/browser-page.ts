/** A page in headless Chromium: keys, sizes, colour schemes, its requests and what the browser complains of. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { KeyInput, Page } from 'puppeteer-core';
import { facilityPath } from '../support/facilities/describe-with.ts';
import { type Chromium, openChromium } from './chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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

/** A running browser and its page. */
export interface OpenedPage {
  readonly chromium: Chromium;
  readonly page: Page;
}

/** Starts a browser whose page is empty. */
export async function openPage(): Promise<OpenedPage> {
  const chromium = await openChromium('about:blank', facilityPath('Chromium'));
  const [page] = await chromium.browser.pages();
  if (page === undefined) throw new Error('unreachable: Chromium has no page');
  page.setDefaultTimeout(0);
  page.setDefaultNavigationTimeout(0);
  return { chromium, page };
}

/** A page of a browser of its own. */
export class BrowserPage implements AsyncDisposable {
  readonly page: Page;
  /**
   * Messages of the console, errors of scripts, violations of the page's policy, and requests to other hosts.
   * Answers with an error status are none: tests provoke them.
   */
  readonly complaints: string[] = [];
  /** Addresses of its requests since it was loaded. */
  readonly requests: string[] = [];
  readonly #chromium: Chromium;
  #origin = 'null';

  constructor({ chromium, page }: OpenedPage) {
    this.page = page;
    this.#chromium = chromium;
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      const text = message.text();
      if (text.startsWith('Failed to load resource: the server responded')) return;
      this.complaints.push(`${message.type()}: ${text} (${message.location().url ?? ''})`);
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      this.requests.push(url.href);
      if (this.#origin === 'null' || url.origin === this.#origin || url.protocol === 'data:')
        return;
      this.complaints.push(`request to ${url.href}`);
    });
  }

  static async open(): Promise<BrowserPage> {
    return new BrowserPage(await openPage());
  }

  /** Loads an address anew, also if it differs from the present one after # alone. */
  async load(url: string): Promise<void> {
    this.#origin = 'null';
    await this.page.goto('about:blank');
    this.complaints.length = 0;
    this.requests.length = 0;
    this.#origin = new URL(url).origin;
    await this.page.goto(url);
  }

  /** A window of that size, for a visitor who prefers a colour scheme. */
  async resize(size: WindowSize, scheme: Scheme = 'light'): Promise<void> {
    const isMobile = size.width <= MAX_PHONE_WIDTH;
    const deviceScaleFactor = isMobile ? 2 : 1;
    await this.page.setViewport({ ...size, isMobile, hasTouch: isMobile, deviceScaleFactor });
    await this.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  }

  /** Makes each request of the page take so many milliseconds more. */
  async delayNetwork(latency: number): Promise<void> {
    const conditions = latency === 0 ? null : { latency, download: -1, upload: -1 };
    await this.page.emulateNetworkConditions(conditions);
  }

  /** Presses and lets go of a key, while a modifier is held. */
  async press(key: KeyInput, modifier?: KeyInput): Promise<void> {
    if (modifier !== undefined) await this.page.keyboard.down(modifier);
    await this.page.keyboard.press(key);
    if (modifier !== undefined) await this.page.keyboard.up(modifier);
  }

  /**
   * Clicks an element once it is enabled and stands still.
   *
   * A page may still move after that, so that the mouse hits something else. Then it clicks once more, as a visitor would.
   */
  async clickOn(selector: string): Promise<void> {
    for (let hasMissed = true; hasMissed; ) {
      const element = await this.page.waitForSelector(selector);
      if (element === null) throw new Error(`unreachable: ${selector} was waited for`);
      const click = await element.evaluateHandle((wanted) => {
        const seen = { hasMissed: false };
        const look = ({ target }: { readonly target: unknown }) => {
          seen.hasMissed = wanted.isConnected && !wanted.contains(target as typeof wanted);
        };
        wanted.ownerDocument.addEventListener('click', look, { once: true, capture: true });
        return seen;
      });
      await this.page.locator(selector).click();
      // Where the click led to another page, nothing is left to look at.
      hasMissed = await click.evaluate((seen) => seen.hasMissed).catch(() => false);
    }
  }

  /** The value of an expression; a promise is waited for. */
  async evaluate(expression: string): Promise<unknown> {
    return await this.page.evaluate(expression);
  }

  /**
   * Waits until an expression holds; it is evaluated in every frame.
   *
   * One that throws does not hold yet: it may look at elements that the page has not drawn. (Puppeteer stops
   * looking when one throws in a later frame than the first, and then waits for ever.)
   */
  async until(expression: string): Promise<void> {
    await this.page.waitForFunction(`(() => {
      try {
        return ${expression};
      } catch {
        return false;
      }
    })()`);
  }

  /** Waits until the page's text contains it. */
  async sees(text: string): Promise<void> {
    await this.until(`document.body.innerText.includes(${JSON.stringify(text)})`);
  }

  /** The text of the element with that id. */
  async text(id: string): Promise<string> {
    return String(await this.evaluate(`document.getElementById('${id}').textContent`));
  }

  /** What axe finds, by rule and element. */
  async violations(): Promise<readonly string[]> {
    await this.evaluate(AXE);
    const found = await this.evaluate(`axe.run().then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`);
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

  /** Frames per second while something is done. */
  async frameRate(action: () => Promise<void>): Promise<number> {
    await this.evaluate(`(() => {
      window.frameStamps = [];
      const look = (now) => { window.frameStamps?.push(now); if (window.frameStamps) requestAnimationFrame(look); };
      requestAnimationFrame(look);
    })()`);
    await action();
    return Number(
      await this.evaluate(`(() => {
        const stamps = window.frameStamps;
        delete window.frameStamps;
        return ((stamps.length - 1) * 1000) / (stamps.at(-1) - stamps[0]);
      })()`),
    );
  }

  /** A picture of the window, or of the whole page: PNG. */
  async screenshot(isWhole = false): Promise<Uint8Array> {
    return await this.page.screenshot({ fullPage: isWhole });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chromium[Symbol.asyncDispose]();
  }
}
