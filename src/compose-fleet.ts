/** The fleet of this machine, from the settings: for the service, `qcs run`, `qcs devices` and `qcs compile`. */
import type { Config } from './config.ts';
import type { Fleet, FleetOptions } from './fleet/fleet.ts';
import { readMachine } from './fleet/machine.ts';

/** The settings as a fleet takes them. */
export function fleetOptions(config: Config, now: () => number): FleetOptions {
  const machine = readMachine();
  return {
    machine,
    engine: config.engine,
    numThreads: config.numThreads ?? machine.numCores,
    memoryBytes: config.memoryBytes ?? machine.memoryBytes / 2,
    useSoftwareAdapters: config.useSoftwareAdapters,
    tuningFolder: config.dataDir,
    ...(config.gpuMemoryBytes !== undefined && { gpuMemoryBytes: config.gpuMemoryBytes }),
    maxShots: config.maxShots,
    maxGates: config.maxGates,
    maxRounds: config.maxRounds,
    maxRunMs: config.maxRunMs,
    queueLimit: config.queueLimit,
    now,
  };
}

/** The fleet that the settings describe on this machine; it is not started. */
export async function createFleet(
  config: Config,
  now: () => number,
  options: Pick<FleetOptions, 'discover' | 'environment'> = {},
): Promise<Fleet> {
  // Most command lines need its options alone, and it loads the engines of all devices.
  const { Fleet } = await import('./fleet/fleet.ts');
  return new Fleet({ ...fleetOptions(config, now), ...options });
}
