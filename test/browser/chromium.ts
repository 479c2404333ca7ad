/**
 * Headless Chromium on one page, gone with all its processes and files when it is closed, and also
 * when the process that opened it dies: Chromium ends when the pipe to it closes, and the shell that
 * started it then removes its folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';

/** Between asking it to end and killing it. */
const END_MS = 5000;
/** Of what it says on its error stream. */
const MAX_SAID = 4000;

const FLAGS = [
  '--headless=new',
  // Root, as containers run it, may not use the sandbox; the page is the project's own.
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--disable-dev-shm-usage',
  '--no-proxy-server',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-crash-reporter',
  '--remote-debugging-pipe',
];

/** Runs a command, its arguments after the folder that is removed afterwards. */
const SHELL_SCRIPT = 'folder=$1; shift; "$@"; rm -rf "$folder"';

/** A running browser. */
export interface Chromium extends AsyncDisposable {
  /** Resolves when it has ended, for whatever reason, with the last that it said. */
  readonly ended: Promise<string>;
  /** Everything that it writes. */
  readonly folder: string;
  /** The pipes of its protocol: messages of JSON, each ended by a zero byte. */
  readonly protocol: { readonly to: Writable; readonly from: Readable };
}

/** Starts the browser, whose path is absolute, on a page. */
export async function openChromium(url: string, browser: string): Promise<Chromium> {
  const folder = await mkdtemp(join(tmpdir(), 'qcs-chromium-'));
  const command = [browser, ...FLAGS, `--user-data-dir=${folder}`, url];
  const shell = spawn('/bin/sh', ['-c', SHELL_SCRIPT, 'sh', folder, ...command], {
    // A group of its own, which can be killed as one; what it writes lies in its folder.
    detached: true,
    env: { ...process.env, HOME: folder, TMPDIR: folder },
    // Its error stream, then the two pipes of --remote-debugging-pipe.
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  let said = '';
  shell.stderr?.on('data', (data) => {
    said = `${said}${data}`.slice(-MAX_SAID);
  });
  // What a browser that has ended leaves unread is no error.
  for (const stream of shell.stdio) stream?.on('error', () => {});
  const ended = new Promise<string>((resolve) => {
    shell.once('error', (error) => resolve(String(error)));
    shell.once('close', () => resolve(said));
  });
  const [, , , to, from] = shell.stdio;
  if (!(to instanceof Writable && from instanceof Readable))
    throw new Error('unreachable: no pipes');
  return {
    ended,
    folder,
    protocol: { to, from },
    [Symbol.asyncDispose]: async () => {
      await end(shell, ended);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function end(shell: ChildProcess, ended: Promise<string>): Promise<void> {
  for (const pipe of shell.stdio.slice(3)) pipe?.destroy();
  const kill = setTimeout(() => {
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
  }, END_MS);
  await ended;
  clearTimeout(kill);
}
