/** A pool that runs procedures in this process, or holds them for the test. */

import { findProcedure } from '../../../src/workloads/procedure-catalog.ts';
import { ProcedureQueueFullError } from '../../../src/workloads/procedures/errors.ts';
import type {
  ProcedureCall,
  ProcedureHooks,
  ProcedureOutcome,
} from '../../../src/workloads/procedures/procedure-call.ts';
import type { WorkPool } from '../../../src/workloads/workloads.ts';
import { openTestContext } from '../../support/procedure-context.ts';

/** A call that waits for the test. */
export interface HeldCall {
  readonly call: ProcedureCall;
  readonly hooks: ProcedureHooks;
  readonly finish: (result?: object, units?: number) => void;
  readonly fail: (error: unknown) => void;
}

/** The pool. */
export class InProcessPool implements WorkPool {
  /** Calls wait for the test, but for self-tests. */
  isHolding = false;
  isFull = false;
  /** Answer of the next self-tests in place of the true one. */
  lie: object | undefined;
  readonly calls: ProcedureCall[] = [];
  readonly held: HeldCall[] = [];

  async start(): Promise<void> {}

  async run(
    call: ProcedureCall,
    hooks: ProcedureHooks,
    signal: AbortSignal,
  ): Promise<ProcedureOutcome> {
    const isSelfTest = call.keyId === 'self-test';
    if (!isSelfTest) this.calls.push(call);
    if (this.isHolding && !isSelfTest) return await this.#hold(call, hooks, signal);
    hooks.onStarted?.();
    if (isSelfTest && this.lie) return outcomeOf(this.lie);
    const procedure = findProcedure(call.address.owner, call.address.name);
    if (procedure === undefined) throw new Error(`There is no procedure ${call.address.name}.`);
    await using test = openTestContext({ seed: call.seed, signal });
    const context = {
      ...test.context,
      progress: (f: number, m?: string) => hooks.onProgress?.(f, m),
    };
    const result = await procedure.run(call.input, context);
    return outcomeOf(result, test.told.units || 1);
  }

  admit(): void {
    if (this.isFull) throw new ProcedureQueueFullError(7, 3);
  }

  withdraw(): void {}

  queuePosition(id: string): number | undefined {
    const position = this.held.findIndex(({ call }) => call.id === id);
    return position < 0 ? undefined : position;
  }

  load() {
    return { waiting: this.held.length, running: 0, processes: 1, expectedWaitMs: 12.34 };
  }

  async close(): Promise<void> {}

  #hold(
    call: ProcedureCall,
    hooks: ProcedureHooks,
    signal: AbortSignal,
  ): Promise<ProcedureOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<ProcedureOutcome>();
    signal.addEventListener('abort', () => reject(signal.reason));
    const finish = (result: object = { answer: 42 }, units = 1) =>
      resolve(outcomeOf(result, units));
    this.held.push({ call, hooks, finish, fail: reject });
    return promise;
  }
}

function outcomeOf(result: object, units = 1): ProcedureOutcome {
  return {
    resultJson: JSON.stringify(result),
    units,
    executedOn: [],
    timing: { queueMs: 0.5, executionMs: 1.5 },
  };
}
