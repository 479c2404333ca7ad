/** Tries each facility once, in processes of their own: a broken driver can crash or hang. */
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { vulkanFault } from '../../../src/fleet/adapters/adapter-report.ts';
import { openChromium } from '../../browser/chromium.ts';
import { initPostgres, postgresPrograms } from '../postgres-server.ts';
import {
  BROWSERS,
  DRIVERS,
  type Found,
  LONG_WAIT_MS,
  type Missing,
  type Present,
  PYTHON,
  type SoftwareDriver,
} from './facilities.ts';
import { squareOnGpu } from './try-gpu.ts';

/** A facility that has not answered by then hangs. */
const HANG_MS = 120_000;
const TRY_DRIVER = new URL('./try-driver.ts', import.meta.url);

type Attempt = Present | Missing;

/** Tries them all, side by side. */
export async function findFacilities(): Promise<Found> {
  const [lavapipe, swiftShader, [browser, webGpu], python, httpx, numpy, curl, postgres] =
    await Promise.all([
      tryDriverAt('lavapipe', DRIVERS.lavapipe.paths.find(existsSync)),
      tryDriverAt('SwiftShader', DRIVERS.SwiftShader.paths.find(existsSync)),
      tryBrowserAt(BROWSERS.find(existsSync)),
      tryPython('urllib.request'),
      tryPython('httpx'),
      tryPython('numpy'),
      tryCommand('curl', '--version'),
      tryPostgres(postgresPrograms()),
    ]);
  return {
    lavapipe,
    SwiftShader: swiftShader,
    Chromium: browser,
    'WebGPU in Chromium': webGpu,
    'Python 3': python,
    'httpx for Python': httpx,
    'numpy for Python': numpy,
    curl,
    PostgreSQL: postgres,
  };
}

function missing(reason: string): Missing {
  return { isPresent: false, reason: `${reason.trim().replace(/\.$/, '')}.` };
}

/** Has Python load a module. */
export function tryPython(module: string, command: string = PYTHON): Promise<Attempt> {
  return tryCommand(command, '-c', `import ${module}`);
}

async function tryCommand(command: string, ...options: readonly string[]): Promise<Attempt> {
  try {
    await promisify(execFile)(command, options, { timeout: HANG_MS });
    return { isPresent: true, path: command };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return missing(said.trim().split('\n').at(-1) ?? said);
  }
}

/** Creates the files of a server, for which its programs run as they will in the suites. */
export async function tryPostgres(programs: string | undefined): Promise<Attempt> {
  if (programs === undefined) {
    return missing('Neither the PATH nor /usr/lib/postgresql has initdb and postgres.');
  }
  try {
    await rm(await initPostgres(programs), { recursive: true, force: true });
    return { isPresent: true, path: programs };
  } catch (error) {
    return missing(error instanceof Error ? error.message : String(error));
  }
}

/** Opens the driver in a process that loads no other, and has it compute. */
export async function tryDriverAt(
  name: SoftwareDriver,
  path: string | undefined,
): Promise<Attempt> {
  if (path === undefined) return missing(`${DRIVERS[name].paths[0]} does not exist.`);
  const child = fork(TRY_DRIVER, [DRIVERS[name].adapter], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
    timeout: HANG_MS,
    killSignal: 'SIGKILL',
    env: { ...process.env, VK_ICD_FILENAMES: path, VK_DRIVER_FILES: path },
  });
  let outcome: string | undefined;
  // The first one: what fails later is the engine's, which the suites are about.
  child.on('message', (message) => {
    outcome ??= String(message);
  });
  const warnings = child.stderr === null ? '' : text(child.stderr);
  const [code, signal] = await once(child, 'close');
  if (outcome === 'computed') return { isPresent: true, path };
  const fault =
    vulkanFault(await warnings) ?? outcome ?? `Its process ended with ${signal ?? code}`;
  return missing(fault);
}

/** Has the browser open a page, and the page compute on WebGPU. */
export async function tryBrowserAt(path: string | undefined): Promise<readonly [Attempt, Attempt]> {
  if (path === undefined) {
    const none = missing(`None of ${BROWSERS.join(', ')} exists.`);
    return [none, none];
  }
  const present: Present = { isPresent: true, path };
  try {
    await using chromium = await openChromium(path);
    const page = await chromium.newPage();
    // WebGPU is there in secure contexts alone, which pages of this host are.
    await page.route('http://localhost/', (route) => route.fulfill({ contentType: 'text/html' }));
    await page.goto('http://localhost/', { timeout: LONG_WAIT_MS });
    const tried = await page.waitForFunction(TRY_WEBGPU, undefined, { timeout: LONG_WAIT_MS });
    const answer = await tried.jsonValue();
    return [present, answer === 'computed' ? present : missing(String(answer))];
  } catch (error) {
    const [said] = (error instanceof Error ? error.message : String(error)).split('\n');
    const none = missing(`${path}: ${said}`);
    return [none, none];
  }
}

const TRY_WEBGPU = `navigator.gpu === undefined
  ? 'It has no WebGPU.'
  : (${squareOnGpu})(navigator.gpu).then(() => 'computed', String)`;
