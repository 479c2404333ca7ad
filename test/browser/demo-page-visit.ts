/** A visit to the page at `/` of a real service, with answers to runs that a test sets. */
import type { DemoFacts } from '../../src/console/demo/demo-facts.ts';
import { openTestService, type TestService } from '../service/support/test-service.ts';
import { DEMO_FACTS, demoBody } from '../support/demo-facts.ts';
import { BrowserPage, type RunAnswer, type WindowSize } from './demo-page-browser.ts';

/** The window of a desk. */
export const DESK: WindowSize = { width: 1280, height: 900 };
/** The window of a phone. */
export const PHONE: WindowSize = { width: 360, height: 740, isPhone: true };
/** The modifier key, for a press. */
export const SHIFT = 8;

/** A clear call for the one class. */
export const VIRGINICA: RunAnswer = { status: 200, body: demoBody('virginica') };
/** A clear call for the other. */
export const VERSICOLOR: RunAnswer = { status: 200, body: demoBody('versicolor') };
/** A call that another run might not repeat. */
export const CLOSE: RunAnswer = { status: 200, body: demoBody('close') };
/** As far to one side as it gets. */
export const LOPSIDED: RunAnswer = { status: 200, body: demoBody('lopsided') };
/** Too close to call. */
export const BORDERLINE: RunAnswer = { status: 200, body: demoBody('borderline') };

/** Holds in a page that shows an answer. */
export const HAS_ANSWER = `document.querySelector('#verdict[data-certainty]') !== null`;
/** More than the page has places for the focus. */
const MAX_TABS = 40;

/** A browser and the service that it visits. */
export class DemoVisit implements AsyncDisposable {
  readonly page: BrowserPage;
  readonly origin: string;
  /** Facts that the page receives when it is opened next. */
  facts: DemoFacts = DEMO_FACTS;
  readonly #service: TestService;

  private constructor(page: BrowserPage, service: TestService, origin: string) {
    this.page = page;
    this.#service = service;
    this.origin = origin;
  }

  static async start(): Promise<DemoVisit> {
    const service = await openTestService({ demoFacts: () => visit.facts });
    const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
    const visit = new DemoVisit(await BrowserPage.open(), service, origin);
    return visit;
  }

  /** Back to facts and answers in which all is well. */
  reset(): void {
    this.facts = DEMO_FACTS;
    this.page.answer = () => VIRGINICA;
  }

  /** Opens the page, and waits for the answer of the self-test that it begins with. */
  async open(size: WindowSize = DESK, scheme = 'light'): Promise<void> {
    await this.page.resize(size, scheme);
    await this.load();
    if (this.facts.availability.available) await this.page.until(HAS_ANSWER);
  }

  /** Loads the page of a service, this visit's by default, until it has its sliders. */
  async load(origin = this.origin): Promise<void> {
    // The browser loads nothing if an address differs after # alone.
    await this.page.load('about:blank');
    await this.page.load(`${origin}/#/demo`);
    await this.page.until(`document.querySelector('#sliders input') !== null`);
  }

  /** The id of the element that has the focus. */
  async focus(): Promise<string> {
    return String(await this.page.evaluate('document.activeElement.id'));
  }

  /** Waits for an element's text. */
  async textUntil(id: string, pattern: RegExp): Promise<void> {
    await this.page.until(`${pattern}.test(document.getElementById('${id}').textContent)`);
  }

  /** Presses Tab until an element has the focus. */
  async tabTo(id: string): Promise<void> {
    for (let presses = 0; presses < MAX_TABS; presses += 1) {
      if ((await this.focus()) === id) return;
      await this.page.press('Tab');
    }
    throw new Error(`Tab does not lead to ${id}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page[Symbol.asyncDispose]();
    await this.#service[Symbol.asyncDispose]();
  }
}
