/** The machine as plain data. */
import { availableParallelism, cpus, totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

/** Hardware of this machine, which runs circuits when no GPU does. */
export interface Machine {
  /** Name of the CPU from the operating system. */
  readonly cpuModel: string;
  /** Threads that run at the same time, as far as this process may use them. */
  readonly numCores: number;
  /** Physical, or the container's limit where that is less. */
  readonly memoryBytes: number;
}

/** Reads what this process has to work with. */
export function readMachine(): Machine {
  const limitBytes = constrainedMemory();
  const physicalBytes = totalmem();
  return {
    cpuModel: cpus()[0]?.model.trim() || `${process.arch} CPU`,
    numCores: availableParallelism(),
    // 0, or a huge number, where there is no limit.
    memoryBytes: limitBytes > 0 ? Math.min(limitBytes, physicalBytes) : physicalBytes,
  };
}
