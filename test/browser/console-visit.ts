/** A visit to pages of the console of a service that a test opens. */
import {
  openTestService,
  type TestOverrides,
  type TestService,
} from '../service/support/test-service.ts';
import { BrowserPage, DESK, type OpenedPage, openPage, type Scheme } from './browser-page.ts';

export { DESK, PHONE, WALL } from './browser-page.ts';

/** A browser with one page, and the service that it visits. */
export class ConsoleVisit extends BrowserPage {
  readonly service: TestService;
  readonly origin: string;

  protected constructor(opened: OpenedPage, service: TestService, origin: string) {
    super(opened);
    this.service = service;
    this.origin = origin;
  }

  static async start(overrides: TestOverrides = {}): Promise<ConsoleVisit> {
    return new ConsoleVisit(await openPage(), ...(await startService(overrides)));
  }

  /** Opens an address of the console anew, with a key or without one; nothing else is stored in the browser. */
  async open(hash: string, key?: string, size = DESK, scheme: Scheme = 'light'): Promise<void> {
    await this.resize(size, scheme);
    await this.page.goto(`${this.origin}/healthz`);
    await this.evaluate(`localStorage.clear(); sessionStorage.clear();`);
    if (key !== undefined) await this.evaluate(`sessionStorage.setItem('qcs-key', '${key}')`);
    await this.load(`${this.origin}/${hash}`);
  }

  /** Clicks a button by its name. */
  async click(name: string): Promise<void> {
    await this.clickOn(`::-p-aria([name="${name}"][role="button"])`);
  }

  /** Replaces what a field holds, by the field's label. */
  async fill(label: string, text: string): Promise<void> {
    await this.fillIn(`::-p-aria(${label})`, text);
  }

  /**
   * Replaces what a field holds.
   *
   * Text is selected and typed over, as a person does it. Puppeteer empties the field without an event, and a page that
   * is drawn anew before the first key puts the old text back.
   */
  async fillIn(selector: string, text: string): Promise<void> {
    const field = await this.page.waitForSelector(selector);
    const isSelected = await field?.evaluate((element) => {
      const { type = '' } = element as { readonly type?: string };
      if (!['text', 'search', 'password', 'number', 'textarea'].includes(type)) return false;
      const input = element as unknown as { focus(): void; select(): void };
      input.focus();
      input.select();
      return true;
    });
    if (isSelected === true && text !== '') await this.page.keyboard.type(text);
    else await this.page.locator(selector).fill(text);
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

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.service[Symbol.asyncDispose]();
  }
}

/** Starts a service that listens. @returns It and its origin. */
export async function startService(
  overrides: TestOverrides,
): Promise<[service: TestService, origin: string]> {
  const service = await openTestService(overrides);
  return [service, await service.app.listen({ host: '127.0.0.1', port: 0 })];
}
