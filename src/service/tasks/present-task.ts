/** A task's job as the record that callers see. */
import { JobDamagedError } from '../../jobs/errors.ts';
import type { Job, JobId } from '../../jobs/job.ts';
import { isFinal } from '../../jobs/job.ts';
import type { JsonText } from '../envelope.ts';
import { type LiveFacts, recordText, viewJob } from '../jobs/job-view.ts';
import type { PlanNodeView } from '../schemas/tasks.ts';
import { PLANNER, planOf, type StoredStep, taskFactsOf } from './stored-task.ts';

/** What is asked of other jobs. */
export interface JobLookup extends LiveFacts {
  get(id: JobId): Promise<Job | undefined>;
}

/** The record without its result. */
export function summarizeTask(job: Job, live: LiveFacts) {
  const { task, parent } = taskFactsOf(job.request);
  return {
    task_id: job.id,
    agent: job.target,
    task,
    ...(parent !== undefined && { parent_id: parent }),
    ...viewJob(job, live),
  };
}

/** The whole record; the stored result is put in place as the text it is. */
export async function taskRecordJson(job: Job, jobs: JobLookup): Promise<JsonText> {
  return recordText({ ...summarizeTask(job, jobs), ...(await planFields(job, jobs)) }, job);
}

async function planFields(job: Job, jobs: JobLookup): Promise<object> {
  if (job.target !== PLANNER) return {};
  const { goal, steps } = planOf(job.request);
  const tasks = await Promise.all(steps.map((step) => viewStep(step, job, jobs)));
  return { ...(goal !== undefined && { goal }), tasks };
}

async function viewStep(step: StoredStep, plan: Job, jobs: JobLookup): Promise<PlanNodeView> {
  const job = await jobOrDamage(step.id, jobs);
  const { name, id, agent, task, needs, fed } = step;
  const progress = job?.status === 'running' ? jobs.progress(id) : undefined;
  return {
    name,
    task_id: id,
    agent,
    task,
    status: job?.status ?? (isFinal(plan.status) ? 'cancelled' : 'queued'),
    ...(progress !== undefined && { progress }),
    needs: [...needs],
    ...(fed.length > 0 && { fed: fed.map((each) => ({ ...each })) }),
    ...(job?.error && { error: job.error }),
  };
}

/** The task, or what its plan shows in place of one whose record is damaged. */
async function jobOrDamage(
  id: JobId,
  jobs: JobLookup,
): Promise<Pick<Job, 'status' | 'error'> | undefined> {
  try {
    return await jobs.get(id);
  } catch (error) {
    if (!(error instanceof JobDamagedError)) throw error;
    const { code, message } = error;
    return { status: 'failed', error: { code, message } };
  }
}
