/** Current state of processors and of the devices of the fleet, in the form that callers see. */
import type { DeviceDirectory, FleetDevice } from '../../fleet/fleet-device.ts';
import { methodsOf } from '../../fleet/method-limits.ts';
import type {
  Calibration,
  DeviceReport,
  DeviceSpec,
  Emulation,
  Processor,
  ProcessorSpec,
} from '../../fleet/processor.ts';
import type { ProcessorDirectory } from '../directories.ts';
import { isoTime } from '../http/envelope.ts';
import { ProcessorNotFoundError } from '../http/errors.ts';
import type { DeviceSummaryView, DeviceView, ProcessorView } from './processor-schema.ts';

/** Digits of a fraction; more would suggest a precision that the figure lacks. */
const FRACTION_DIGITS = 4;

/** True if the fleet's devices belong to this processor. */
export function hasDevices({ spec }: Processor): boolean {
  return spec.family === 'gpu-fleet';
}

/**
 * Entry of a device in a listing.
 *
 * @param countedSince - Start of counting unless the device has its own, milliseconds since 1970 UTC.
 */
export function viewDevice(device: FleetDevice, countedSince: number): DeviceView {
  const { backing, availability, maintenance, counters } = device;
  const { available, reason, checkedAt } = availability;
  return {
    id: device.id,
    node: device.node,
    slot: device.slot,
    ...(device.servedBy !== undefined && { served_by: device.servedBy }),
    modelled: device.isModelled,
    backing: {
      kind: backing.kind,
      name: backing.name,
      software: backing.isSoftware,
      shared_by: backing.sharedBy,
    },
    memory_bytes: Math.floor(device.memoryBytes),
    max_qubits: device.maxQubits,
    available,
    ...(reason === undefined ? {} : { reason }),
    checked_at: isoTime(checkedAt),
    ...(maintenance && { maintenance: { reason: maintenance.reason } }),
    queue_depth: device.queueDepth,
    busy: device.isBusy,
    ...(available && { expected_wait_ms: Math.round(device.expectedWaitMs) }),
    counters: {
      completed: counters.completed,
      failed: counters.failed,
      lost: counters.lost,
      busy_ms: Math.round(counters.busyMs),
    },
    utilisation: {
      fraction: Number(device.utilisation.toFixed(FRACTION_DIGITS)),
      basis: 'measured',
      since: isoTime(device.countedSince ?? countedSince),
    },
  };
}

/** Summary of all devices. */
export function viewSummary(directory: DeviceDirectory): DeviceSummaryView {
  const { total, available, inMaintenance, quarantined, unserved, busy } = directory.summary();
  return {
    total,
    available,
    in_maintenance: inMaintenance,
    quarantined,
    ...(unserved !== undefined && { unserved }),
    busy,
    backings: viewBackings(directory.devices()),
  };
}

/** Distinct backings of the devices that have one, in the order of the devices. */
function viewBackings(devices: readonly FleetDevice[]): DeviceSummaryView['backings'] {
  const backings = new Map<string, DeviceSummaryView['backings'][number]>();
  for (const { backing, availability } of devices) {
    const { kind, name, isSoftware } = backing;
    if (kind === 'none') continue;
    const id = `${kind} ${name}`;
    const found = backings.get(id) ?? {
      kind,
      name,
      software: isSoftware,
      devices: 0,
      available: 0,
    };
    found.devices++;
    if (availability.available) found.available++;
    backings.set(id, found);
  }
  return [...backings.values()];
}

/**
 * Finds a processor by id.
 *
 * @throws {ProcessorNotFoundError}
 */
export function findProcessor(fleet: ProcessorDirectory, id: string): Processor {
  const found = fleet.get(id);
  if (found !== undefined) return found;
  const known = fleet.processors.map(({ spec }) => spec.id);
  throw new ProcessorNotFoundError(id, known);
}

/**
 * Entry of a processor in a listing; for the fleet it includes a summary of its devices.
 *
 * @param readingWaitMs - Time until a body of the caller would be read, if that has to wait.
 */
export function viewProcessor(
  processor: Processor,
  devices: DeviceDirectory,
  readingWaitMs: number,
): ProcessorView {
  const { spec } = processor;
  const { available, reason, checkedAt } = processor.availability();
  const load = processor.load();
  return {
    id: spec.id,
    name: spec.name,
    family: spec.family,
    available,
    ...(reason === undefined ? {} : { reason }),
    checked_at: isoTime(checkedAt),
    qubits: available ? spec.maxQubits : 0,
    max_qubits: spec.maxQubits,
    max_shots: spec.maxShots,
    max_gates: spec.maxGates,
    ...viewMethods(spec),
    precision: spec.precision,
    execution: spec.execution,
    ...(spec.physicalGpus === undefined ? {} : { physical_gpus: spec.physicalGpus }),
    ...(spec.adapters && {
      adapters: spec.adapters.map(({ name, isSoftware }) => ({ name, software: isSoftware })),
    }),
    ...(hasDevices(processor) && { devices: viewSummary(devices) }),
    ...(spec.device && viewConstraints(spec.device)),
    ...viewReport(processor.report?.()),
    queue_depth: load.queueDepth,
    ...(load.expectedWaitMs !== undefined && {
      expected_wait_ms: Math.round(readingWaitMs + load.expectedWaitMs),
    }),
    ...(load.expectedWideWaitMs !== undefined && {
      expected_wide_wait_ms: Math.round(readingWaitMs + load.expectedWideWaitMs),
    }),
  };
}

function viewMethods(spec: ProcessorSpec) {
  const methods = methodsOf(spec).map((limit) => ({
    method: limit.method,
    max_qubits: limit.maxQubits,
    max_noisy_qubits: limit.maxNoisyQubits,
    ...(limit.maxDoubleQubits !== undefined && { max_qubits_f64: limit.maxDoubleQubits }),
    ...(limit.nearClifford !== undefined && {
      near_clifford: {
        max_qubits: limit.nearClifford.maxQubits,
        max_stabilizer_states: limit.nearClifford.maxStates,
        max_active_qubits: limit.nearClifford.maxActiveQubits,
      },
    }),
  }));
  return methods.length === 0 ? {} : { methods };
}

/** Constraints that circuits for a device must fit. */
function viewConstraints({ abilities, emulation, ...device }: DeviceSpec) {
  return {
    basis: device.basis,
    source: device.source,
    ...(device.date !== undefined && { date: device.date }),
    coupling_map: device.couplers.map(([a, b]): [number, number] => [a, b]),
    symmetric_couplers: device.isSymmetric,
    native_gates: [...device.nativeGates],
    abilities: {
      mid_circuit_measurement: abilities.midCircuitMeasurement,
      reset: abilities.reset,
      condition: abilities.condition,
    },
    ...(emulation && viewEmulation(emulation)),
  };
}

/** Noise and times of an emulated device. */
function viewEmulation({ noise, maxUsedQubits, times }: Emulation) {
  const { t1Us, t2Us, durationsNs } = times;
  return {
    max_used_qubits: maxUsedQubits,
    noise,
    ...(t1Us !== undefined && { t1_us: t1Us }),
    ...(t2Us !== undefined && { t2_us: t2Us }),
    durations_ns: { ...durationsNs },
  };
}

/** A vendor's report of its device. */
function viewReport(report: DeviceReport | undefined) {
  if (report === undefined) return {};
  const { vendor: name, device, queueDepth, fetchedAt, calibration } = report;
  return {
    vendor: {
      name,
      device,
      ...(queueDepth !== undefined && { queue_depth: queueDepth }),
      fetched_at: isoTime(fetchedAt),
    },
    ...(calibration && { calibration: viewCalibration(calibration) }),
  };
}

function viewCalibration({ fetchedAt, calibratedAt, qubits, couplers }: Calibration) {
  return {
    basis: 'reported' as const,
    fetched_at: isoTime(fetchedAt),
    ...(calibratedAt !== undefined && { calibrated_at: isoTime(calibratedAt) }),
    qubits: qubits.map(({ qubit, t1Us, t2Us, readoutError, gateError }) => ({
      qubit,
      ...(t1Us !== undefined && { t1_us: t1Us }),
      ...(t2Us !== undefined && { t2_us: t2Us }),
      ...(readoutError !== undefined && { readout_error: readoutError }),
      ...(gateError !== undefined && { gate_error: gateError }),
    })),
    couplers: couplers.map(({ qubits: [a, b], gate, gateError }) => ({
      qubits: [a, b] as [number, number],
      gate,
      ...(gateError !== undefined && { gate_error: gateError }),
    })),
  };
}
