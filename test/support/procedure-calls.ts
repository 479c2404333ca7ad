/** Calls of the procedures in procedure-catalog.ts. */
import type {
  ProcedureCall,
  ProcedureHooks,
  ProcedureOutcome,
  ProcedurePool,
  ProcedurePoolOptions,
} from '../../src/workloads/procedures/procedure-pool.ts';

let numCalls = 0;

/** A pool's options, small enough that limits are reached soon. */
export const POOL: ProcedurePoolOptions = {
  catalog: new URL('./procedure-catalog.ts', import.meta.url),
  processors: [],
  numProcesses: 2,
  heapLimitMb: 48,
  queueLimit: 100,
  maxResultBytes: 10_000,
};

/** A call of that name. */
export function callOf(name: string, more: Partial<ProcedureCall> = {}): ProcedureCall {
  return {
    id: `task_${numCalls++}`,
    address: { owner: 'test', name },
    input: {},
    seed: 3,
    deadlineMs: 600_000,
    priority: 'normal',
    keyId: 'key-1',
    tier: 'standard',
    ...more,
  };
}

/** A call that may be followed, until it ends or is cancelled. */
export function running(
  pool: ProcedurePool,
  call: ProcedureCall,
  hooks: ProcedureHooks = {},
): { readonly outcome: Promise<ProcedureOutcome>; readonly controller: AbortController } {
  const controller = new AbortController();
  return { outcome: pool.run(call, hooks, controller.signal), controller };
}

/** The result of a call. */
export async function resultOf(
  pool: ProcedurePool,
  name: string,
  input: ProcedureCall['input'] = {},
): Promise<unknown> {
  const { resultJson } = await running(pool, callOf(name, { input })).outcome;
  return JSON.parse(resultJson);
}

/** Resolves with a call's first message. */
export function firstMessage(
  pool: ProcedurePool,
  call: ProcedureCall,
  more: ProcedureHooks = {},
): {
  readonly message: Promise<string>;
  readonly outcome: Promise<ProcedureOutcome>;
  readonly controller: AbortController;
} {
  const { promise, resolve } = Promise.withResolvers<string>();
  const hooks: ProcedureHooks = {
    ...more,
    onProgress: (_, message) => void (message !== undefined && resolve(message)),
  };
  return { message: promise, ...running(pool, call, hooks) };
}
