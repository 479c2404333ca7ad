/** Processors and services in words: states, hardware, limits, and the scopes that they need. */
import type { Processor, Routes } from '../../client/api-types.ts';
import { capitalized, grouped, numberOf, sentence, startsIn } from '../numbers.ts';
import type { KeyInfo } from '../shell/session.ts';

/** Kinds of processors in the order of the page. */
const KINDS = {
  'gpu-fleet': 'Simulators',
  statevector: 'Simulators',
  qvm: 'Simulators',
  emulator: 'Emulated devices',
  superconducting: 'Hardware',
} as const satisfies Record<Processor['family'], string>;

const ORDER: readonly string[] = ['Simulators', 'Emulated devices', 'Hardware'];

/** Processors by kind: simulators, emulated devices, hardware. */
export function processorsByKind(
  processors: readonly Processor[],
): readonly (readonly [string, readonly Processor[]])[] {
  return [...Map.groupBy(processors, ({ family }) => KINDS[family])].sort(
    ([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b),
  );
}

const MAINTENANCE = 'In maintenance: ';

/** Reason of the maintenance of a processor; undefined if it is in none. The API has it as text alone. */
export function maintenanceReason({ available, reason }: Processor): string | undefined {
  return !available && reason?.startsWith(MAINTENANCE) === true
    ? reason.slice(MAINTENANCE.length)
    : undefined;
}

/** State of a processor as a word and a sign. */
export function processorState(processor: Processor): {
  readonly word: string;
  readonly sign: string;
  readonly state: 'idle' | 'maintenance' | 'quarantine';
} {
  if (processor.available) return { word: 'Available', sign: '○', state: 'idle' };
  if (maintenanceReason(processor) !== undefined) {
    return { word: 'Maintenance', sign: 'M', state: 'maintenance' };
  }
  return { word: 'Not available', sign: '!', state: 'quarantine' };
}

/** State of a processor for a circuit that is sent now: width, queue and start, in sentences. */
export function availabilityInWords(processor: Processor): string {
  const { available, qubits, max_qubits: maxQubits, queue_depth: waiting } = processor;
  const queue =
    waiting === 0 ? 'Nothing waits.' : `${numberOf(waiting, 'circuit waits', 'circuits wait')}.`;
  if (!available) {
    const reason = sentence(processor.reason ?? 'It is not available');
    return waiting === 0 ? reason : `${reason} ${queue}`;
  }
  const now = qubits < maxQubits ? ` now, ${maxQubits} when all of it is in service` : '';
  const width = `${qubits} qubits${now}${widerByMethod(processor)}`;
  return `Takes circuits of up to ${width}. ${queue}${startInWords(processor)}`;
}

/** Methods of a simulator that take wider circuits than its state vectors. */
function widerByMethod({ family, qubits, methods = [] }: Processor): string {
  const wider = methods.filter(({ max_qubits: width }) => family === 'qvm' && width > qubits);
  if (wider.length === 0) return '';
  const most = Math.max(...wider.map(({ max_qubits: width }) => width));
  const names = wider.map(({ method }) => method.replaceAll('_', ' '));
  return `, and of up to ${grouped(most)} by ${names.join(' and ')}`;
}

function startInWords({
  expected_wait_ms: waitMs,
  expected_wide_wait_ms: wideMs,
}: Processor): string {
  if (waitMs === undefined) return '';
  const small = ` A small circuit would start ${startsIn(waitMs)}`;
  if (wideMs === undefined || Math.abs(wideMs - waitMs) < 1) return `${small}.`;
  return `${small}, a wide one ${startsIn(wideMs)}.`;
}

const EXECUTION = {
  webgpu: 'GPU adapters by WebGPU',
  cpu: 'the CPU engine on threads',
  'cpu-fallback': 'the CPU engine, since no adapter takes circuits',
  hardware: 'a device of a vendor',
} as const satisfies Record<Processor['execution'], string>;

/** Engine and precision: "the CPU engine on threads, double precision". */
export function executionInWords({ execution, precision, physical_gpus: gpus }: Processor): string {
  const exact =
    precision === null ? '' : `, ${precision === 'f64' ? 'double' : 'single'} precision`;
  const real = gpus === undefined ? '' : `, ${numberOf(gpus, 'real GPU')}`;
  return `${EXECUTION[execution]}${exact}${real}`;
}

const RESULTS = {
  'gpu-fleet': 'simulated',
  statevector: 'simulated',
  qvm: 'simulated',
  emulator: 'emulated',
  superconducting: 'hardware',
} as const satisfies Record<Processor['family'], string>;

/** Basis of its results: that of the API for devices, otherwise the kind of the processor. */
export function basisOf({ family, basis }: Processor): string {
  return basis ?? RESULTS[family];
}

/** A method with its widths: "Density matrix: up to 14 qubits, 13 in double precision". */
export function methodInWords({
  method,
  max_qubits: width,
  max_noisy_qubits: noisy,
  max_qubits_f64: exact,
  near_clifford: near,
}: NonNullable<Processor['methods']>[number]): string {
  const parts = [
    `up to ${grouped(width)} qubits`,
    ...(noisy === width ? [] : [`${noisy} with noise`]),
    ...(exact === undefined || exact === width ? [] : [`${exact} in double precision`]),
    ...(near === undefined ? [] : [`${grouped(near.max_qubits)} in near-Clifford circuits`]),
  ];
  return `${capitalized(method.replaceAll('_', ' '))}: ${parts.join(', ')}`;
}

/** Figures by title; undefined if a processor has none. */
export function deviceFacts(
  processor: Processor,
): readonly (readonly [title: string, text: string | undefined])[] {
  const {
    native_gates: gates,
    coupling_map: couplers,
    t1_us: t1,
    t2_us: t2,
    durations_ns: times,
  } = processor;
  const { max_used_qubits: used, date, vendor, calibration } = processor;
  const readoutNs = times?.['M'];
  return [
    [
      'One circuit uses',
      used === undefined || used >= processor.max_qubits
        ? undefined
        : `up to ${numberOf(used, 'qubit')} of them`,
    ],
    ['Native gates', gates?.join(', ')],
    ['Couplers', couplers === undefined ? undefined : grouped(couplers.length)],
    [
      'Median T1, T2',
      t1 === undefined || t2 === undefined ? undefined : `${micros(t1)}, ${micros(t2)}`,
    ],
    ['Measurement', readoutNs === undefined ? undefined : `${grouped(readoutNs)} ns`],
    ['Calibration of', date],
    ['Vendor', vendor === undefined ? undefined : `${vendor.name}, ${vendor.device}`],
    ['Waiting at the vendor', vendor?.queue_depth?.toString()],
    ['Calibrated', calibration?.calibrated_at],
  ];
}

function micros(us: number): string {
  return `${us.toFixed(us < 10 ? 1 : 0)} µs`;
}

type Scope = KeyInfo['scopes'][number];
type SystemId = Routes['GET /systems']['data']['systems'][number]['id'];

/** Scope of a key that may use a system. */
export const SYSTEM_SCOPES: Readonly<Record<SystemId, Scope>> = {
  qvm: 'circuits',
  'quantum-os': 'read',
  asi: 'agents',
  llma: 'models',
};

/** Scope that something needs, and whether the key has it: "Needs a key with the scope agents, which yours has." */
export function neededScope(scope: Scope, key: KeyInfo | undefined): string {
  const needed = `Needs a key with the scope ${scope}`;
  if (key === undefined) return `${needed}.`;
  return `${needed}, which yours ${key.scopes.includes(scope) ? 'has' : 'lacks'}.`;
}

/** Fields that `GET /status` repeats. */
interface Live {
  readonly id: string;
  readonly available: boolean;
  readonly reason?: string | undefined;
  readonly checked_at: string;
}

/** Entries with the states of a later status. */
export function withStatus<T extends Live>(
  entries: readonly T[],
  status: readonly Live[] | undefined,
): readonly T[] {
  return entries.map((entry) => {
    const now = status?.find(({ id }) => id === entry.id);
    if (now === undefined) return entry;
    const { reason: _, ...rest } = entry;
    // The cast is safe: the omitted field is optional, and the added ones have the types of the entry.
    return { ...rest, ...now } as T;
  });
}
