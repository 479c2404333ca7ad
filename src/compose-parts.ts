/** Makes parts of the service from its settings: the processes that read bodies, models, workloads and hardware. */
import type { Config, HardwareConfig } from './config.ts';
import { isSimulator } from './fleet/processor.ts';
import { HardwareProcessor } from './hardware/hardware-processor.ts';
import { IbmProvider } from './hardware/ibm-provider.ts';
import { ServiceProvider } from './hardware/service-provider.ts';
import type { ProcessorDirectory } from './service/directories.ts';
import { Readers } from './service/http/reading/readers.ts';
import { ModelRegistry } from './workloads/models/model-registry.ts';
import { readArtefact } from './workloads/models/qnn-hybrid/artefact-file.ts';
import { QnnHybrid } from './workloads/models/qnn-hybrid/qnn-hybrid.ts';
import { TextModel } from './workloads/models/text-generation/text-model.ts';
import { ProcedurePool } from './workloads/procedures/procedure-pool.ts';
import { PROCEDURE_CATALOG, Workloads } from './workloads/workloads.ts';

const MIB = 2 ** 20;
const MAX_READERS = 4;
/** JavaScript heap of a process that reads bodies, as a multiple of the largest body. */
const HEAP_OF_BODY = 32;
/** Upper bound of that heap, as a fraction of the machine's memory. */
const HEAP_OF_MACHINE = 1 / 8;
/** Lower bound of that heap, MiB. */
const MIN_READER_HEAP_MB = 512;

/** Creates the processes that read bodies, on a machine with that many cores and bytes of memory. */
export function createReaders(
  { bodyLimitBytes, readCpuMs, readRoomBytes }: Config,
  { numCores, memoryBytes }: { readonly numCores: number; readonly memoryBytes: number },
  onLost: (how: string) => void,
): Readers {
  const most = Math.min(HEAP_OF_BODY * bodyLimitBytes, HEAP_OF_MACHINE * memoryBytes);
  return new Readers({
    numReaders: Math.max(2, Math.min(MAX_READERS, numCores)),
    heapLimitMb: Math.max(MIN_READER_HEAP_MB, Math.floor(most / MIB)),
    cpuLimitMs: readCpuMs,
    roomBytes: readRoomBytes,
    onLost,
  });
}

/** Creates the models on the fleet's simulators and the upstream that the settings name. */
export function createModels(
  config: Config,
  fleet: ProcessorDirectory,
  now: () => number,
): ModelRegistry {
  const processors = fleet.processors.filter(isSimulator);
  // The fleet comes first, for throughput.
  processors.sort(
    (a, b) => Number(b.spec.family === 'gpu-fleet') - Number(a.spec.family === 'gpu-fleet'),
  );
  return new ModelRegistry({
    classifier: new QnnHybrid({ artefact: readArtefact(), processors, now }),
    text: new TextModel({ upstream: config.textModel, now }),
  });
}

/** A node that runs no jobs has a process for the self-tests of agents. */
export function numTaskProcesses(config: Config, numCores: number): number {
  if (config.role === 'api') return 1;
  return config.numTaskProcesses ?? Math.min(4, Math.max(2, numCores));
}

/** Creates the executors of tasks and TPU jobs on the fleet's simulators. */
export function createWorkloads(
  config: Config,
  fleet: ProcessorDirectory,
  numCores: number,
  now: () => number,
  onProcessLost: (how: string) => void,
): Workloads {
  const processors = fleet.processors.filter(isSimulator);
  // Double precision comes first, so that energies and angles are not rounded to floats.
  processors.sort(
    (a, b) => Number(b.spec.precision === 'f64') - Number(a.spec.precision === 'f64'),
  );
  const { queueLimit } = config;
  const pool = new ProcedurePool({
    catalog: PROCEDURE_CATALOG,
    processors,
    numProcesses: numTaskProcesses(config, numCores),
    heapLimitMb: config.taskMemoryMb,
    queueLimit,
    onProcessLost,
  });
  return new Workloads({ pool, processors, queueLimit, now });
}

/** Creates the processor of the hardware that the settings name. */
export function createHardware(
  { queueLimit, maxGates, maxShots }: Config,
  settings: HardwareConfig,
  now: () => number,
  onFault: (error: unknown, vendorJobId?: string) => void,
): HardwareProcessor {
  const { token: apiKey, backend, baseUrl, timeoutMs, maxJobs, refreshMs } = settings;
  const shared = { baseUrl, apiKey, timeoutMs, now };
  const provider =
    settings.provider === 'ibm'
      ? new IbmProvider({
          ...shared,
          backend,
          instance: settings.instance,
          iamUrl: settings.iamUrl,
        })
      : new ServiceProvider({ ...shared, processor: backend });
  return new HardwareProcessor({
    provider,
    maxJobs,
    queueLimit,
    maxGates,
    maxShots,
    refreshMs,
    timeoutMs,
    now,
    onFault,
  });
}
