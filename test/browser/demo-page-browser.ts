/**
 * A page in headless Chromium, driven by the browser's own protocol: keys, sizes, colour schemes, what
 * it asks for and what it complains of. The answers to runs are the test's; all else is the service's.
 */
import { facilityPath } from '../support/facilities/describe-with.ts';
import { type Chromium, openChromium } from './chromium.ts';

/** Answer to a run. */
export interface RunAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads a field of what the browser says. */
function field(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((each, name) => Reflect.get(Object(each), name), value);
}

/** Commands to the browser, and what it tells by itself. */
class Protocol {
  readonly #chromium: Chromium;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #listeners = new Map<string, (params: unknown) => void>();
  #numSent = 0;
  #unread = '';

  constructor(chromium: Chromium) {
    this.#chromium = chromium;
    chromium.protocol.from.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    void chromium.ended.then((said) => this.#fail(new Error(`Chromium has ended: ${said}`)));
  }

  async send(method: string, params: object = {}, sessionId?: string): Promise<unknown> {
    const id = ++this.#numSent;
    const answer = Promise.withResolvers<unknown>();
    this.#pending.set(id, answer);
    this.#chromium.protocol.to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return await answer.promise;
  }

  on(method: string, listener: (params: unknown) => void): void {
    this.#listeners.set(method, listener);
  }

  #read(text: string): void {
    const messages = (this.#unread + text).split('\0');
    this.#unread = messages.pop() ?? '';
    for (const message of messages) this.#take(JSON.parse(message));
  }

  #take(message: unknown): void {
    const pending = this.#pending.get(Number(field(message, 'id')));
    if (pending === undefined) {
      this.#listeners.get(String(field(message, 'method')))?.(field(message, 'params'));
      return;
    }
    this.#pending.delete(Number(field(message, 'id')));
    const error = field(message, 'error', 'message');
    if (error === undefined) pending.resolve(field(message, 'result'));
    else pending.reject(new Error(String(error)));
  }

  #fail(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
  }
}

/** A size of the window, in CSS pixels. */
export interface WindowSize {
  readonly width: number;
  readonly height: number;
  readonly isPhone?: boolean;
}

/** A page of the browser. */
export class BrowserPage implements AsyncDisposable {
  readonly #chromium: Chromium;
  readonly #protocol: Protocol;
  readonly #session: string;
  /** Errors and warnings of the page, and violations of its policies. */
  readonly complaints: string[] = [];
  /** Addresses that it asked for. */
  readonly requests: string[] = [];
  /** Bodies of the runs that it asked for. */
  readonly runs: unknown[] = [];
  /** Answers a run; a promise holds it back. Without it the service does. */
  answer: ((body: unknown) => RunAnswer | Promise<RunAnswer>) | undefined;

  private constructor(chromium: Chromium, protocol: Protocol, session: string) {
    this.#chromium = chromium;
    this.#protocol = protocol;
    this.#session = session;
  }

  /** Opens a browser whose page is empty. */
  static async open(): Promise<BrowserPage> {
    const chromium = await openChromium('about:blank', facilityPath('Chromium'));
    const protocol = new Protocol(chromium);
    const targets = field(await protocol.send('Target.getTargets'), 'targetInfos');
    const found = (Array.isArray(targets) ? targets : []).find(
      (target) => field(target, 'type') === 'page',
    );
    const attached = await protocol.send('Target.attachToTarget', {
      targetId: field(found, 'targetId'),
      flatten: true,
    });
    const page = new BrowserPage(chromium, protocol, String(field(attached, 'sessionId')));
    await page.#listen();
    return page;
  }

  /** Loads a page whose runs are answered by `answer`. */
  async load(url: string): Promise<void> {
    this.complaints.length = 0;
    this.requests.length = 0;
    this.runs.length = 0;
    const loaded = new Promise<void>((resolve) => {
      this.#protocol.on('Page.loadEventFired', () => resolve());
    });
    await this.#send('Page.navigate', { url });
    await loaded;
  }

  /** A window of that size, in a scheme of colours. */
  async resize({ width, height, isPhone = false }: WindowSize, scheme = 'light'): Promise<void> {
    const deviceScaleFactor = isPhone ? 2 : 1;
    const metrics = { width, height, deviceScaleFactor, mobile: isPhone };
    await this.#send('Emulation.setDeviceMetricsOverride', metrics);
    await this.#send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: scheme }],
    });
  }

  /** Makes each request of the page take so much longer. */
  async delayNetwork(latency: number): Promise<void> {
    const rates = { downloadThroughput: -1, uploadThroughput: -1 };
    await this.#send('Network.emulateNetworkConditions', { offline: false, latency, ...rates });
  }

  /** Presses and lets go of a key. */
  async press(key: string, modifiers = 0): Promise<void> {
    const { code, text } = KEYS[key] ?? { code: 0 };
    const event = { key, code: key, windowsVirtualKeyCode: code, modifiers };
    const type = text === undefined ? 'rawKeyDown' : 'keyDown';
    await this.#send('Input.dispatchKeyEvent', { type, ...event, ...(text && { text }) });
    await this.#send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  /** The value of an expression; a promise is waited for. */
  async evaluate(expression: string): Promise<unknown> {
    const options = { expression, awaitPromise: true, returnByValue: true };
    const answer = await this.#send('Runtime.evaluate', options);
    const thrown = field(answer, 'exceptionDetails', 'exception', 'description');
    if (thrown !== undefined) throw new Error(String(thrown));
    return field(answer, 'result', 'value');
  }

  /** Waits until an expression holds; it is evaluated in every frame. */
  async until(expression: string): Promise<void> {
    await this.evaluate(`new Promise((resolve) => {
      const look = () => ((${expression}) ? resolve() : requestAnimationFrame(look));
      look();
    })`);
  }

  /** The text of an element. */
  async text(id: string): Promise<string> {
    return String(await this.evaluate(`document.getElementById('${id}').textContent`));
  }

  /** Roles and names of the elements that assistive technology is told of. */
  async accessibleElements(): Promise<readonly { readonly role: string; readonly name: string }[]> {
    const nodes = field(await this.#send('Accessibility.getFullAXTree'), 'nodes');
    return (Array.isArray(nodes) ? nodes : [])
      .filter((node) => field(node, 'ignored') !== true)
      .map((node) => ({
        role: String(field(node, 'role', 'value')),
        name: String(field(node, 'name', 'value') ?? ''),
      }));
  }

  /** A picture of the whole page, or of what of it is in the window: PNG. */
  async screenshot(isWhole = true): Promise<Buffer> {
    const options = { format: 'png', captureBeyondViewport: isWhole };
    return Buffer.from(
      String(field(await this.#send('Page.captureScreenshot', options), 'data')),
      'base64',
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chromium[Symbol.asyncDispose]();
  }

  #send(method: string, params: object = {}): Promise<unknown> {
    return this.#protocol.send(method, params, this.#session);
  }

  async #listen(): Promise<void> {
    const complain = (what: unknown) => this.complaints.push(JSON.stringify(what));
    this.#protocol.on('Runtime.consoleAPICalled', complain);
    this.#protocol.on('Runtime.exceptionThrown', complain);
    this.#protocol.on('Log.entryAdded', (params) => {
      // That an answer is an error is what some tests are about.
      const isAnswer = String(field(params, 'entry', 'text')).startsWith('Failed to load resource');
      const isRun = String(field(params, 'entry', 'url')).includes('/api/v1/demo/');
      if (!(isAnswer && isRun)) complain(params);
    });
    this.#protocol.on('Network.requestWillBeSent', (params) => {
      this.requests.push(String(field(params, 'request', 'url')));
    });
    this.#protocol.on('Fetch.requestPaused', (params) => {
      void this.#fulfil(params);
    });
    for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'Accessibility']) {
      await this.#send(`${domain}.enable`);
    }
    await this.#send('Fetch.enable', { patterns: [{ urlPattern: '*/api/v1/demo/*' }] });
  }

  async #fulfil(paused: unknown): Promise<void> {
    const sent: unknown = JSON.parse(String(field(paused, 'request', 'postData')));
    this.runs.push(sent);
    const requestId = field(paused, 'requestId');
    if (this.answer === undefined) {
      await this.#send('Fetch.continueRequest', { requestId });
      return;
    }
    const { status, body, headers = {} } = await this.answer(sent);
    const all: Fields = { 'content-type': 'application/json', ...headers };
    const responseHeaders = Object.entries(all).map(([name, value]) => ({ name, value }));
    await this.#send('Fetch.fulfillRequest', {
      requestId,
      responseCode: status,
      responseHeaders,
      body: Buffer.from(JSON.stringify(body)).toString('base64'),
    });
  }
}

/** Keys that tests press: virtual code, and the text that one types. */
const KEYS: Readonly<Record<string, { readonly code: number; readonly text?: string }>> = {
  Tab: { code: 9 },
  Enter: { code: 13, text: '\r' },
  ' ': { code: 32, text: ' ' },
  End: { code: 35 },
  Home: { code: 36 },
  ArrowLeft: { code: 37 },
  ArrowRight: { code: 39 },
};
