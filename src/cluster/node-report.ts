/** Report of a node on its fleet, sent with each renewal of its lease. */
import type { DeviceDirectory, FleetDevice } from '../fleet/fleet-device.ts';
import type { Processor, ProcessorLoad, ProcessorSpec } from '../fleet/processor.ts';
import { modelMs } from '../fleet/schedule/run-estimates.ts';
import type { RunWork } from '../fleet/schedule/scheduled-run.ts';
import type { NodeReport, ReportedProcessor, ReportedSpec } from './node-status.ts';

/** Digits of a fraction, and of a ratio. */
const FRACTION_DIGITS = 4;

/** Parts of a node's fleet that its report is about. */
export interface ReportedFleet {
  readonly processors: readonly Processor[];
  readonly deviceDirectory: DeviceDirectory;
  /** Small circuits that run at the same time. */
  readonly numThreads: number;
}

/** Reports the fleet of this node, without the progress of its jobs. Some kilobytes of JSON. */
export function buildReport({
  processors,
  deviceDirectory,
  numThreads,
}: ReportedFleet): Omit<NodeReport, 'progress'> {
  return {
    processors: processors.map(reportProcessor),
    numThreads,
    devices: deviceDirectory.devices().map(reportDevice),
    countedSince: deviceDirectory.countedSince,
  };
}

/**
 * Reads the text of a report.
 *
 * @returns Undefined for the text of a node that has not reported yet.
 * @throws {SyntaxError} if it is no JSON.
 */
export function readReport(text: string): NodeReport | undefined {
  // The cast is checked only as far as it tells a report from none: nodes alone write the column.
  const report = JSON.parse(text) as Partial<NodeReport>;
  const { processors, numThreads = 1, devices, countedSince = 0, progress = {} } = report;
  if (processors === undefined || devices === undefined) return undefined;
  return { processors, numThreads, devices, countedSince, progress };
}

/** Reports one processor. */
export function reportProcessor(processor: Processor): ReportedProcessor {
  const spec = reportSpec(processor.spec);
  const { maxUsedQubits } = processor.spec.device?.emulation ?? {};
  const timeFactor = timeFactorOf(processor, maxUsedQubits ?? spec.maxQubits);
  return {
    spec,
    ...(maxUsedQubits !== undefined && { maxUsedQubits }),
    availability: processor.availability(),
    load: reportLoad(processor),
    ...(timeFactor !== undefined && { timeFactor }),
  };
}

function reportSpec(spec: ProcessorSpec): ReportedSpec {
  const { id, maxQubits, execution, target, stateMemory, adapters } = spec;
  const { maxNoisyQubits, maxSingleQubits, physicalGpus } = spec;
  return {
    id,
    maxQubits,
    ...(maxNoisyQubits !== undefined && { maxNoisyQubits }),
    ...(maxSingleQubits !== undefined && { maxSingleQubits }),
    ...(stateMemory && { stateMemory }),
    execution,
    target,
    ...(physicalGpus !== undefined && { physicalGpus }),
    ...(adapters && { adapters }),
  };
}

/** Load of a processor on this node alone. */
export function reportLoad(processor: Processor): ProcessorLoad {
  const { queueDepth, running, expectedWaitMs, expectedWideWaitMs } = processor.load();
  const atVendor = processor.report?.()?.queueDepth ?? 0;
  return {
    queueDepth: Math.max(0, queueDepth - atVendor),
    running,
    // Infinite while nothing runs circuits, which JSON cannot say.
    ...(Number.isFinite(expectedWaitMs) && { expectedWaitMs: Math.round(expectedWaitMs ?? 0) }),
    ...(Number.isFinite(expectedWideWaitMs) && {
      expectedWideWaitMs: Math.round(expectedWideWaitMs ?? 0),
    }),
  };
}

/** A long circuit of a width: only these come near the limit of run times. */
function longWork(numQubits: number): RunWork {
  const size = { numQubits, numOperations: 1000, gateCost: 1000 };
  return { ...size, isBranching: false, shots: 1000, numReadouts: 0 };
}

function timeFactorOf(processor: Processor, maxQubits: number): number | undefined {
  const work = longWork(maxQubits);
  const expectedMs = processor.expectedRun(work)?.ms;
  if (expectedMs === undefined) return undefined;
  return Number((expectedMs / modelMs(work)).toPrecision(FRACTION_DIGITS));
}

function reportDevice(device: FleetDevice): FleetDevice {
  const { memoryBytes, expectedWaitMs, counters, utilisation } = device;
  return {
    ...device,
    memoryBytes: Math.floor(memoryBytes),
    expectedWaitMs: Number.isFinite(expectedWaitMs) ? Math.round(expectedWaitMs) : 0,
    counters: { ...counters, busyMs: Math.round(counters.busyMs) },
    utilisation: Number(utilisation.toFixed(FRACTION_DIGITS)),
  };
}
