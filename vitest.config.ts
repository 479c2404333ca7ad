import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import {
  BROWSER_FLAGS,
  BROWSERS,
  LONG_WAIT_MS,
  WAIT_MS,
} from './test/support/facilities/facilities.ts';
import { testFilesThatNeed } from './test/support/test-files.ts';
import { TimeReport } from './test/support/time-report.ts';

const NEED_FACILITIES = testFilesThatNeed('facilities');
const NEED_SERVICE = testFilesThatNeed('service');
const NEED_PAGES = testFilesThatNeed('pages');
const NEED_BROWSER = testFilesThatNeed('browser');
const NEED_OTHERS = testFilesThatNeed('processes', 'minutes', 'isolation');

const executablePath = BROWSERS.find((path) => existsSync(path));

/**
 * Ends what hangs. No test is timed by it: it is at least ten times what the slowest test takes on a
 * quiet machine of two cores.
 */
const HANG_MS = 600_000;

// Threads and processes that tests start load the service's sources in a quarter of the time.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('.vitest/compile-cache', import.meta.url),
);

export default defineConfig({
  test: {
    reporters: ['default', new TimeReport()],
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    teardownTimeout: HANG_MS,
    // Two worker processes: the suites that start the service use worker threads of their own.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [
            ...NEED_SERVICE,
            ...NEED_OTHERS,
            ...NEED_FACILITIES,
            ...NEED_PAGES,
            ...NEED_BROWSER,
          ],
          setupFiles: 'test/support/held-to-needs.ts',
          // A worker loads each module once for all of its files.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: NEED_SERVICE,
          // A worker keeps its service for all of its files.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'processes', include: NEED_OTHERS },
      },
      {
        extends: true,
        test: {
          name: 'drivers',
          include: NEED_FACILITIES,
          globalSetup: 'test/support/facilities/set-up.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'pages',
          include: NEED_PAGES,
          globalSetup: 'test/support/facilities/set-up.ts',
          // A worker keeps its browser for all of its files.
          isolate: false,
          expect: { poll: { timeout: WAIT_MS } },
        },
      },
      {
        extends: true,
        // A page has no environment.
        define: {
          'process.env.QCS_TEST_SEEDS': JSON.stringify(process.env['QCS_TEST_SEEDS'] ?? '1'),
        },
        // Found later, it would have the page loaded anew amid its tests.
        optimizeDeps: { include: ['zod'] },
        test: {
          name: 'browser',
          include: NEED_BROWSER,
          globalSetup: 'test/support/facilities/set-up.ts',
          // Without a browser the files are read in Node, and their suites skipped.
          browser: {
            enabled: executablePath !== undefined,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                executablePath: executablePath ?? '',
                args: BROWSER_FLAGS,
                timeout: LONG_WAIT_MS,
              },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
});
