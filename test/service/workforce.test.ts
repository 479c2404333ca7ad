/** What does the work, beside single agents: when it is tested anew. */
import { expect, test, vi } from 'vitest';
import { Workforce } from '../../src/workloads/workforce.ts';
import { InProcessPool } from './support/in-process-pool.ts';

test('everything is tested anew when a processor comes or goes', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const pool = new InProcessPool();
    const state = { available: true, checkedAt: 0 };
    const processors = [{ availability: () => ({ ...state }) }];
    const workforce = new Workforce({ pool, processors, queueLimit: 1, now: () => 0 });
    await workforce.start();
    const reasons = () => workforce.agents.agents.map((agent) => agent.availability().available);
    expect(reasons()).toEqual([true, true, true, true, true]);

    pool.lie = { result: 'nonsense' };
    vi.advanceTimersByTime(5000);
    await vi.waitFor(() => expect(reasons()).toEqual([true, true, true, true, true]));
    state.available = false;
    vi.advanceTimersByTime(1000);
    await vi.waitFor(() => expect(reasons()).toEqual([false, false, false, false, false]));
    await workforce.close();
  } finally {
    vi.useRealTimers();
  }
});
