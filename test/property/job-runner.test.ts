/**
 * Every order in which the steps of many callers can fall: fast-check's scheduler decides when each
 * write of the store, each word of a handler and each call of the runner takes effect.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JobNotFoundError } from '../../src/jobs/errors.ts';
import {
  isFinal,
  type Job,
  type JobId,
  type JobPatch,
  type JobStatus,
  type NewJob,
} from '../../src/jobs/job.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { newJob } from '../support/jobs.ts';
import { MemoryJobStore } from '../support/memory-job-store.ts';
import { numCases } from '../support/seeds.ts';

/** Writes take effect when the scheduler says so, and answer when it says so again. */
class ScheduledStore extends MemoryJobStore {
  readonly steps = new Map<JobId, string[]>();
  readonly #scheduler: fc.Scheduler;

  constructor(scheduler: fc.Scheduler) {
    super();
    this.#scheduler = scheduler;
  }

  override async create(job: NewJob): Promise<Job> {
    await this.#scheduler.schedule(Promise.resolve(), `create ${job.id}`);
    return this.#scheduler.schedule(super.create(job), `created ${job.id}`);
  }

  override async transition(
    id: JobId,
    from: JobStatus,
    to: JobStatus,
    patch?: JobPatch,
  ): Promise<Job> {
    await this.#scheduler.schedule(Promise.resolve(), `${from}>${to}`);
    const moved = super.transition(id, from, to, patch);
    moved.then(
      () => this.steps.set(id, [...(this.steps.get(id) ?? []), `${from}>${to}`]),
      () => {},
    );
    return this.#scheduler.schedule(moved, `done ${from}>${to}`);
  }
}

const ACTIONS = ['cancel', 'cancel', 'wait', 'waitBriefly', 'list', 'shutdown'] as const;
const aJob = fc.record({
  says: fc.constantFrom('result', 'error', 'bug'),
  begins: fc.boolean(),
  obeysSignal: fc.boolean(),
  /** Its submitter waits for the outcome, with which it is stored. */
  isAwaited: fc.boolean(),
});
const LEGAL =
  /^(queued>running)?( ?running>queued)?( ?(queued|running)>(completed|failed|cancelled))?$/;

test('in any interleaving, a job has one outcome and every caller gets it', async () => {
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.array(aJob, { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(fc.nat(2), fc.constantFrom(...ACTIONS)), { maxLength: 6 }),
    async (scheduler, jobs, actions) => {
      const store = new ScheduledStore(scheduler);
      const unexpected: unknown[] = [];
      const submitted = jobs.map((plan) => ({ plan, job: newJob() }));
      const runner = new JobRunner({
        store,
        now: () => 1,
        onUnexpectedError: (error) => unexpected.push(error),
        handlers: {
          circuit: {
            async run({ id }, hooks, signal) {
              const plan = submitted.find(({ job }) => job.id === id)?.plan;
              await scheduler.schedule(Promise.resolve(), 'begin');
              if (plan?.obeysSignal) signal.throwIfAborted();
              if (plan?.begins) hooks.started();
              await scheduler.schedule(Promise.resolve(), 'work');
              if (plan?.obeysSignal) signal.throwIfAborted();
              if (plan?.says === 'bug') throw new TypeError('a bug');
              if (plan?.says === 'error') throw new JobNotFoundError('circ_0');
              return 'result';
            },
            queuePosition: () => undefined,
          },
        },
      });

      const finals: Job[] = [];
      const act = async (id: JobId, action: (typeof ACTIONS)[number]): Promise<void> => {
        if (action === 'shutdown') {
          await runner.shutdown(0);
          return;
        }
        if (action === 'list') {
          await runner.list({ limit: 3 });
          return;
        }
        const record = await (action === 'cancel'
          ? runner.cancel(id)
          : runner.waitFor(id, action === 'wait' ? undefined : 0));
        if (isFinal(record.status)) finals.push(record);
        expect(isFinal(record.status) || action !== 'cancel').toBe(true);
      };
      const running = [
        ...submitted.map(async ({ job, plan }) => {
          if (!plan.isAwaited) {
            await runner.submit(job);
            return;
          }
          const record = await runner.run(job);
          // Also where it was put back.
          expect((await store.get(job.id))?.id).toBe(job.id);
          if (isFinal(record.status)) finals.push(record);
        }),
        ...actions.map(async ([index, action]) => {
          await scheduler.schedule(Promise.resolve(), action);
          const id = submitted[index % submitted.length]?.job.id ?? '';
          // Cancelling or waiting may come before the job does.
          await act(id, action).catch((error) => expect(error.code).toBe('JOBS_NOT_FOUND'));
        }),
      ];
      const settled = await scheduler.waitFor(Promise.allSettled(running));
      for (const outcome of settled) {
        if (outcome.status === 'rejected') {
          expect(outcome.reason).toMatchObject({ code: 'JOBS_SHUTTING_DOWN' });
        }
      }
      const hasShutDown = actions.some(([, action]) => action === 'shutdown');
      const ends = await scheduler.waitFor(
        Promise.all(submitted.map(({ job }) => runner.waitFor(job.id).catch(() => undefined))),
      );
      await scheduler.waitIdle();

      for (const [i, end] of ends.entries()) {
        if (end === undefined) {
          expect(hasShutDown).toBe(true);
          continue;
        }
        // Nothing changes after the end was announced.
        expect(await store.get(end.id)).toStrictEqual(end);
        expect(isFinal(end.status) || (hasShutDown && end.status === 'queued')).toBe(true);
        expect((store.steps.get(end.id) ?? []).join(' ')).toMatch(LEGAL);
        if (end.status === 'completed') expect(end.result).toBe('result');
        const cancels = actions.some(([, action]) => action === 'cancel');
        if (end.status === 'cancelled') expect(cancels).toBe(true);
        if (end.status === 'failed') expect(submitted[i]?.plan.says).not.toBe('result');
      }
      expect(runner.inFlight('circuit', 'key-1')).toBe(0);
      for (const record of finals) expect(await store.get(record.id)).toStrictEqual(record);
      expect(unexpected.every((error) => error instanceof TypeError)).toBe(true);
    },
  );
  await fc.assert(property, { seed: 20_240_817, numRuns: numCases(100) });
});
