/**
 * A pool that serves procedures in this process, on the processors of a fleet: both ends of a call are the product's,
 * and messages between them are cloned as between processes.
 */

import { ProcessorUnavailableError } from '../../../src/fleet/errors.ts';
import type { Processor } from '../../../src/fleet/processor.ts';
import { findProcedure } from '../../../src/workloads/procedure-catalog.ts';
import type {
  ProcedureCall,
  ProcedureHooks,
  ProcedureOutcome,
} from '../../../src/workloads/procedures/procedure-call.ts';
import type {
  FromProcess,
  ToProcess,
} from '../../../src/workloads/procedures/procedure-messages.ts';
import { type CallEnd, RunningCall } from '../../../src/workloads/procedures/running-call.ts';
import { ServedCall } from '../../../src/workloads/procedures/served-call.ts';
import type { WorkPool } from '../../../src/workloads/workloads.ts';

const MAX_RESULT_BYTES = 2 ** 24;

/** The pool. */
export class GoldenCalls implements WorkPool {
  readonly #processors: readonly Processor[];
  #numCalls = 0;

  /** @param processors - Those that run circuits, the preferred one first. */
  constructor(processors: readonly Processor[]) {
    this.#processors = processors;
  }

  async start(): Promise<void> {}

  async run(
    call: ProcedureCall,
    hooks: ProcedureHooks,
    signal: AbortSignal,
  ): Promise<ProcedureOutcome> {
    const processors = this.#processors.filter(
      ({ spec }) => call.processorId === undefined || spec.id === call.processorId,
    );
    if (processors.length === 0) throw new ProcessorUnavailableError(call.processorId ?? '', '');
    const { promise, resolve } = Promise.withResolvers<CallEnd>();
    let served: ServedCall | undefined;
    let running: RunningCall | undefined;
    const toService = (message: FromProcess) => {
      const sent = structuredClone(message);
      setImmediate(() => running?.hear(sent));
    };
    const toProcess = (message: ToProcess) => {
      const sent = structuredClone(message);
      setImmediate(() => {
        if (sent.kind === 'answer') return served?.circuits.answer(sent);
        if (sent.kind === 'cancel') return served?.cancel();
        served = new ServedCall(sent, {
          findProcedure,
          maxResultBytes: MAX_RESULT_BYTES,
          post: toService,
          hasTooMuchMemory: () => false,
        });
        return void served.run();
      });
    };
    const starting = { call, hooks, signal, processors, onEnd: resolve };
    running = new RunningCall(starting, this.#numCalls++, toProcess);
    hooks.onStarted?.();
    const end = await promise;
    if (end.kind === 'done') return { ...end.outcome, timing: { queueMs: 0, executionMs: 0 } };
    throw end.kind === 'failed' ? end.error : new Error(`A call ended as ${end.kind}.`);
  }

  admit(): void {}

  withdraw(): void {}

  queuePosition(): undefined {
    return undefined;
  }

  load() {
    return { waiting: 0, running: 0, processes: 1, expectedWaitMs: 0 };
  }

  async close(): Promise<void> {}
}
