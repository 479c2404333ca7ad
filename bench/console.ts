/**
 * Frames a second of the console in headless Chromium while it has much to show: a list of 10,000 jobs that is read,
 * scrolled and followed while jobs come in, and the 48 devices while they work. Browser, service and load share the
 * machine. The frames are those of requestAnimationFrame, at most 60 a second.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { bellLoad, closedLoop } from '../src/cli/capacity/http-load.ts';
import { openChromium } from '../test/browser/chromium.ts';
import { BROWSERS } from '../test/support/facilities/facilities.ts';
import {
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
} from '../test/support/service-process.ts';
import { type Measurement, report } from './harness.ts';

const NUM_JOBS = 10_000;
const GOAL = 50;
const WINDOW = { width: 1440, height: 900 };
/** Length of the parts that have no end of their own. */
const PART_MS = 10_000;
/** Jobs that come in a second while the list and the map are looked at. */
const JOBS_PER_SECOND = 20;
/** Pixels that one frame scrolls: the list passes in about ten seconds. */
const SCROLL_STEP = 900;

/** Prints and stores the frame rates. */
export async function benchConsole(): Promise<void> {
  const executable = BROWSERS.find((path) => existsSync(path));
  if (executable === undefined) throw new Error(`Chromium is none of ${BROWSERS.join(', ')}.`);
  const build = join(import.meta.dirname, '../scripts/build-page.ts');
  execFileSync(process.execPath, [build, '--if-stale']);
  using folder = temporaryFolder();
  const service = await startServiceProcess(folder.path, {
    QCS_ENGINE: 'cpu',
    QCS_RATE_LIMIT_STANDARD: '1000000000',
    QCS_LOG_LEVEL: 'warn',
  });
  const measured: Measurement[] = [];
  try {
    await submit(service, 'statevector-sim', NUM_JOBS, 32);
    await using chromium = await openChromium(executable);
    const page = await chromium.newPage({ viewport: WINDOW });
    measured.push(...(await measureJobs(page, service)));
    measured.push(...(await measureDevices(page, service)));
  } finally {
    await service.stop('SIGTERM');
  }
  report('console', measured);
}

async function measureJobs(page: Page, service: ServiceProcess): Promise<readonly Measurement[]> {
  await open(page, service, '#/jobs');
  await page.waitForSelector('.job-row');
  await page.focus('.job-list');
  const numRead = `document.querySelector('[role=status]')?.textContent`;
  const reading = await framesWhile(page, async () => {
    // Each press goes to the end of what has been read, and so asks for more.
    while (!/^10,\d{3} jobs\.$/.test(String(await page.evaluate(numRead)))) {
      await page.keyboard.press('End');
    }
  });
  const scrolling = await framesWhile(page, () =>
    whileJobsArrive(service, 'statevector-sim', () => scrollThrough(page)),
  );
  const moving = await framesWhile(page, () =>
    whileJobsArrive(service, 'statevector-sim', () => moveByKeys(page)),
  );
  await page.keyboard.press('Home');
  const following = await framesWhile(page, () =>
    whileJobsArrive(service, 'statevector-sim', () => passed(PART_MS)),
  );
  const rows = await page.locator('.job-row').count();
  return [
    ...figures('reading 10,000 jobs', reading),
    ...figures('scrolling through 10,000 jobs', scrolling),
    ...figures('going through 10,000 jobs by keys', moving),
    ...figures('following 10,000 jobs', following),
    { name: 'rows in the document', value: rows, unit: 'rows' },
  ];
}

async function measureDevices(
  page: Page,
  service: ServiceProcess,
): Promise<readonly Measurement[]> {
  const parts: Measurement[] = [];
  for (const form of ['map', 'table']) {
    await open(page, service, form === 'map' ? '#/fleet' : '#/fleet?view=table');
    await page.waitForSelector('[data-id]');
    const frames = await framesWhile(page, () =>
      whileJobsArrive(service, 'gpu-fleet', () => passed(PART_MS)),
    );
    parts.push(...figures(`48 devices as a ${form}`, frames));
  }
  return parts;
}

/** Opens an address anew, with the key of the service. */
async function open(page: Page, service: ServiceProcess, hash: string): Promise<void> {
  await page.goto(`${service.origin}/healthz`);
  await page.evaluate(`sessionStorage.setItem('qcs-key', '${service.key}')`);
  await page.goto(`${service.origin}/${hash}`);
}

async function submit(
  service: ServiceProcess,
  processor: string,
  numRequests: number,
  numConnections: number,
): Promise<void> {
  const load = bellLoad(service.origin, service.key ?? '', processor);
  await closedLoop({ ...load, numRequests, numConnections });
}

/** Submits jobs at a constant rate until some action ends. */
async function whileJobsArrive(
  service: ServiceProcess,
  processor: string,
  action: () => Promise<void>,
): Promise<void> {
  const sent: Promise<void>[] = [];
  const timer = setInterval(
    () => sent.push(submit(service, processor, 1, 1)),
    1000 / JOBS_PER_SECOND,
  );
  try {
    await action();
  } finally {
    clearInterval(timer);
  }
  await Promise.all(sent);
}

/** Scrolls from the top of the list to its end, a step in each frame. */
async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const list = document.querySelector('.job-list');
    list.scrollTop = 0;
    const step = () => {
      const before = list.scrollTop;
      list.scrollTop += ${SCROLL_STEP};
      if (list.scrollTop === before) resolve();
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`);
}

/** Presses Page Up and Arrow Up for a time. */
async function moveByKeys(page: Page): Promise<void> {
  const end = performance.now() + PART_MS;
  while (performance.now() < end) {
    await page.keyboard.press('PageUp');
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowUp');
  }
}

async function passed(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Milliseconds between the frames while something is done. */
async function framesWhile(page: Page, action: () => Promise<void>): Promise<readonly number[]> {
  await page.evaluate(`(() => {
    const stamps = [];
    window.frameStamps = stamps;
    const look = (now) => {
      if (window.frameStamps !== stamps) return;
      stamps.push(now);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })()`);
  await action();
  const stamps = (await page.evaluate(`(() => {
    const stamps = window.frameStamps;
    delete window.frameStamps;
    return stamps;
  })()`)) as readonly number[];
  return stamps.slice(1).map((stamp, i) => stamp - (stamps[i] ?? stamp));
}

function figures(name: string, gaps: readonly number[]): readonly Measurement[] {
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  const sorted = gaps.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
  return [
    { name, value: (1000 * gaps.length) / total, unit: 'frames a second', goal: GOAL },
    { name: `${name}: frame p99`, value: at(0.99), unit: 'ms', spread: [at(0), at(1)] },
  ];
}
