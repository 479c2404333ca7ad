/** Texts on a run of a circuit: its place, method and time. */
import type { Circuit, Estimate } from '../../client/api-types.ts';
import type { Progress } from '../../client/job-events.ts';
import { duration, grouped, memory, numberOf, percent, timeOfDay } from '../numbers.ts';

/** Facts of a record, by title; undefined if the record does not say. */
export type CircuitFacts = readonly (readonly [title: string, text: string | undefined])[];

/** State of a job that is followed: "Waiting, 2 jobs before it", "Running, 40%". */
export function progressInWords({ status, progress, message, queuePosition }: Progress): string {
  if (status === 'queued') {
    if (queuePosition === undefined) return 'Waiting';
    if (queuePosition === 0) return 'Waiting, the next to start';
    return `Waiting, ${numberOf(queuePosition, 'job')} before it`;
  }
  if (status !== 'running') return STATUS_WORDS[status];
  const part = progress === undefined ? '' : `, ${percent(progress, 0)}`;
  return `Running${part}${message === undefined ? '' : `: ${message}`}`;
}

/** Texts of the states of jobs. */
export const STATUS_WORDS = {
  queued: 'Waiting',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
} as const;

/** Place, method and cost of a run. */
export function circuitFacts(circuit: Circuit): CircuitFacts {
  const { backend, method, method_reason: reason, trajectories, timing, seed, shots } = circuit;
  const { truncation_error: error, largest_bond: bond, error_bound: bound } = circuit;
  return [
    ['Processor', circuit.processor],
    ['Ran on', backend === undefined ? undefined : backendInWords(backend)],
    ['Results are', backend === undefined ? undefined : basisInWords(backend, circuit.request)],
    [
      'Method',
      method === undefined ? undefined : `${method.replaceAll('_', ' ')}. ${reason ?? ''}`,
    ],
    ['Trajectories', trajectories === undefined ? undefined : grouped(trajectories)],
    ['Largest bond', bond === undefined ? undefined : grouped(bond)],
    ['Truncation error', error === undefined ? undefined : String(Number(error.toPrecision(3)))],
    [
      'Error of formulas',
      bound === undefined ? undefined : `at most ${Number(bound.toPrecision(3))}`,
    ],
    ['Shots', grouped(shots)],
    ['Seed', String(seed)],
    ['Waited', timing === undefined ? undefined : duration(timing.queue_ms)],
    ['Compiled in', timing === undefined ? undefined : duration(timing.compile_ms)],
    ['Ran for', timing?.execution_ms === undefined ? undefined : ranInWords(timing)],
  ];
}

function ranInWords({
  execution_ms: ran = 0,
  sampling_ms: sampled,
}: NonNullable<Circuit['timing']>): string {
  const shots = sampled === undefined ? '' : `, ${duration(sampled)} of it to draw the shots`;
  return `${duration(ran)}${shots}`;
}

/** The engine and device, or the hardware: "CPU engine, double precision, on Cores". */
function backendInWords(backend: NonNullable<Circuit['backend']>): string {
  if ('vendor' in backend) return `${backend.device} of ${backend.vendor}`;
  const { engine, precision, hardware, devices, served_by: node } = backend;
  const parts = [
    `engine ${engine}`,
    precision === 'f64' ? 'double precision' : 'single precision',
    hardware,
    ...(devices === undefined ? [] : [devices.join(', ')]),
    ...(node === undefined ? [] : [`node ${node}`]),
  ];
  return parts.join(', ');
}

function basisInWords(
  backend: NonNullable<Circuit['backend']>,
  request: Circuit['request'],
): string {
  if ('vendor' in backend) return backend.basis;
  if (backend.emulates !== undefined) return `emulated: a model of ${backend.emulates}`;
  return request?.['noise'] === undefined ? 'simulated' : 'simulated, with modelled noise';
}

/** Memory from which on an estimate names it, in bytes. */
const MUCH_MEMORY = 2 ** 26;
/** A start within so many milliseconds is one at once. */
const SOON_MS = 1000;

/**
 * What a run is expected to take: "About 0.2 s on qvm by statevector, starts at once."
 *
 * @param now - Milliseconds since 1970.
 */
export function estimateInWords(estimate: Estimate, now: number): string {
  const { processor, method, run_ms: runMs, memory_bytes: bytes = 0 } = estimate;
  const { expected_start_at: start } = estimate;
  const time = runMs === undefined ? 'On' : `About ${duration(runMs)} on`;
  const parts = [
    `${time} ${processor}${method === undefined ? '' : ` by ${method.replaceAll('_', ' ')}`}`,
    ...(bytes < MUCH_MEMORY ? [] : [`in ${memory(bytes)} of memory`]),
  ];
  const startAt = Date.parse(start ?? '');
  if (startAt >= now + SOON_MS) parts.push(`starts at about ${timeOfDay(startAt)}`);
  else if (start !== undefined) parts.push('starts at once');
  return `${parts.join(', ')}.`;
}
