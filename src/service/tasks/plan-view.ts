/** Plans and their tasks in the form that callers see. */
import { JobDamagedError } from '../../jobs/errors.ts';
import type { Job, JobId } from '../../jobs/job.ts';
import { isFinal } from '../../jobs/job.ts';
import type { LiveFacts } from '../jobs/job-view.ts';
import type { PlanNodeView } from '../schemas/tasks.ts';
import { planOf, type StoredStep } from './stored-task.ts';

/** Lookup of the jobs of a plan's tasks. */
interface JobLookup extends Pick<LiveFacts, 'progress'> {
  get(id: JobId): Promise<Job | undefined>;
}

/** Fields that only a plan's record has. */
export async function viewPlan(plan: Job, jobs: JobLookup): Promise<object> {
  const { goal, steps } = planOf(plan.request);
  const tasks = await Promise.all(steps.map((step) => viewStep(step, plan, jobs)));
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

/** The task, or a placeholder for a task whose record is damaged. */
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
