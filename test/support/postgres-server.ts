/**
 * A PostgreSQL server of a test: with a folder of its own, fsync on, on a free port of this machine. Tests may end it
 * and start it again.
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
  // The files of an empty server need not survive a power cut; what the server writes later is flushed.
  const options = ['-U', 'qcs', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  await run(join(programs, 'initdb'), ['-D', folder, ...options], { ...user, cwd: folder });
  return folder;
}

/** Starts a server on a free port. */
export async function startPostgres(programs: string): Promise<PostgresServer> {
  const folder = await initPostgres(programs);
  const port = await freePort();
  const urlOf = (database: string) => `postgres://qcs@127.0.0.1:${port}/${database}`;
  const url = urlOf('postgres');
  let child: ChildProcess | undefined;
  let numDatabases = 0;
  const server: PostgresServer = {
    url,
    port,
    async createDatabase(options = '') {
      numDatabases += 1;
      const name = `qcs_${numDatabases}`;
      await query(url, `CREATE DATABASE ${name} ${options}`);
      return urlOf(name);
    },
    async crash() {
      if (child === undefined || child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGQUIT');
      await ended;
    },
    async start() {
      const settings = [
        'fsync=on',
        // After a crash the server flushes its folder with one call, not each of its thousands of files.
        'recovery_init_sync_method=syncfs',
        'listen_addresses=127.0.0.1',
        `port=${port}`,
        `unix_socket_directories=${folder}`,
      ].flatMap((setting) => ['-c', setting]);
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
      for (;;) {
        try {
          await query(url, 'SELECT 1');
          return;
        } catch {
          if (started.exitCode !== null) throw new Error(`PostgreSQL does not start: ${said}`);
          await new Promise((resolve) => setTimeout(resolve, FIRST_TRY_MS));
        }
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
