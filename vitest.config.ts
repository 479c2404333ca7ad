import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import {
  BROWSER_FLAGS,
  BROWSERS,
  LONG_WAIT_MS,
  WAIT_MS,
} from './test/support/facilities/facilities.ts';
import { loadedByAddress } from './test/support/loaded-by-address.ts';
import { testFilesThatNeed } from './test/support/test-files.ts';
import { TimeReport } from './test/support/time-report.ts';

const NEED_FACILITIES = testFilesThatNeed('facilities');
const NEED_SERVICE = testFilesThatNeed('service');
const NEED_OTHERS = testFilesThatNeed('processes', 'isolation');
const NEED_MINUTES = testFilesThatNeed('minutes');
const NEED_PAGES = testFilesThatNeed('pages');
const NEED_BROWSER = testFilesThatNeed('browser');

const { QCS_TEST_SEEDS: SEEDS, QCS_TEST_LONG: LONG } = process.env;
const executablePath = BROWSERS.find((path) => existsSync(path));

/**
 * How long a test or a hook may take, in ms: ten times what nearly all of its project take on a quiet machine of two cores, and
 * long enough for the others where the machine does five times as much besides.
 * Where a file takes longer, it says so by `vi.setConfig`. Where QCS_TEST_SEEDS asks for more random cases, fast tests get
 * more time.
 */
const LIMITS_MS = {
  fast: 90_000 * Math.max(1, Number(SEEDS || 1)),
  processes: 300_000,
  long: 3_600_000,
};

// Threads and processes that tests start load the service's sources in a quarter of the time.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('.vitest/compile-cache', import.meta.url),
);

// Mesa's lavapipe compiles the kernel of sweeps in half of the time, and runs small circuits as fast: for vectors of 128 bits,
// without LLVM's optimisation. What it keeps on disk does not say for which vectors it is.
process.env['LP_NATIVE_VECTOR_WIDTH'] ??= '128';
process.env['GALLIVM_PERF'] ??= 'nopt';
process.env['MESA_SHADER_CACHE_DIR'] ??= fileURLToPath(
  new URL('.vitest/shader-cache', import.meta.url),
);

// Each service that a test starts would spend as much on circuits of its own as on all else that its start takes.
process.env['QCS_WARM_UP'] ??= '0';

/** For suites that wait for other processes half of their time; they run after those that do not. */
const WAITING = { maxWorkers: 3, sequence: { groupOrder: 1 } };
/** Each worker has a browser, a service and a software GPU; a third would slow the others down. */
const BROWSING = { sequence: { groupOrder: 2 } };

/**
 * Where nothing is known of an earlier run, Vitest begins with the largest files. A file of the conformance suites is small
 * and among the longest: begun last, it would run alone at the end.
 */
class ConformanceFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const inProjects = Map.groupBy(await super.sort(files), ({ project }) => project);
    const conforms = ({ moduleId }: TestSpecification) => moduleId.includes('/test/conformance/');
    return [...inProjects.values()].flatMap((its) => [
      ...its.filter(conforms),
      ...its.filter((each) => !conforms(each)),
    ]);
  }
}

const limit = (ms: number) => ({ testTimeout: ms, hookTimeout: ms });

export default defineConfig({
  plugins: process.argv.some((each) => each.startsWith('--changed')) ? [loadedByAddress()] : [],
  test: {
    // Vitest does not know who reads these.
    forceRerunTriggers: [
      '**/{package-lock.json,vitest.config.ts}',
      '**/{assembly,models,shaders}/**',
    ],
    reporters: ['default', new TimeReport()],
    sequence: { sequencer: ConformanceFirst },
    teardownTimeout: LIMITS_MS.processes,
    // Two worker processes: what they test has threads of its own.
    maxWorkers: 2,
    projects: [
      // `npm run test:long`
      ...(LONG === '1'
        ? [
            {
              extends: true as const,
              test: { name: 'long', ...limit(LIMITS_MS.long), include: NEED_MINUTES },
            },
          ]
        : []),
      {
        extends: true,
        test: {
          name: 'fast',
          ...limit(LIMITS_MS.fast),
          include: ['test/**/*.test.ts'],
          exclude: [
            ...NEED_SERVICE,
            ...NEED_OTHERS,
            ...NEED_FACILITIES,
            ...NEED_MINUTES,
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
          ...limit(LIMITS_MS.processes),
          ...WAITING,
          include: NEED_SERVICE,
          // A worker keeps its service for all of its files.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          ...limit(LIMITS_MS.processes),
          ...WAITING,
          include: NEED_OTHERS,
        },
      },
      {
        extends: true,
        test: {
          name: 'drivers',
          ...limit(LIMITS_MS.processes),
          ...WAITING,
          include: NEED_FACILITIES,
          globalSetup: 'test/support/facilities/set-up.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'pages',
          ...limit(LIMITS_MS.processes),
          ...BROWSING,
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
          'process.env.QCS_TEST_SEEDS': JSON.stringify(SEEDS ?? ''),
          'process.env.QCS_TEST_LONG': JSON.stringify(LONG ?? ''),
        },
        // Found later, it would have the page loaded anew amid its tests.
        optimizeDeps: { include: ['zod'] },
        test: {
          name: 'browser',
          ...limit(LIMITS_MS.processes),
          ...BROWSING,
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
