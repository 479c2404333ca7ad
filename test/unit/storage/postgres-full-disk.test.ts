// @needs facilities
/** A database in PostgreSQL whose disk is full for a while: a small file system of its own, which root may mount. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresJobStore } from '../../../src/cluster/postgres-job-store.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWith, facilityPath } from '../../support/facilities/describe-with.ts';
import { newJob } from '../../support/jobs.ts';
import {
  type PostgresServer,
  query,
  serverUser,
  startPostgres,
} from '../../support/postgres-server.ts';

const UNWRITABLE = expect.objectContaining({ code: 'STORAGE_UNWRITABLE', retryAfterS: 30 });
const MIB = 2 ** 20;

const { uid = 0, gid = 0 } = serverUser();
const folder = mkdtempSync(join(tmpdir(), 'qcs-small-'));
const options = `size=40m,mode=0700,uid=${uid},gid=${gid}`;
const mount = () =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { encoding: 'utf8' });
const unmount = () => spawnSync('umount', [folder]);

const tried = mount();
const canMount = tried.status === 0;
if (canMount) unmount();
else {
  const why = (tried.stderr ?? String(tried.error)).trim();
  process.stderr.write(`SKIPPED: postgres-full-disk.test.ts mounts a file system (${why}).\n`);
  rmSync(folder, { recursive: true });
}

describeWith(['PostgreSQL'], 'a database in PostgreSQL on a small disk', () => {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    if (canMount) mount();
    server = await startPostgres(facilityPath('PostgreSQL'));
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    unmount();
    rmSync(folder, { recursive: true, force: true });
  });

  test.skipIf(!canMount)(
    'while the disk is full writes are refused, and after that they are taken',
    async () => {
      const { url: ofServer, createDatabase } = server as PostgresServer;
      await query(ofServer, `CREATE TABLESPACE small LOCATION '${folder}'`);
      const url = await createDatabase('TABLESPACE small');
      const database = await PostgresDatabase.open({ url, role: 'service' });
      const store = new PostgresJobStore(database);
      const stored: string[] = [];
      const create = async () => {
        const request = randomBytes(MIB).toString('base64');
        stored.push((await store.create(newJob({ request }))).id);
      };
      await create();

      const ballast = join(folder, 'ballast');
      const fill = () => {
        for (let bytes = MIB; bytes >= 1024; ) {
          try {
            appendFileSync(ballast, Buffer.alloc(bytes));
          } catch {
            bytes /= 2;
          }
        }
      };
      fill();
      await expect(create()).rejects.toEqual(UNWRITABLE);
      expect(database.writer.fault).toEqual(UNWRITABLE);
      // What is stored can be read.
      expect(await store.get(stored[0] ?? '')).toMatchObject({ status: 'queued' });

      rmSync(ballast);
      // It is found without a request.
      await eventually(() => database.writer.fault === undefined);
      await create();
      const rows = await query(url, 'SELECT id FROM jobs ORDER BY id');
      expect(rows.map(({ id }) => id)).toStrictEqual(stored.sort());
      await database.close();
    },
  );
});
