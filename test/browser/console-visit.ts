/** A visit to pages of the console of a service that a test opens. */
import {
  openTestService,
  type TestOverrides,
  type TestService,
} from '../service/support/test-service.ts';
import { BrowserPage, DESK, type Opened, type Scheme } from './browser-page.ts';

export { DESK, PHONE, test, WALL } from './browser-page.ts';

/** A window, and the service that it visits. */
export class ConsoleVisit extends BrowserPage {
  readonly service: TestService;
  readonly origin: string;

  protected constructor(opened: Opened, service: TestService, origin: string) {
    super(opened);
    this.service = service;
    this.origin = origin;
  }

  static async start(opened: Opened, overrides: TestOverrides = {}): Promise<ConsoleVisit> {
    return new ConsoleVisit(opened, ...(await startService(overrides)));
  }

  /** A visit to a service that is open. It is closed with the visit. */
  static async to(opened: Opened, service: TestService): Promise<ConsoleVisit> {
    return new ConsoleVisit(opened, service, await listening(service));
  }

  /** Opens an address of the console anew, with a key or without one; nothing else is stored in the browser. */
  async open(hash: string, key?: string, size = DESK, scheme: Scheme = 'light'): Promise<void> {
    await this.resize(size, scheme);
    await this.page.goto(`${this.origin}/healthz`);
    await this.evaluate(`localStorage.clear(); sessionStorage.clear();`);
    if (key !== undefined) await this.evaluate(`sessionStorage.setItem('qcs-key', '${key}')`);
    await this.load(`${this.origin}/${hash}`);
  }

  /** Goes to the text of the composer, whose editor is loaded then. */
  async goToText(): Promise<void> {
    await this.page.getByRole('textbox', { name: 'text of the circuit' }).focus();
    await this.has('.cm-content:focus');
  }

  /** Waits until the text of the composer has a part. */
  async textHas(part: string): Promise<void> {
    await this.page
      .getByRole('textbox', { name: 'text of the circuit' })
      .filter({ hasText: part })
      .waitFor();
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
  return [service, await listening(service)];
}

/** Lets a service listen. @returns Its origin. */
async function listening({ app }: TestService): Promise<string> {
  return await app.listen({ host: '127.0.0.1', port: 0 });
}
