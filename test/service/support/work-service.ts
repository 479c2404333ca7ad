/** A service whose agents, planner and TPU fleet have passed their self-tests, over a pool in this process. */
import { Workloads } from '../../../src/workloads/workloads.ts';
import { InProcessPool } from './in-process-pool.ts';
import {
  openTestService,
  START,
  settled,
  type TestOverrides,
  type TestService,
} from './test-service.ts';

/** The service, and what does its work. */
export interface WorkService extends AsyncDisposable {
  readonly service: TestService;
  readonly pool: InProcessPool;
  readonly workloads: Workloads;
  /** Sends a body with the service's key, or others. */
  post(
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): ReturnType<TestService['request']>;
  /** The data of a record once the job is final. */
  finished(location: string): Promise<Record<string, unknown>>;
}

/** Opens it. */
export async function openWorkService(overrides: TestOverrides = {}): Promise<WorkService> {
  const pool = new InProcessPool();
  const workloads = new Workloads({ processors: [], pool, queueLimit: 4, now: () => START });
  await workloads.start();
  const service = await openTestService({ workloads, ...overrides });
  return {
    service,
    pool,
    workloads,
    post: (url, body, headers = {}) =>
      service.request({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', ...headers },
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async finished(location) {
      for (;;) {
        const { data } = (await service.get(location.replace('/api/v1', ''))).json();
        if (!['queued', 'running'].includes(data.status)) return data;
        await settled();
      }
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await workloads.close();
    },
  };
}
