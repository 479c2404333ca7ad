/**
 * Headless Chromium, driven by puppeteer. Its processes and files are gone when it is closed, and also when the
 * process that opened it is killed: Chromium ends when the pipe to it closes, and the shell that started it then
 * removes its folder.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';

/** Milliseconds between asking it to end and killing it. */
const END_MS = 5000;
/** Characters of its error stream that are kept. */
const MAX_SAID = 4000;

/** Beside those that puppeteer gives. */
const FLAGS = [
  // Root, as containers run it, may not use the sandbox; the page is the project's own.
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--no-proxy-server',
  '--disable-component-update',
  '--remote-debugging-pipe',
];

/** Runs a command, its arguments after the folder that is removed afterwards. */
const SHELL_SCRIPT = 'folder=$1; shift; "$@"; rm -rf "$folder"';

/** A running browser. */
export interface Chromium extends AsyncDisposable {
  readonly browser: Browser;
  /** Resolves when it has ended, for whatever reason, with the last text of its error stream. */
  readonly ended: Promise<string>;
  /** Folder of everything that it writes. */
  readonly folder: string;
}

/** Starts the browser at the absolute path `executable` on a page. */
export async function openChromium(url: string, executable: string): Promise<Chromium> {
  const folder = await mkdtemp(join(tmpdir(), 'qcs-chromium-'));
  const flags = await puppeteer.defaultArgs({ args: [url, ...FLAGS], userDataDir: folder });
  const browser = await puppeteer.launch({
    executablePath: '/bin/sh',
    ignoreDefaultArgs: true,
    args: ['-c', SHELL_SCRIPT, 'sh', folder, executable, ...flags],
    // What it writes lies in its folder.
    env: { ...process.env, HOME: folder, TMPDIR: folder },
    pipe: true,
    defaultViewport: null,
    timeout: 0,
    protocolTimeout: 0,
  });
  const shell = browser.process();
  if (shell === null) throw new Error('unreachable: puppeteer has started no process');
  let said = '';
  shell.stderr?.on('data', (data) => {
    said = `${said}${data}`.slice(-MAX_SAID);
  });
  const ended = new Promise<string>((resolve) => {
    shell.once('close', () => resolve(said));
  });
  return {
    browser,
    ended,
    folder,
    [Symbol.asyncDispose]: async () => {
      const kill = setTimeout(() => {
        if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
      }, END_MS);
      await browser.close();
      await ended;
      clearTimeout(kill);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
