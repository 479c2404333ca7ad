/**
 * Action of `qcs devices`: the processors, the fleet’s 48 devices, of which those with the same backing share a row,
 * and the adapters.
 */
import { createFleet } from '../compose-fleet.ts';
import { loadConfig } from '../config.ts';
import type { Tuning } from '../engine/webgpu/tuning/tuning.ts';
import type { AdapterStatus } from '../fleet/adapters/adapter-plan.ts';
import type { FleetDevice } from '../fleet/fleet-device.ts';
import { AMPLITUDE_BYTES } from '../fleet/memory-shares.ts';
import type { Processor } from '../fleet/processor.ts';
import { viewDevice } from '../service/systems/processor-view.ts';
import { type CommandIo, table, writeJson } from './command-io.ts';

const MIB = 2 ** 20;

/** Starts a fleet with its self-tests and prints its devices. */
export async function showDevices(
  options: { readonly json?: boolean },
  io: CommandIo,
): Promise<void> {
  const { environment } = io;
  const fleet = await createFleet(loadConfig(environment), io.now, { environment });
  try {
    await fleet.start();
    const statuses = fleet.adapterStatuses();
    const reason = fleet.adapters?.reason;
    const directory = fleet.deviceDirectory;
    if (options.json) {
      const processors = fleet.processors.map(processorFields);
      const adapters = statuses.map(adapterFields);
      const devices = directory
        .devices()
        .map((device) => viewDevice(device, directory.countedSince));
      writeJson(io, { processors, devices, adapters, ...(reason !== undefined && { reason }) });
    } else {
      const parts = [
        processorTable(fleet.processors),
        deviceTable(directory.devices()),
        adapterText(statuses, reason),
      ];
      io.out.write(`${parts.join('\n\n')}\n`);
    }
  } finally {
    await fleet.close();
  }
}

function processorFields(processor: Processor) {
  const { spec } = processor;
  const { available, reason } = processor.availability();
  return {
    id: spec.id,
    available,
    ...(reason !== undefined && { reason }),
    execution: spec.execution,
    precision: spec.precision,
    max_qubits: spec.maxQubits,
  };
}

function processorTable(processors: readonly Processor[]): string {
  const rows = processors
    .map(processorFields)
    .map((fields) => [
      fields.id,
      fields.available ? 'available' : 'unavailable',
      fields.execution,
      fields.precision ?? '',
      fields.available ? String(fields.max_qubits) : '',
      fields.reason ?? '',
    ]);
  return table(['PROCESSOR', 'STATE', 'EXECUTION', 'PRECISION', 'QUBITS', 'REASON'], rows);
}

function adapterFields(status: AdapterStatus) {
  const { adapter, available, reason, memory, pin, pid, engine } = status;
  return {
    name: adapter.name,
    kind: adapter.isSoftware ? 'software' : 'gpu',
    backend: adapter.backend,
    driver: adapter.description,
    vendor: adapter.vendor,
    architecture: adapter.architecture,
    available,
    ...(reason !== undefined && { reason }),
    ...(pid !== undefined && { pid }),
    ...(pin && { pin }),
    ...(memory && { memory_bytes: memory.bytes, memory_basis: memory.basis }),
    ...(engine && {
      max_qubits: engine.target.maxQubits,
      tile_qubits: engine.target.tileQubits,
      chunk_qubits: engine.target.chunkQubits,
      open_ms: Math.round(engine.openMs),
      ...(engine.tuning && tuningFields(engine.tuning)),
    }),
    limits: adapter.limits,
    features: adapter.features,
  };
}

function tuningFields(tuning: Tuning) {
  return {
    tiles_per_group: tuning.tilesPerGroup,
    dispatch_qubits: tuning.dispatchQubits,
    copy_gb_per_s: gbPerS(tuning.copyBytesPerSecond),
    sweep_gb_per_s: gbPerS(tuning.sweepBytesPerSecond),
    tuning: {
      shapes_measured: tuning.numMeasured,
      shapes: tuning.numCandidates,
      took_ms: tuning.tookMs,
    },
  };
}

/** Converts bytes per second to 10^9 bytes per second, with three digits. */
function gbPerS(bytesPerSecond: number): number {
  return Number((bytesPerSecond / 1e9).toPrecision(3));
}

/** Columns in the order of the table of adapters; `npm run qcs -- devices --json` has all fields. */
const ADAPTER_HEADING = [
  'ADAPTER',
  'KIND',
  'STATE',
  'QUBITS',
  'TILE',
  'CHUNK',
  'MEMORY',
  'COPY, SWEEP',
  'PROCESS',
];

function adapterText(statuses: readonly AdapterStatus[], reason: string | undefined): string {
  if (statuses.length === 0) return `GPU adapters: none. ${reason ?? ''}`.trim();
  const rows = statuses.map((status) => {
    const { adapter, available, memory, pid, engine } = status;
    const { maxQubits, tileQubits, chunkQubits } = engine?.target ?? {};
    const chunk = chunkQubits === undefined ? 0 : AMPLITUDE_BYTES.f32 * 2 ** chunkQubits;
    return [
      adapter.name,
      adapter.isSoftware ? 'software' : 'GPU',
      available ? 'available' : 'unavailable',
      maxQubits?.toString() ?? '',
      tileQubits === undefined ? '' : `${engine?.tuning?.tilesPerGroup ?? 1} × 2^${tileQubits}`,
      chunk === 0 ? '' : `${chunk / MIB} MiB`,
      memory === undefined ? '' : `${Math.floor(memory.bytes / MIB)} MiB (${memory.basis})`,
      ratesText(engine?.tuning),
      pid?.toString() ?? '',
    ];
  });
  return [
    table(ADAPTER_HEADING, rows),
    ...statuses.map(notesOf),
    ...(reason === undefined ? [] : [reason]),
  ].join('\n');
}

/** Memory rates of a plain copy and of a sweep with one gate. */
function ratesText(tuning: Tuning | undefined): string {
  if (tuning === undefined) return '';
  return `${gbPerS(tuning.copyBytesPerSecond)}, ${gbPerS(tuning.sweepBytesPerSecond)} GB/s`;
}

function notesOf({ adapter, reason, pin = {} }: AdapterStatus): string {
  const { backend, description, limits } = adapter;
  const binding = Math.floor(limits.maxStorageBufferBindingSize / MIB);
  const workgroup = `${limits.maxComputeInvocationsPerWorkgroup} threads and ${limits.maxComputeWorkgroupStorageSize} bytes a workgroup`;
  const variables = Object.entries(pin).map(([name, value]) => `; pinned by ${name}=${value}`);
  const why = reason === undefined ? '' : `\n  ${reason}`;
  return `${adapter.name}: ${description}, by ${backend}; binds ${binding} MiB, ${workgroup}${variables.join('')}${why}`;
}

const DEVICE_HEADING = ['DEVICES', 'BACKED BY', 'KIND', 'AVAILABLE', 'MEMORY', 'QUBITS'];

/** Formats a row per backing, and a line per reason why devices are not available. */
export function deviceTable(devices: readonly FleetDevice[]): string {
  const rows = [
    ...Map.groupBy(devices, ({ backing }) => `${backing.kind} ${backing.name}`).values(),
  ].map(rowOf);
  const away = devices.filter(({ availability }) => !availability.available);
  const reasons = [...Map.groupBy(away, ({ availability }) => availability.reason ?? '')].map(
    ([reason, group]) => `${rangesOf(group)}: ${reason}`,
  );
  return [table(DEVICE_HEADING, rows), ...reasons].join('\n');
}

function rowOf(group: readonly FleetDevice[]): readonly string[] {
  const numAvailable = group.filter(({ availability }) => availability.available).length;
  const [first] = group;
  return [
    rangesOf(group),
    first?.backing.name ?? '',
    kindOf(group),
    `${numAvailable} of ${group.length}`,
    `${spanOf(group.map(({ memoryBytes }) => Math.floor(memoryBytes / MIB)))} MiB each`,
    spanOf(group.map(({ maxQubits }) => maxQubits)),
  ];
}

function kindOf(group: readonly FleetDevice[]): string {
  const [first] = group;
  const { kind, isSoftware } = first?.backing ?? {};
  const what = kind === 'cpu' ? 'CPU' : isSoftware ? 'software' : 'GPU';
  return group.some(({ isModelled }) => isModelled) ? `${what}, modelled` : what;
}

/** Ranges of consecutive ids, in order: `gpu-00 to gpu-23, gpu-40`. */
function rangesOf(devices: readonly FleetDevice[]): string {
  const runs: { first: FleetDevice; last: FleetDevice }[] = [];
  for (const device of devices) {
    const run = runs.at(-1);
    if (run !== undefined && numberOf(device) === numberOf(run.last) + 1) run.last = device;
    else runs.push({ first: device, last: device });
  }
  return runs
    .map(({ first, last }) => (first === last ? first.id : `${first.id} to ${last.id}`))
    .join(', ');
}

/** Number at the end of a device's id. */
function numberOf({ id }: FleetDevice): number {
  return Number(/\d+$/.exec(id)?.[0]);
}

/** One figure if all are equal, otherwise the least and the greatest. */
function spanOf(figures: readonly number[]): string {
  const least = Math.min(...figures);
  const most = Math.max(...figures);
  return least === most ? `${least}` : `${least} to ${most}`;
}
