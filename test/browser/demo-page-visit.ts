/** A visit to the demo of a real service, with answers to runs that a test sets. */
import type { CDPSession, Protocol } from 'puppeteer-core';
import type { DemoFacts } from '../../src/console/demo/demo-facts.ts';
import { DEMO_FACTS, demoBody } from '../support/demo-facts.ts';
import { DESK, type OpenedPage, openPage, type Scheme } from './browser-page.ts';
import { ConsoleVisit, startService } from './console-visit.ts';

/** Answer to a run. */
export interface RunAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

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
export class DemoVisit extends ConsoleVisit {
  /** Facts that the page receives when it is opened next. */
  facts: DemoFacts = DEMO_FACTS;
  /** Bodies of the runs that it asked for. */
  readonly runs: unknown[] = [];
  /** Answers a run; a promise holds it back. Without it the service does. */
  answer: ((body: unknown) => RunAnswer | Promise<RunAnswer>) | undefined;

  static override async start(): Promise<DemoVisit> {
    const opened: OpenedPage = await openPage();
    const visit: DemoVisit = new DemoVisit(
      opened,
      ...(await startService({ demoFacts: () => visit.facts })),
    );
    const session = await opened.page.createCDPSession();
    session.on('Fetch.requestPaused', (paused) => void visit.#fulfil(session, paused));
    await session.send('Fetch.enable', { patterns: [{ urlPattern: '*/api/v1/demo/*' }] });
    return visit;
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
    if (this.facts.availability.available) await this.until(HAS_ANSWER);
  }

  /** Loads the demo of a service, this visit's by default, until it has its sliders. */
  async loadDemo(origin = this.origin): Promise<void> {
    this.runs.length = 0;
    await this.load(`${origin}/#/demo`);
    await this.until(`document.querySelector('#sliders input') !== null`);
  }

  /** The id of the element that has the focus. */
  async focus(): Promise<string> {
    return String(await this.evaluate('document.activeElement.id'));
  }

  /** Waits for the text of an element with that id. */
  async textUntil(id: string, pattern: RegExp): Promise<void> {
    await this.until(`${pattern}.test(document.getElementById('${id}').textContent)`);
  }

  /** Presses Tab until the element with that id has the focus. */
  async tabToId(id: string): Promise<void> {
    for (let presses = 0; presses < MAX_TABS; presses += 1) {
      if ((await this.focus()) === id) return;
      await this.press('Tab');
    }
    throw new Error(`Tab does not lead to ${id}`);
  }

  async #fulfil(session: CDPSession, paused: Protocol.Fetch.RequestPausedEvent): Promise<void> {
    const { requestId, request } = paused;
    const sent: unknown = JSON.parse(String(request.postData));
    this.runs.push(sent);
    if (this.answer === undefined) {
      await session.send('Fetch.continueRequest', { requestId });
      return;
    }
    const { status, body, headers = {} } = await this.answer(sent);
    const all = { 'content-type': 'application/json', ...headers };
    await session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: status,
      responseHeaders: Object.entries(all).map(([name, value]) => ({ name, value })),
      body: Buffer.from(JSON.stringify(body)).toString('base64'),
    });
  }
}
