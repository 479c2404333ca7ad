/**
 * What holds an engine that serves circuits: a thread of this process, or a process of its own. Both
 * take and give the messages of worker-messages.ts.
 */
import type { FromWorker, ToWorker } from './worker-messages.ts';

/** A worker that has been started. */
export interface WorkerHost {
  /** Of the process that holds the engine, where that is another one. */
  readonly pid?: number;
  /** @throws {DOMException | Error} if the message cannot be cloned; nothing was sent then. */
  post(message: ToWorker): void;
  /** Has it keep this process alive, or not; a worker that has just started does not. */
  setHolding(isHolding: boolean): void;
  /** Ends it, whatever it does. */
  end(): Promise<void>;
}

/** What whoever started a worker hears of it. */
export interface WorkerHostEvents {
  readonly onMessage: (message: FromWorker) => void;
  /** Why it will end, where more is known than an exit code; `onExit` follows. */
  readonly onFault: (how: string, cause?: unknown) => void;
  /** @param how - For people: "exit code 1". */
  readonly onExit: (how: string) => void;
}

/** Starts a worker; it says `ready` once its engine is open. */
export type StartWorker = (events: WorkerHostEvents) => WorkerHost;
