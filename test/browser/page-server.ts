/** Serves the page, and has it run claims one at a time. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Browser } from 'playwright-core';
import { facilityPath } from '../support/facilities/describe-with.ts';
import { WAIT_MS } from '../support/facilities/facilities.ts';
import { openChromium } from './chromium.ts';

const SHADERS = new URL('../../shaders/', import.meta.url);
const HTML = `<!doctype html><title>Conformance</title>
<script type="module">import { serveClaims } from '/page.js'; serveClaims();</script>`;

/** How a claim went: null where it holds. */
interface Answer {
  readonly fault: string | null;
}

/** A page that runs claims. */
export interface ClaimPage extends AsyncDisposable {
  /**
   * Runs a claim; gives why it does not hold, or null.
   *
   * @param withinMs - Without it nothing but the test's own limit ends the wait.
   * @throws if the page does not answer in time, from then on at once, or its browser has ended.
   */
  run(index: number, withinMs?: number): Promise<string | null>;
  readonly chromium: Browser;
}

/** Opens a browser on a page with that module. */
export async function openClaimPage(module: string): Promise<ClaimPage> {
  const exchange = new Exchange();
  const server = createServer((request, response) => {
    answer(request, response, module, exchange).catch((error) => exchange.fail(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const chromium = await openChromium(facilityPath('Chromium'));
  chromium.on('disconnected', () => exchange.fail('Chromium has ended.'));
  const page = await chromium.newPage();
  await page.goto(`http://127.0.0.1:${port}/`, { timeout: WAIT_MS });
  return {
    chromium,
    run: (index, withinMs) => exchange.run(index, withinMs),
    [Symbol.asyncDispose]: async () => {
      exchange.fail('The page is closed.');
      await chromium.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  module: string,
  exchange: Exchange,
): Promise<void> {
  const send = (type: string, body: string) => {
    response.writeHead(200, { 'content-type': type }).end(body);
  };
  switch (request.url) {
    case '/':
      return send('text/html', HTML);
    case '/page.js':
      return send('text/javascript', module);
    case '/shaders':
      return send('application/json', JSON.stringify(shaderTexts()));
    case '/next': {
      const next = await exchange.take(JSON.parse(await text(request)));
      return send('text/plain', String(next));
    }
    default:
      response.writeHead(404).end();
  }
}

function shaderTexts(): Readonly<Record<string, string>> {
  const names = readdirSync(SHADERS, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.wgsl'),
  );
  return Object.fromEntries(
    names.map((name) => [name.slice(0, -5), readFileSync(new URL(name, SHADERS), 'utf8')]),
  );
}

/** Questions of the test and answers of the page, in turns. */
class Exchange {
  /** Set while the page waits for a claim. */
  #give: ((index: number) => void) | undefined;
  /** A claim that the page was not given yet. */
  #asked: number | undefined;
  /** Set while the test waits for an answer. */
  #hear: PromiseWithResolvers<string | null> | undefined;
  #broken: string | undefined;

  /** Resolves to the index of the page's next claim, once there is one; `answer` is how its last claim went. */
  take(answer: Answer | null): Promise<number> {
    if (answer !== null) this.#hear?.resolve(answer.fault);
    return new Promise((resolve) => {
      this.#give = resolve;
      this.#pass();
    });
  }

  async run(index: number, withinMs?: number): Promise<string | null> {
    if (this.#broken !== undefined) throw new Error(this.#broken);
    const hear = Promise.withResolvers<string | null>();
    this.#hear = hear;
    this.#asked = index;
    this.#pass();
    if (withinMs === undefined) return await hear.promise;
    const late = `The page did not answer within ${withinMs / 1000} s.`;
    const timer = setTimeout(() => this.fail(late), withinMs);
    return await hear.promise.finally(() => clearTimeout(timer));
  }

  /** Ends it: nothing more is answered. */
  fail(reason: string): void {
    this.#broken ??= reason;
    this.#hear?.reject(new Error(this.#broken));
  }

  #pass(): void {
    if (this.#give === undefined || this.#asked === undefined) return;
    this.#give(this.#asked);
    this.#give = undefined;
    this.#asked = undefined;
  }
}
