/** A visit to the demo of a real service, with answers to runs that a test sets. */
import type { Page, Route } from 'playwright';
import { expect } from 'vitest';
import type { DemoFacts } from '../../src/console/demo/demo-facts.ts';
import { DEMO_FACTS, demoBody } from '../support/demo-facts.ts';
import { DESK, type Opened, type Scheme } from './browser-page.ts';
import { ConsoleVisit, startService } from './console-visit.ts';

/** Answer to a run. */
export interface RunAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A clear call for the one class. */
const VIRGINICA: RunAnswer = { status: 200, body: demoBody('virginica') };
/** A clear call for the other. */
export const VERSICOLOR: RunAnswer = { status: 200, body: demoBody('versicolor') };
/** A call that another run might not repeat. */
export const CLOSE: RunAnswer = { status: 200, body: demoBody('close') };
/** As far to one side as it gets. */
export const LOPSIDED: RunAnswer = { status: 200, body: demoBody('lopsided') };
/** Too close to call. */
export const BORDERLINE: RunAnswer = { status: 200, body: demoBody('borderline') };

/** The answer that a page shows. */
export const ANSWER = '#verdict[data-certainty]';
/** More than the page has places for the focus. */
const MAX_TABS = 40;

/** A browser and the service that it visits. */
export class DemoVisit extends ConsoleVisit {
  /** Facts that the page receives when it is opened next. */
  facts: DemoFacts = DEMO_FACTS;
  /** Bodies of the runs that it asked for. */
  readonly runs: unknown[] = [];
  /** Answers a run; a promise holds it back. Without it the service does. */
  answer: ((body: unknown) => RunAnswer | Promise<RunAnswer>) | undefined;

  static override async start(opened: Opened): Promise<DemoVisit> {
    const started = await startService({ demoFacts: () => visit.facts });
    const visit: DemoVisit = new DemoVisit(opened, ...started);
    return visit;
  }

  protected override async prepare(page: Page): Promise<void> {
    await page.route('**/api/v1/demo/*', (route) => this.#fulfil(route));
  }

  /** Back to facts and answers in which all is well. */
  reset(): void {
    this.facts = DEMO_FACTS;
    this.answer = () => VIRGINICA;
  }

  /** Opens the demo, and waits for the answer of the self-test that it begins with. */
  async openDemo(size = DESK, scheme: Scheme = 'light'): Promise<void> {
    await this.resize(size, scheme);
    await this.loadDemo();
    if (this.facts.availability.available) await this.has(ANSWER);
  }

  /** Loads the demo of a service, this visit's by default, until it has its sliders. */
  async loadDemo(origin = this.origin): Promise<void> {
    this.runs.length = 0;
    await this.load(`${origin}/#/demo`);
    await this.has('#sliders input');
  }

  /** The id of the element that has the focus. */
  async focus(): Promise<string> {
    return String(await this.evaluate('document.activeElement.id'));
  }

  /** The text of the element with that id. */
  async text(id: string): Promise<string> {
    return (await this.page.locator(`#${id}`).textContent()) ?? '';
  }

  /** Waits for the text of an element with that id. */
  async textUntil(id: string, pattern: RegExp): Promise<void> {
    await expect.poll(() => this.text(id)).toMatch(pattern);
  }

  /** Presses Tab until the element with that id has the focus. */
  async tabToId(id: string): Promise<void> {
    for (let presses = 0; presses < MAX_TABS; presses += 1) {
      if ((await this.focus()) === id) return;
      await this.press('Tab');
    }
    throw new Error(`Tab does not lead to ${id}`);
  }

  async #fulfil(route: Route): Promise<void> {
    const sent: unknown = route.request().postDataJSON();
    this.runs.push(sent);
    if (this.answer === undefined) return await route.continue();
    const { status, body, headers = {} } = await this.answer(sent);
    await route.fulfill({ status, json: body, headers });
  }
}
