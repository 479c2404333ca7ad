/** Lists the child processes of a service with their memory; on Linux, from /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** A process that another has started. */
export interface ChildProcessOf {
  readonly pid: number;
  /** Module that the process runs under Node; undefined for another program. */
  readonly module: string | undefined;
}

/** Running child processes of a process. */
export function childProcessesOf(parent: number): readonly ChildProcessOf[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const [, ppid] = /\) \S (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, 'utf8')) ?? [];
        if (Number(ppid) !== parent) return [];
        const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8');
        return [{ pid: Number(entry), module: /([a-z-]+)\.ts\0/.exec(command)?.[1] }];
      } catch {
        // The process has just ended.
        return [];
      }
    });
}

/** Resident memory of a process, MiB; 0 if it has ended. */
export function residentMib(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
