/**
 * A worker as a process of its own: what a driver does to the process that loads it, crash, hang or
 * abort, it does not do to the service.
 *
 * It is ended by SIGKILL. Nothing of it is worth saving, and a process that waits for a driver hears
 * nothing gentler.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { BatchResult } from '../../engine/batch-request.ts';
import type { RunResult } from '../../engine/engine.ts';
import type { WorkerPort } from './serve-engine.ts';
import type { StartWorker } from './worker-host.ts';
import type { Ended, FromWorker, ItemOutcome } from './worker-messages.ts';

/** How a process is started. */
export interface ProcessOptions {
  /** The process's module. */
  readonly entry: URL;
  /** Plain data; the process reads it as JSON from its first argument. */
  readonly setup: unknown;
  /** The whole environment of the process; this one's own when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** The end of what a process printed that is told with its exit. */
const MAX_LAST_WORDS = 300;
const MAX_KEPT = 4096;
/** Of Dawn's, when a driver allows more than it can use: nothing that a process would end of. */
const USUAL_WARNING = /^Warning: max\w+ artificially reduced from .*\n?/gm;

/** Starts processes of that kind. */
export function processStarter({ entry, setup, environment }: ProcessOptions): StartWorker {
  return ({ onMessage, onFault, onExit }) => {
    const child = fork(entry, [JSON.stringify(setup)], {
      serialization: 'advanced',
      // Flags of this process (a debugger's port) are not for the child.
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      ...(environment && { env: environment }),
    });
    let lastWords = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lastWords = (lastWords + text).slice(-MAX_KEPT);
    });
    // With a listener, a pipe holds this process although the child does not.
    const pipe = child.stderr;
    if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
    let hasEnded = false;
    const end = (how: string) => {
      if (hasEnded) return;
      hasEnded = true;
      onExit(how);
    };
    const setHolding = (isHolding: boolean) => {
      if (isHolding) child.ref();
      else child.unref();
      const { channel } = child;
      if (channel) isHolding ? channel.ref() : channel.unref();
    };
    child.on('message', (message: FromWorker) => onMessage(withOwnBuffers(message)));
    child.on('error', (cause) => {
      onFault(cause.message, cause);
      if (child.pid === undefined) end(cause.message);
    });
    child.on('exit', (code, signal) => {
      end(describeExit(code, signal, lastWords));
    });
    setHolding(false);
    return {
      ...(child.pid !== undefined && { pid: child.pid }),
      // A process that has gone is heard of by its exit.
      // Views of shared memory are copied on their way.
      post: (message) => void child.send(message, () => {}),
      setHolding,
      end: async () => {
        if (hasEnded || child.pid === undefined) return;
        const exit = once(child, 'exit');
        child.ref();
        child.kill('SIGKILL');
        await exit;
      },
    };
  };
}

/** How a process ended, for people. */
export function describeExit(
  code: number | null,
  signal: string | null,
  lastWords: string,
): string {
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  const words = lastWords.replaceAll(USUAL_WARNING, '').trim().slice(-MAX_LAST_WORDS);
  return words === '' ? how : `${how}, saying: ${words}`;
}

/** What is read off a channel may lie in a buffer with other things; results are given away whole. */
export function withOwnBuffers(message: FromWorker): FromWorker {
  if (message.kind !== 'news' || message.ended.length === 0) return message;
  const ended = message.ended.map((end): Ended => {
    if (end.kind !== 'done') return end;
    return { ...end, outcome: outcomeWithOwnArrays(end.outcome) };
  });
  return { ...message, ended };
}

function outcomeWithOwnArrays(outcome: ItemOutcome): ItemOutcome {
  return 'run' in outcome
    ? { ...outcome, run: withOwnArrays(outcome.run) }
    : { ...outcome, batch: batchWithOwnArrays(outcome.batch) };
}

function batchWithOwnArrays(batch: BatchResult): BatchResult {
  const { counts, statevectors, probabilities, expectations } = batch;
  return {
    ...(counts && { counts: counts.slice() }),
    ...(statevectors && { statevectors: statevectors.slice() }),
    ...(probabilities && { probabilities: probabilities.slice() }),
    ...(expectations && { expectations: expectations.slice() }),
  };
}

function withOwnArrays(run: RunResult): RunResult {
  const { counts, statevector, probabilities } = run;
  return {
    ...run,
    counts: {
      ...counts,
      outcomes: counts.outcomes.slice(),
      occurrences: counts.occurrences.slice(),
    },
    ...(statevector && { statevector: statevector.slice() }),
    ...(probabilities && { probabilities: probabilities.slice() }),
  };
}

/** The process's end of what `processStarter` starts; it ends with the process that started it. */
export function processPort(): WorkerPort {
  // Ctrl-C in a terminal reaches every process of the group: when to stop is for the service to say.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit(0));
  return {
    post: (message) => void process.send?.(message, () => {}),
    onMessage: (listener) => void process.on('message', listener),
  };
}
