/** Agents, the planner and the TPU fleet are tested again when processors come and go. */
import { expect, test, vi } from 'vitest';
import { Workloads } from '../../src/workloads/workloads.ts';
import { eventually } from '../support/eventually.ts';
import { InProcessPool } from './support/in-process-pool.ts';
import { settled } from './support/test-service.ts';

test('everything is tested anew when a processor comes or goes', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const pool = new InProcessPool();
    const state = { available: true, checkedAt: 0 };
    const processors = [{ availability: () => ({ ...state }) }];
    const workloads = new Workloads({ pool, processors, queueLimit: 1, now: () => 0 });
    await workloads.start();
    const reasons = () => workloads.agents.agents.map((agent) => agent.availability().available);
    expect(reasons()).toEqual([true, true, true, true, true]);

    pool.lie = { result: 'nonsense' };
    const run = vi.spyOn(pool, 'run');
    vi.advanceTimersByTime(5000);
    await settled();
    expect(run).not.toHaveBeenCalled();
    state.available = false;
    vi.advanceTimersByTime(1000);
    await eventually(() => expect(reasons()).toEqual([false, false, false, false, false]));
    await workloads.close();
  } finally {
    vi.useRealTimers();
  }
});
