/**
 * Creates this machine's fleet from the settings, for the service, `qcs run`, `qcs devices` and `qcs
 * compile`.
 */
import type { Config } from './config.ts';
import { readMachine } from './fleet/cpu-processors.ts';
import type { Fleet, FleetOptions } from './fleet/fleet.ts';
import { engineHeapMb } from './fleet/memory-shares.ts';

/** Converts settings to the options of a fleet. */
export function fleetOptions(config: Config, now: () => number): FleetOptions {
  const machine = readMachine();
  const numThreads = config.numThreads ?? machine.numCores;
  return {
    machine,
    engine: config.engine,
    numThreads,
    memoryBytes: config.memoryBytes ?? machine.memoryBytes / 2,
    heapLimitMb: config.engineHeapMb ?? engineHeapMb(machine.memoryBytes / 2, numThreads),
    warmsUp: config.warmsUp,
    useSoftwareAdapters: config.useSoftwareAdapters,
    tuningFolder: config.dataDir,
    ...(config.gpuMemoryBytes !== undefined && { gpuMemoryBytes: config.gpuMemoryBytes }),
    maxShots: config.maxShots,
    maxGates: config.maxGates,
    maxRounds: config.maxRounds,
    maxRunMs: config.maxRunMs,
    queueLimit: config.queueLimit,
    emulators: config.emulators,
    ...(config.fleetNodes && { fleetNodes: config.fleetNodes }),
    now,
  };
}

/** Creates the fleet that the settings describe; the caller starts it. */
export async function createFleet(
  config: Config,
  now: () => number,
  options: Pick<
    FleetOptions,
    | 'discover'
    | 'environment'
    | 'hardware'
    | 'fleetNodes'
    | 'nodeName'
    | 'runsNoJobs'
    | 'workerEntry'
  > = {},
): Promise<Fleet> {
  // Imported on demand: it loads the engines of all devices, and most commands need only the options.
  const { Fleet } = await import('./fleet/fleet.ts');
  return new Fleet({ ...fleetOptions(config, now), ...options });
}
