/**
 * A PostgreSQL server of a test: with a folder of its own, on a free port of this machine. Tests may end it and start it
 * again.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

/** Where Debian keeps the programs of each version, and the folders of the PATH. */
const DEBIAN = '/usr/lib/postgresql';
const FIRST_TRY_MS = 20;
const OTHERS_LIVE = /pre-existing shared memory block|lock file "postmaster.pid" already exists/;

/** Folder with `initdb` and `postgres`, of the newest version that is found; undefined without one. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number).filter(Boolean) : [];
  const ofDebian = versions
    .sort((a, b) => b - a)
    .map((version) => join(DEBIAN, `${version}`, 'bin'));
  const folders = [...ofDebian, ...(process.env['PATH'] ?? '').split(delimiter)];
  return folders.find((folder) =>
    ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))),
  );
}

/** User that the server runs as, where it is another than that of the tests: PostgreSQL refuses root. */
export function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const fields = ['postgres', 'nobody'].map((name) =>
    lines.find((line) => line.startsWith(`${name}:`))?.split(':'),
  );
  const [, , uid, gid] = fields.find((each) => each !== undefined) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/** A running server. */
export interface PostgresServer {
  /** Of the server's own database. */
  readonly url: string;
  readonly port: number;
  /** Creates an empty database and gives its URL. */
  createDatabase(options?: string): Promise<string>;
  /**
   * Ends the server and all its processes at once, without a checkpoint: it starts as after a crash. (SIGKILL would
   * end only the first of its processes.)
   */
  crash(): Promise<void>;
  /** Kills its first process with SIGKILL. The others notice, and end once they have done what they are at. */
  kill(): Promise<void>;
  /** Process ids of the server and of all its processes. */
  pids(): readonly number[];
  /** Starts it again over what it has stored. */
  start(): Promise<void>;
  /** Ends it and deletes what it has stored. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Creates the files of a server. */
export async function initPostgres(programs: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'qcs-postgres-'));
  const user = serverUser();
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? user.uid);
  const options = ['-U', 'qcs', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  await run(join(programs, 'initdb'), ['-D', folder, ...options], { ...user, cwd: folder });
  return folder;
}

/**
 * Starts a server on a free port.
 *
 * @param extraSettings - As in `shared_buffers=256MB`.
 */
export async function startPostgres(
  programs: string,
  extraSettings: readonly string[] = [],
): Promise<PostgresServer> {
  const folder = await initPostgres(programs);
  const port = await freePort();
  const urlOf = (database: string) => `postgres://qcs@127.0.0.1:${port}/${database}`;
  const url = urlOf('postgres');
  let child: ChildProcess | undefined;
  let numDatabases = 0;
  const end = async (signal: 'SIGQUIT' | 'SIGKILL') => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const server: PostgresServer = {
    url,
    port,
    async createDatabase(options = '') {
      numDatabases += 1;
      const name = `qcs_${numDatabases}`;
      await query(url, `CREATE DATABASE ${name} ${options}`);
      return urlOf(name);
    },
    crash: () => end('SIGQUIT'),
    kill: () => end('SIGKILL'),
    pids() {
      const { pid } = child ?? {};
      return pid === undefined ? [] : [pid, ...childrenOf(pid)];
    },
    async start() {
      const settings = [
        // No test cuts the power: the system keeps what a server wrote before it crashed, and nothing need reach the disk.
        'fsync=off',
        'listen_addresses=127.0.0.1',
        `port=${port}`,
        `unix_socket_directories=${folder}`,
        ...extraSettings,
      ].flatMap((setting) => ['-c', setting]);
      for (;;) {
        const started = spawn(join(programs, 'postgres'), ['-D', folder, ...settings], {
          ...serverUser(),
          cwd: folder,
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        child = started;
        let said = '';
        started.stderr.setEncoding('utf8').on('data', (text: string) => {
          said = (said + text).slice(-10_000);
        });
        while (started.exitCode === null) {
          try {
            await query(url, 'SELECT 1');
            return;
          } catch {
            await new Promise((resolve) => setTimeout(resolve, FIRST_TRY_MS));
          }
        }
        // After SIGKILL, other processes of the killed server may live on for a moment.
        if (!OTHERS_LIVE.test(said)) throw new Error(`PostgreSQL does not start: ${said}`);
      }
    },
    async [Symbol.asyncDispose]() {
      await server.crash();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  await server.start();
  return server;
}

/** Runs a statement over a connection of its own. */
export async function query(
  url: string,
  text: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Processes that a process has started and that live, on Linux. */
function childrenOf(parent: number): readonly number[] {
  const text = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
