/** Jobs, and a handler whose work the test itself begins and ends. */
import { setImmediate } from 'node:timers/promises';
import {
  type Job,
  type JobId,
  type JobPart,
  type JobPatch,
  type JobStatus,
  type NewJob,
  newJobId,
} from '../../src/jobs/job.ts';
import type { JobHandler, JobHooks } from '../../src/jobs/job-handler.ts';
import { MemoryJobStore } from './memory-job-store.ts';

/** A new job that differs from the usual one in `changes`. */
export function newJob(changes: Partial<NewJob> = {}): NewJob {
  const kind = changes.kind ?? 'circuit';
  return {
    id: newJobId(kind),
    kind,
    keyId: 'key-1',
    priority: 'normal',
    target: 'statevector-sim',
    request: '{"shots":100}',
    createdAt: 1000,
    ...changes,
  };
}

/** Lets everything run that waits for nothing but its turn. */
export async function turn(): Promise<void> {
  await setImmediate();
}

/** One call of `run`, in the hands of the test. */
export interface Work {
  readonly job: Job;
  readonly hooks: JobHooks;
  readonly signal: AbortSignal;
  readonly resolve: (result: string) => void;
  readonly reject: (error: unknown) => void;
}

/** Keeps every call of `run` until the test ends it; like a real one it obeys the signal. */
export class ScriptedHandler implements JobHandler {
  readonly calls: Work[] = [];
  /** Off to play a handler that goes on working after it was told to stop. */
  obeysSignal = true;

  run(job: Job, hooks: JobHooks, signal: AbortSignal): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.calls.push({ job, hooks, signal, resolve, reject });
    signal.addEventListener('abort', () => {
      if (this.obeysSignal) reject(signal.reason);
    });
    return promise;
  }

  queuePosition(id: JobId): number | undefined {
    const index = this.calls.findIndex((call) => call.job.id === id);
    return index < 0 ? undefined : index;
  }

  /** The latest call for a job. */
  of(id: JobId): Work {
    const work = this.calls.findLast((call) => call.job.id === id);
    if (work === undefined) throw new Error(`no work was started for ${id}`);
    return work;
  }
}

/** A store in memory whose writes the test may hold up or make fail. */
export class InterceptedStore extends MemoryJobStore {
  /** Every transition that was made: "queued>running". */
  readonly steps: string[] = [];
  /** Awaited before each write; throws to make it fail. `to` is "create" for a new job. */
  intercept: (to: JobStatus | 'create' | 'parts') => Promise<void> | void = () => {};
  /** Awaited between a transition that everybody can read and the word to whoever made it. */
  kept: () => Promise<void> | void = () => {};

  override async create(job: NewJob, parts?: readonly JobPart[]): Promise<Job> {
    await this.intercept('create');
    return super.create(job, parts);
  }

  override async addParts(id: JobId, parts: readonly JobPart[]): Promise<boolean> {
    await this.intercept('parts');
    return super.addParts(id, parts);
  }

  override async transition(
    id: JobId,
    from: JobStatus,
    to: JobStatus,
    patch?: JobPatch,
  ): Promise<Job> {
    await this.intercept(to);
    const job = await super.transition(id, from, to, patch);
    this.steps.push(`${from}>${to}`);
    await this.kept();
    return job;
  }
}

/** Holds the next write of a status up until `open` is called. */
export function gate(store: InterceptedStore, status: JobStatus | 'create'): { open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  store.intercept = (to) => (to === status ? promise : undefined);
  return { open: resolve };
}
