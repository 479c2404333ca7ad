/** Headless Chromium, driven by Playwright. It ends, and its files go, when it is closed or this process ends. */
import { type Browser, chromium } from 'playwright';
import { BROWSER_FLAGS, LONG_WAIT_MS } from '../support/facilities/facilities.ts';

/**
 * Starts the browser at the absolute path `executablePath`.
 *
 * It has no sandbox: root, as containers run it, may not use one, and the pages are the project's own.
 */
export async function openChromium(executablePath: string): Promise<Browser> {
  return await chromium.launch({ executablePath, args: BROWSER_FLAGS, timeout: LONG_WAIT_MS });
}
