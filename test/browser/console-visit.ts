/** A visit to pages of the console with puppeteer: what a person would press, and what the browser complains of. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import {
  openTestService,
  type TestOverrides,
  type TestService,
} from '../service/support/test-service.ts';
import { facilityPath } from '../support/facilities/describe-with.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The window of a phone. */
export const PHONE = { width: 360, height: 740 };
/** The window of a desk. */
export const DESK = { width: 1280, height: 900 };

/** A browser with one page, and the service that it visits. */
export class ConsoleVisit implements AsyncDisposable {
  readonly service: TestService;
  readonly page: Page;
  readonly origin: string;
  /** Errors of the page's console and scripts. Answers with an error status are none: tests provoke them. */
  readonly complaints: string[] = [];
  readonly #browser: Browser;

  private constructor(service: TestService, browser: Browser, page: Page, origin: string) {
    this.service = service;
    this.page = page;
    this.origin = origin;
    this.#browser = browser;
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      const isAnswer = message.text().startsWith('Failed to load resource: the server responded');
      if (message.type() === 'error' && !isAnswer) this.complaints.push(message.text());
    });
  }

  static async start(overrides: TestOverrides = {}): Promise<ConsoleVisit> {
    const service = await openTestService(overrides);
    const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
    const browser = await puppeteer.launch({
      executablePath: facilityPath('Chromium'),
      // Root, as containers run it, may not use the sandbox; the page is the project's own.
      args: ['--no-sandbox', '--no-proxy-server', '--disable-dev-shm-usage'],
      pipe: true,
      timeout: 0,
      protocolTimeout: 0,
    });
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    page.setDefaultNavigationTimeout(0);
    return new ConsoleVisit(service, browser, page, origin);
  }

  /** Opens an address of the console anew, with a key or without one; nothing else is stored in the browser. */
  async open(hash: string, key?: string, size = DESK): Promise<void> {
    await this.page.setViewport(size);
    await this.page.goto(`${this.origin}/healthz`);
    await this.page.evaluate(`localStorage.clear(); sessionStorage.clear();`);
    if (key !== undefined) await this.page.evaluate(`sessionStorage.setItem('qcs-key', '${key}')`);
    await this.page.goto(`${this.origin}/${hash}`);
  }

  /** Clicks a button by its name. */
  async click(name: string): Promise<void> {
    await this.page.locator(`::-p-aria([name="${name}"][role="button"])`).click();
  }

  /** Replaces what a field holds, by the field's label. */
  async fill(label: string, text: string): Promise<void> {
    await this.page.locator(`::-p-aria(${label})`).fill(text);
  }

  /** Waits until the page's text contains it. */
  async sees(text: string): Promise<void> {
    await this.page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`);
  }

  /** Presses Tab until the element with this name has the focus. */
  async tabTo(name: string): Promise<void> {
    for (let presses = 0; presses < 100; presses += 1) {
      await this.page.keyboard.press('Tab');
      if ((await this.focusName()) === name) return;
    }
    throw new Error(`Tab does not lead to ${name}`);
  }

  /** What axe finds, by rule and element. */
  async violations(): Promise<readonly string[]> {
    await this.page.evaluate(AXE);
    const found: unknown = await this.page.evaluate(`axe.run().then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`);
    return Array.isArray(found) ? found.map(String) : [];
  }

  /** Pixels by which the page is wider than its window. */
  async overflow(): Promise<number> {
    return Number(
      await this.page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.service[Symbol.asyncDispose]();
  }

  /** Name of the element that has the focus. */
  async focusName(): Promise<string> {
    return String(
      await this.page.evaluate(`(() => {
        const { activeElement: one } = document;
        const name = one.getAttribute('aria-label') ?? one.labels?.[0]?.innerText ?? one.textContent;
        return name.trim();
      })()`),
    );
  }
}
