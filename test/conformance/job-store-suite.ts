/** The conformance suite of JobStore; each implementation has a short file that runs it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { JobTransitionError } from '../../src/jobs/errors.ts';
import {
  isFinal,
  JOB_STATUSES,
  type Job,
  type JobPart,
  type JobStatus,
  type NewJob,
  TRANSITIONS,
} from '../../src/jobs/job.ts';
import type { JobStore } from '../../src/jobs/job-store.ts';
import { newJob } from '../support/jobs.ts';

/** A store for one test, and how to dispose of it. */
export interface OpenedStore {
  readonly store: JobStore;
  readonly close: () => void | Promise<void>;
}

/** A way from `queued` to each status. */
const WAY_TO: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: [],
  running: ['running'],
  completed: ['running', 'completed'],
  failed: ['failed'],
  cancelled: ['cancelled'],
};

/** Runs the suite over the store that `open` gives. */
export function describeJobStore(
  name: string,
  open: () => OpenedStore | Promise<OpenedStore>,
): void {
  describe(`${name} as a job store`, () => {
    let store: JobStore;
    let close: OpenedStore['close'];
    beforeEach(async () => {
      ({ store, close } = await open());
    });
    afterEach(() => close());

    test('a large request and a large result come back as they are, also from listings', async () => {
      const request = `{"facts":{"shots":1},"body":"${'é✓ '.repeat(20_000)}"}`;
      const result = `"${'0123456789'.repeat(5000)}"`;
      const { id } = await store.create(newJob({ request }));
      expect(await store.get(id)).toMatchObject({ request });
      expect(await store.transition(id, 'queued', 'running')).toMatchObject({ request });
      const done = await store.transition(id, 'running', 'completed', { finishedAt: 3, result });
      expect(done).toMatchObject({ status: 'completed', request, result });
      expect(await store.get(id)).toStrictEqual(done);
      expect(await store.list({ limit: 5 })).toStrictEqual([done]);
      const [brief] = await store.list({ limit: 5, isBrief: true });
      expect(brief?.request).toBe(request.slice(0, 256));
      expect(brief).not.toHaveProperty('result');

      // One that is stored with its outcome, and one whose result alone is large.
      const whole = await store.create({ ...done, id: newJob().id });
      expect(await store.get(whole.id)).toStrictEqual(whole);
      const small = await store.create(newJob());
      await store.transition(small.id, 'queued', 'running');
      await store.transition(small.id, 'running', 'completed', { finishedAt: 4, result });
      expect(await store.get(small.id)).toMatchObject({ request: small.request, result });
    });

    async function createIn(status: JobStatus, changes: Partial<NewJob> = {}): Promise<string> {
      const { id } = await store.create(newJob(changes));
      let from: JobStatus = 'queued';
      for (const to of WAY_TO[status]) {
        await store.transition(id, from, to);
        from = to;
      }
      return id;
    }

    describe('creating and reading', () => {
      test('a new job is queued, has no attempts and keeps every field it was given', async () => {
        const job = newJob({ kind: 'tpu_job', keyId: 'k', priority: 'high', request: '{"ψ":"↑"}' });
        const created = await store.create(job);
        expect(created).toStrictEqual({ ...job, status: 'queued', attempts: 0 });
        expect(await store.get(job.id)).toStrictEqual(created);
      });

      test.each<Partial<Job>>([
        { status: 'running', attempts: 1, startedAt: 2000 },
        { status: 'completed', attempts: 1, startedAt: 2000, finishedAt: 3000, result: '{"r":1}' },
        { status: 'failed', attempts: 2, finishedAt: 3000, error: { code: 'C', message: 'm' } },
      ])('a job that began before it was stored is stored as it stands: %o', async (state) => {
        const job: Job = { ...newJob(), status: 'queued', attempts: 0, ...state };
        expect(await store.create(job)).toStrictEqual(job);
        expect(await store.get(job.id)).toStrictEqual(job);
      });

      test('a job keeps which one it runs again, in a listing too', async () => {
        const job = newJob({ retryOf: newJob().id });
        const created = await store.create(job);
        expect(created.retryOf).toBe(job.retryOf);
        expect(await store.get(job.id)).toStrictEqual(created);
        expect(await store.list({ limit: 1, isBrief: true })).toStrictEqual([created]);
      });

      test('an unknown id gives undefined', async () => {
        expect(await store.get('circ_0')).toBeUndefined();
      });

      test('an id that is taken is refused and the first job stays', async () => {
        const job = newJob({ request: 'first' });
        await store.create(job);
        await expect(store.create({ ...job, request: 'second' })).rejects.toMatchObject({
          code: 'JOBS_DUPLICATE',
        });
        expect((await store.get(job.id))?.request).toBe('first');
      });

      test('of many that create one id at once exactly one succeeds', async () => {
        const job = newJob();
        const tries = await Promise.allSettled(
          Array.from({ length: 20 }, (_, i) => store.create({ ...job, request: `${i}` })),
        );
        const winners = tries.flatMap((t) => (t.status === 'fulfilled' ? [t.value] : []));
        expect(winners).toHaveLength(1);
        expect(await store.get(job.id)).toStrictEqual(winners[0]);
      });
    });

    describe('parts of a result', () => {
      const part = (series: number, from: number, to: number, text = ''): JobPart => ({
        series,
        from,
        to,
        bytes: new TextEncoder().encode(text || `${series}: ${from} to ${to}`),
      });
      const all = async (id: string) => {
        const parts: JobPart[] = [];
        for (let page = await store.parts(id); page.length > 0; ) {
          parts.push(...page.map((each) => ({ ...each, bytes: Uint8Array.from(each.bytes) })));
          page = await store.parts(id, parts.at(-1));
        }
        return parts;
      };

      test('come back in order of series and index, whatever the order in which they came', async () => {
        const { id } = await store.create(newJob());
        const other = await store.create(newJob(), [part(0, 0, 9)]);
        expect(await store.addParts(id, [part(1, 10, 20), part(0, 5, 6)])).toBe(true);
        expect(await store.addParts(id, [part(1, 9, 10), part(0, 0, 5)])).toBe(true);
        const inOrder = [part(0, 0, 5), part(0, 5, 6), part(1, 9, 10), part(1, 10, 20)];
        expect(await all(id)).toStrictEqual(inOrder);
        expect(await store.partPlaces(id)).toStrictEqual(
          inOrder.map(({ series, from, to }) => ({ series, from, to })),
        );
        expect(await all(other.id)).toStrictEqual([part(0, 0, 9)]);
      });

      test('a part takes the place of one that begins where it does', async () => {
        const { id } = await store.create(newJob(), [part(0, 0, 5, 'old'), part(0, 5, 8)]);
        await store.addParts(id, [part(0, 0, 5, 'new')]);
        expect(await all(id)).toStrictEqual([part(0, 0, 5, 'new'), part(0, 5, 8)]);
      });

      test('many megabytes come in pages', async () => {
        const { id } = await store.create(newJob());
        const large = (from: number) => ({
          ...part(3, from, from + 1),
          bytes: new Uint8Array(3e6),
        });
        for (let i = 0; i < 5; i++) await store.addParts(id, [large(i)]);
        expect((await all(id)).map(({ from }) => from)).toStrictEqual([0, 1, 2, 3, 4]);
      });

      test('are stored with the job and with its end, and go with it', async () => {
        const { id } = await store.create(newJob(), [part(0, 0, 1)]);
        await store.transition(id, 'queued', 'running');
        await store.transition(id, 'running', 'queued');
        await store.transition(id, 'queued', 'running');
        const parts = [part(0, 1, 2)];
        await store.transition(id, 'running', 'completed', { finishedAt: 1, result: '{}', parts });
        expect(await all(id)).toStrictEqual([part(0, 0, 1), part(0, 1, 2)]);
        expect(await store.addParts(id, [part(0, 2, 3)])).toBe(false);
        await store.remove(id);
        expect(await all(id)).toStrictEqual([]);
      });

      test.each(['failed', 'cancelled'] as const)('a %s job has none', async (status) => {
        const { id } = await store.create(newJob(), [part(0, 0, 1)]);
        await store.transition(id, 'queued', status, { finishedAt: 1 });
        expect(await store.addParts(id, [part(0, 1, 2)])).toBe(false);
        expect(await all(id)).toStrictEqual([]);
      });
    });

    describe('transitions', () => {
      test('a patch is stored with the new status and the answer is the stored record', async () => {
        const id = await createIn('queued');
        await store.transition(id, 'queued', 'running', { startedAt: 2000, attempts: 1 });
        const done = await store.transition(id, 'running', 'completed', {
          finishedAt: 3000,
          result: '{"counts":{}}',
        });
        expect(done).toMatchObject({
          status: 'completed',
          startedAt: 2000,
          finishedAt: 3000,
          attempts: 1,
          result: '{"counts":{}}',
        });
        expect(await store.get(id)).toStrictEqual(done);
      });

      test('a failure keeps its code and message and has no result', async () => {
        const id = await createIn('queued');
        const error = { code: 'FLEET_QUEUE_FULL', message: 'The queue is full.' };
        const failed = await store.transition(id, 'queued', 'failed', { finishedAt: 5, error });
        expect(failed.error).toStrictEqual(error);
        expect(failed).not.toHaveProperty('result');
        expect(await store.get(id)).toStrictEqual(failed);
      });

      test('a job put back into the queue keeps its attempts and loses its start', async () => {
        const id = await createIn('queued');
        await store.transition(id, 'queued', 'running', { startedAt: 2000, attempts: 1 });
        const queued = await store.transition(id, 'running', 'queued');
        expect(queued).toMatchObject({ status: 'queued', attempts: 1 });
        expect(queued).not.toHaveProperty('startedAt');
        expect(await store.get(id)).toStrictEqual(queued);
      });

      test('a suspicion is kept until another is written', async () => {
        const id = await createIn('running');
        const put = await store.transition(id, 'running', 'queued', { suspicion: 0.25 });
        expect(put.suspicion).toBe(0.25);
        const started = await store.transition(id, 'queued', 'running', { attempts: 1 });
        expect(started.suspicion).toBe(0.25);
        expect(await store.list({ limit: 1, isBrief: true })).toStrictEqual([started]);
        await store.transition(id, 'running', 'queued', { suspicion: 1.25 });
        expect((await store.get(id))?.suspicion).toBe(1.25);
      });

      test('attempts can be set back to zero', async () => {
        const id = await createIn('queued');
        await store.transition(id, 'queued', 'running', { attempts: 1 });
        const queued = await store.transition(id, 'running', 'queued', { attempts: 0 });
        expect(queued.attempts).toBe(0);
      });

      const steps = JOB_STATUSES.flatMap((from) => JOB_STATUSES.map((to) => ({ from, to })));
      const inTable = ({ from, to }: (typeof steps)[number]) => TRANSITIONS[from].includes(to);

      test.each(steps.filter(inTable))('$from to $to is a step of the life cycle', async (step) => {
        const id = await createIn(step.from);
        const moved = await store.transition(id, step.from, step.to);
        expect(moved.status).toBe(step.to);
      });

      test.each(steps.filter((step) => !inTable(step)))(
        '$from to $to is refused and changes nothing',
        async ({ from, to }) => {
          const id = await createIn(from);
          const before = await store.get(id);
          const attempt = store.transition(id, from, to, { finishedAt: 9, result: 'x' });
          await expect(attempt).rejects.toMatchObject({ code: 'JOBS_TRANSITION', actual: from });
          expect(await store.get(id)).toStrictEqual(before);
        },
      );

      test.each(JOB_STATUSES.filter(isFinal))(
        'nothing leaves %s, whatever the caller believes',
        async (status) => {
          const id = await createIn(status);
          const before = await store.get(id);
          for (const { from, to } of steps) {
            await expect(store.transition(id, from, to)).rejects.toMatchObject({
              code: 'JOBS_TRANSITION',
              actual: status,
            });
          }
          expect(await store.get(id)).toStrictEqual(before);
        },
      );

      test('a step from a status the job does not have is refused and says which it has', async () => {
        const id = await createIn('queued');
        const attempt = store.transition(id, 'running', 'completed', { result: 'x' });
        await expect(attempt).rejects.toMatchObject({ code: 'JOBS_TRANSITION', actual: 'queued' });
        expect(await store.get(id)).toMatchObject({ status: 'queued' });
      });

      test('a step of a job that does not exist is refused as not found', async () => {
        const attempt = store.transition('circ_0', 'queued', 'running');
        await expect(attempt).rejects.toMatchObject({ code: 'JOBS_NOT_FOUND' });
        const impossible = store.transition('circ_0', 'completed', 'running');
        await expect(impossible).rejects.toMatchObject({ code: 'JOBS_NOT_FOUND' });
      });

      test('of 100 that try the same step at once exactly one succeeds, and its patch is stored', async () => {
        const id = await createIn('queued');
        const tries = await Promise.allSettled(
          Array.from({ length: 100 }, (_, i) =>
            store.transition(id, 'queued', 'running', { startedAt: i, attempts: 1 }),
          ),
        );
        const winners = tries.flatMap((t) => (t.status === 'fulfilled' ? [t.value] : []));
        expect(winners).toHaveLength(1);
        expect(await store.get(id)).toStrictEqual(winners[0]);
        const losers = tries.flatMap((t) => (t.status === 'rejected' ? [t.reason] : []));
        expect(losers.every((reason) => reason instanceof JobTransitionError)).toBe(true);
        expect(losers).toHaveLength(99);
      });

      test('of a completion and a cancellation at once exactly one succeeds', async () => {
        const id = await createIn('running');
        const tries = await Promise.allSettled([
          store.transition(id, 'running', 'cancelled', { finishedAt: 1 }),
          store.transition(id, 'running', 'completed', { finishedAt: 2, result: 'x' }),
        ]);
        const winners = tries.flatMap((t) => (t.status === 'fulfilled' ? [t.value] : []));
        expect(winners).toHaveLength(1);
        expect(await store.get(id)).toStrictEqual(winners[0]);
      });
    });

    describe('removing', () => {
      test.each(JOB_STATUSES)('a job that is %s goes only if it is final', async (status) => {
        const id = await createIn(status);
        const other = await createIn('completed');
        expect(await store.remove(id)).toBe(isFinal(status));
        expect((await store.get(id))?.status).toBe(isFinal(status) ? undefined : status);
        expect((await store.get(other))?.status).toBe('completed');
      });

      test('of several that remove one job, one does', async () => {
        const id = await createIn('failed');
        const all = await Promise.all(Array.from({ length: 5 }, () => store.remove(id)));
        expect(all.filter((isRemoved) => isRemoved)).toHaveLength(1);
        expect(await store.remove('circ_0')).toBe(false);
      });
    });

    describe('listing', () => {
      test('newest first, and oldest first on request', async () => {
        const ids = [await createIn('queued'), await createIn('queued'), await createIn('queued')];
        const newest = await store.list({ limit: 10 });
        expect(newest.map((job) => job.id)).toStrictEqual(ids.toReversed());
        const oldest = await store.list({ limit: 10, oldestFirst: true });
        expect(oldest.map((job) => job.id)).toStrictEqual(ids);
      });

      test('a listed job is the whole record', async () => {
        const id = await createIn('completed', { request: 'r' });
        expect(await store.list({ limit: 1 })).toStrictEqual([await store.get(id)]);
      });

      test('a brief listing has no results and only the beginning of requests', async () => {
        const id = await createIn('running', { request: `${'r'.repeat(256)}s` });
        await store.transition(id, 'running', 'completed', { result: 'x', finishedAt: 9 });
        const { result: _, ...rest } = (await store.get(id)) ?? {};
        expect(await store.list({ limit: 1, isBrief: true })).toStrictEqual([
          { ...rest, request: 'r'.repeat(256) },
        ]);
      });

      test('pages cut by the cursor hold every job once, and none that came after the first page', async () => {
        const ids: string[] = [];
        for (let i = 0; i < 7; i++) ids.push(await createIn('queued'));
        const first = await store.list({ limit: 3 });
        await createIn('queued');
        const seen = first.map((job) => job.id);
        for (let page = first; page.length > 0; ) {
          const last = page.at(-1);
          page = await store.list({ limit: 3, ...(last && { before: last }) });
          seen.push(...page.map((job) => job.id));
        }
        expect(seen).toStrictEqual(ids.toReversed());
      });

      test('the oldest-first cursor goes on above the last id', async () => {
        const ids = [await createIn('queued'), await createIn('queued'), await createIn('queued')];
        const after = { id: ids[0] ?? '', createdAt: 1000 };
        const rest = await store.list({ limit: 10, oldestFirst: true, after });
        expect(rest.map((job) => job.id)).toStrictEqual(ids.slice(1));
      });

      test('every filter leaves out what does not match, alone and with the others', async () => {
        const circuit = await createIn('queued', { keyId: 'a' });
        const running = await createIn('running', { keyId: 'a' });
        const task = await createIn('completed', { keyId: 'a', kind: 'task' });
        const foreign = await createIn('queued', { keyId: 'b' });
        const ids = async (query: Parameters<JobStore['list']>[0]) =>
          new Set((await store.list(query)).map((job) => job.id));

        expect(await ids({ limit: 9, keyId: 'a' })).toStrictEqual(
          new Set([circuit, running, task]),
        );
        expect(await ids({ limit: 9, kind: 'task' })).toStrictEqual(new Set([task]));
        expect(await ids({ limit: 9, statuses: ['queued'] })).toStrictEqual(
          new Set([circuit, foreign]),
        );
        expect(await ids({ limit: 9, statuses: ['queued', 'running'] })).toStrictEqual(
          new Set([circuit, running, foreign]),
        );
        expect(await ids({ limit: 9, statuses: ['running', 'completed'] })).toStrictEqual(
          new Set([running, task]),
        );
        expect(
          await ids({ limit: 9, keyId: 'a', kind: 'circuit', statuses: ['queued'] }),
        ).toStrictEqual(new Set([circuit]));
        expect(
          await ids({
            limit: 9,
            kind: 'circuit',
            statuses: ['queued'],
            before: { id: foreign, createdAt: 1000 },
          }),
        ).toStrictEqual(new Set([circuit]));
        expect(await ids({ limit: 9, statuses: [] })).toStrictEqual(new Set());
        expect(await ids({ limit: 9, keyId: 'nobody' })).toStrictEqual(new Set());
      });

      test('a name and tags are kept, in a brief listing and after every step', async () => {
        const labels = { name: 'Bell, 1 000 shots ✓', tags: ['nightly', 'ψ'] };
        const { id } = await store.create(newJob(labels));
        expect(await store.get(id)).toMatchObject(labels);
        expect(await store.transition(id, 'queued', 'running')).toMatchObject(labels);
        expect(await store.list({ limit: 1, isBrief: true })).toMatchObject([labels]);
        const plain = await store.create(newJob());
        expect(await store.get(plain.id)).not.toHaveProperty('name');
        expect(await store.get(plain.id)).not.toHaveProperty('tags');
      });

      test('jobs are found by name, by all of several tags, by status and by time', async () => {
        const of = (changes: Partial<NewJob>) => createIn('queued', { keyId: 'a', ...changes });
        const first = await of({ name: 'x', tags: ['p'], createdAt: 10 });
        const second = await of({ name: 'x', tags: ['q', 'p'], createdAt: 20 });
        const third = await of({ name: 'X', tags: ['q'], createdAt: 30 });
        const failed = await createIn('failed', {
          keyId: 'a',
          name: 'x',
          tags: ['p'],
          createdAt: 40,
        });
        await of({ kind: 'task', name: 'x', tags: ['p'], createdAt: 50 });
        await createIn('queued', { keyId: 'b', name: 'x', tags: ['p'], createdAt: 60 });
        const found = async (filter: Partial<Parameters<JobStore['list']>[0]>) =>
          (await store.list({ limit: 9, keyId: 'a', kind: 'circuit', ...filter })).map(
            ({ id }) => id,
          );

        expect(await found({})).toStrictEqual([failed, third, second, first]);
        expect(await found({ name: 'x' })).toStrictEqual([failed, second, first]);
        expect(await found({ name: 'x', statuses: ['queued'] })).toStrictEqual([second, first]);
        expect(await found({ tags: ['p'] })).toStrictEqual([failed, second, first]);
        expect(await found({ tags: ['p', 'q'] })).toStrictEqual([second]);
        expect(await found({ tags: ['q', 'p'], name: 'x' })).toStrictEqual([second]);
        expect(await found({ tags: ['P'] })).toStrictEqual([]);
        expect(await found({ statuses: ['failed'] })).toStrictEqual([failed]);
        expect(await found({ statuses: ['failed'], tags: ['p'], name: 'x' })).toStrictEqual([
          failed,
        ]);
        expect(await found({ statuses: ['failed', 'queued'], tags: ['q'] })).toStrictEqual([
          third,
          second,
        ]);
        expect(await found({ createdFrom: 20, createdBefore: 40 })).toStrictEqual([third, second]);
        expect(await found({ createdFrom: 20, tags: ['p'] })).toStrictEqual([failed, second]);
        expect(await found({ createdBefore: 20, name: 'x' })).toStrictEqual([first]);
        expect(await found({ createdFrom: 41 })).toStrictEqual([]);
        const after = { id: second, createdAt: 20 };
        expect(await found({ name: 'x', before: after })).toStrictEqual([first]);
        expect(await found({ before: after, createdBefore: 5 })).toStrictEqual([]);
        expect(await found({ before: after, createdBefore: 99 })).toStrictEqual([first]);
        expect(await found({ tags: ['p'], limit: 1 })).toStrictEqual([failed]);
      });

      test('jobs are found by the words of a search, each anywhere in a job', async () => {
        const of = (status: 'queued' | 'failed', changes: Partial<NewJob>) =>
          createIn(status, { keyId: 'a', ...changes });
        const name = 'Bell 50%_pair';
        const bell = await of('queued', { name, tags: ['p'], target: 'qvm', createdAt: 1 });
        const ghz = await of('failed', { name: 'GHZ Größe', target: 'Qvm-2', createdAt: 2 });
        const plain = await of('queued', { target: 'statevector-sim', createdAt: 3 });
        await createIn('queued', { keyId: 'b', name: 'Bell', target: 'qvm', createdAt: 4 });
        const found = async (...words: readonly string[]) =>
          (await store.list({ limit: 9, keyId: 'a', kind: 'circuit', words })).map(({ id }) => id);

        expect(await found('bell')).toStrictEqual([bell]);
        expect(await found('qvm')).toStrictEqual([ghz, bell]);
        expect(await found('qvm', 'failed')).toStrictEqual([ghz]);
        expect(await found('fail')).toStrictEqual([]);
        expect(await found('circuit')).toStrictEqual([plain, ghz, bell]);
        expect(await found('circ_')).toStrictEqual([plain, ghz, bell]);
        expect(await found(plain)).toStrictEqual([plain]);
        expect(await found(plain.slice(5))).toStrictEqual([]);
        // Letters that are not A to Z match in their own case alone, in every store.
        expect(await found('größe')).toStrictEqual([ghz]);
        expect(await found('GRÖSSE'.toLowerCase(), 'ghz')).toStrictEqual([]);
        // The signs of patterns stand for themselves.
        expect(await found('50%_p')).toStrictEqual([bell]);
        expect(await found('%')).toStrictEqual([bell]);
        expect(await found("'")).toStrictEqual([]);
        // Whatever index the other filters have read.
        const others = [{}, { statuses: ['queued'] }, { name }, { tags: ['p'] }] as const;
        for (const filter of others) {
          const query = { limit: 9, keyId: 'a', kind: 'circuit', ...filter } as const;
          const ids = async (...words: readonly string[]) =>
            (await store.list({ ...query, words })).map(({ id }) => id);
          expect(await ids('bell')).toStrictEqual([bell]);
          expect(await ids('none')).toStrictEqual([]);
        }
      });

      test('a search that is limited finds every job once, over several lists', async () => {
        const jobs = Array.from({ length: 2500 }, (_, i) =>
          newJob({ keyId: 'a', createdAt: i >> 3, ...(i % 700 === 7 && { name: `rare ${i}` }) }),
        );
        await Promise.all(jobs.map((job) => store.create(job)));
        const wanted = jobs.filter(({ name }) => name !== undefined).map(({ id }) => id);
        const query = { limit: 3, keyId: 'a', kind: 'circuit', words: ['rare'] } as const;
        const found: string[] = [];
        let before: Parameters<JobStore['list']>[0]['before'];
        for (let lists = 0; lists < 9; lists += 1) {
          const page = await store.list({ ...query, maxRead: 500, ...(before && { before }) });
          expect(page.length).toBeLessThanOrEqual(3);
          found.push(...page.map(({ id }) => id));
          before = page.readTo ?? (page.length === 3 ? page.at(-1) : undefined);
          if (before === undefined) break;
        }
        expect(before).toBeUndefined();
        expect(found).toStrictEqual(wanted.reverse());
      });

      test('a removed job is found by its tags no more', async () => {
        const id = await createIn('completed', { keyId: 'a', tags: ['p'] });
        const other = await createIn('completed', { keyId: 'a', tags: ['p'] });
        expect(await store.remove(id)).toBe(true);
        const found = await store.list({ limit: 9, keyId: 'a', kind: 'circuit', tags: ['p'] });
        expect(found.map((job) => job.id)).toStrictEqual([other]);
      });

      test('the order is that of creation, and within a millisecond that of the ids', async () => {
        const [a, b, c] = [newJob(), newJob(), newJob()];
        // As where the clock was set back: the id that was drawn first belongs to the latest job.
        await store.create({ ...c, createdAt: 5 });
        await store.create({ ...b, createdAt: 5 });
        await store.create({ ...a, createdAt: 7 });
        const ids = (await store.list({ limit: 9 })).map(({ id }) => id);
        expect(ids).toStrictEqual([a.id, c.id, b.id]);
        const page = await store.list({ limit: 9, before: { id: c.id, createdAt: 5 } });
        expect(page.map(({ id }) => id)).toStrictEqual([b.id]);
      });

      test('what few of many jobs have is found page by page', async () => {
        const jobs = Array.from({ length: 2500 }, (_, i) => {
          const tags = i % 1000 === 7 ? ['p', 'rare'] : ['p'];
          return newJob({ keyId: 'a', tags, createdAt: i >> 3 });
        });
        await Promise.all(jobs.map((job) => store.create(job)));
        const isRare = ({ tags = [] }: NewJob) => tags.includes('rare');
        const wanted = jobs
          .filter(isRare)
          .map(({ id }) => id)
          .reverse();
        const query = { limit: 2, keyId: 'a', kind: 'circuit', tags: ['p', 'rare'] } as const;
        const page = await store.list(query);
        expect(page.map(({ id }) => id)).toStrictEqual(wanted.slice(0, 2));
        const [, last] = page;
        const rest = await store.list({ ...query, ...(last && { before: last }) });
        expect(rest.map(({ id }) => id)).toStrictEqual(wanted.slice(2));
        expect(await store.list({ ...query, tags: ['p', 'none'] })).toStrictEqual([]);
      });
    });
  });
}
