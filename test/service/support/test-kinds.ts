/** The kinds of jobs as tests serve them: over a fleet of theirs, with procedures in this process. */

import type { Readers } from '../../../src/service/http/reading/readers.ts';
import {
  closeJobKinds,
  type ServedJobKinds,
  serveJobKinds,
} from '../../../src/service/job-kinds.ts';
import type { JobKindDeps } from '../../../src/service/jobs/job-kind.ts';
import { Workloads } from '../../../src/workloads/workloads.ts';
import { InProcessPool } from './in-process-pool.ts';
import { openReaders } from './test-readers.ts';

/** The kinds, and what they are served with. */
export interface TestKinds {
  readonly kinds: ServedJobKinds;
  readonly readers: Readers;
}

/** Agents and a TPU fleet whose procedures run in this process. */
export function openWorkloads(now: () => number, pool = new InProcessPool()): Workloads {
  return new Workloads({ processors: [], pool, queueLimit: 9, now });
}

/** Serves the kinds; the jobs are those of the runner that is made with them. */
export function openKinds(
  given: Pick<JobKindDeps, 'fleet' | 'jobs' | 'now'> & {
    readonly workloads?: Workloads;
    readonly readers?: Readers;
  },
): TestKinds {
  const { workloads = openWorkloads(given.now), readers = openReaders(), ...deps } = given;
  const { agents, planner, tpu, pool } = workloads;
  const kinds = serveJobKinds({
    ...deps,
    agents,
    planner,
    tpu,
    pool,
    readers,
    cpuModel: 'a CPU',
  });
  return { kinds, readers };
}

/** Ends what kinds and readers started. */
export async function closeKinds({ kinds, readers }: TestKinds): Promise<void> {
  await Promise.all([readers.close(), closeJobKinds(kinds)]);
}
