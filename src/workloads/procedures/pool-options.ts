/** What a pool of processes is made with. */
import type { Processor } from '../../fleet/processor.ts';

/** How a pool is made. */
export interface ProcedurePoolOptions {
  /**
   * A module that exports `findProcedure(owner, name)`, and perhaps `preload()`, awaited before a process
   * is ready; imported in the processes.
   */
  readonly catalog: URL;
  /** Where circuits run, the preferred one first. */
  readonly processors: readonly Processor[];
  /**
   * Calls that run at a time; processes are started as they are needed. Calls that only wait for
   * processors are not counted, but there are never more than twice as many processes, each with up to
   * twice the heap's limit and 128 MB.
   */
  readonly numProcesses: number;
  /** Of one process. */
  readonly heapLimitMb: number;
  /** Calls that may wait. */
  readonly queueLimit: number;
  readonly maxResultBytes?: number;
  /** From a cancel or a deadline to the end of a process that did not come back; 200 ms unless given. */
  readonly graceMs?: number;
  /**
   * How long a key that has no call running waits at most for the calls of others, where there may be a
   * further process; 2 s unless given.
   */
  readonly reliefMs?: number;
  /** The whole environment of the processes; empty unless given. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Hears why a process ended that nobody ended on purpose, with the last of what it printed. */
  readonly onProcessLost?: (how: string) => void;
}
