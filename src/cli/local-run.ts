/** Runs circuits on this machine as the service would: the processors here, and a checked circuit on one. */
import { DEVICE_IDS } from '../compiler/device/public-devices.ts';
import { createFleet } from '../compose-fleet.ts';
import { loadConfig } from '../config.ts';
import { type CpuProcessorOptions, statevectorSpec } from '../fleet/cpu-processors.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { CircuitResult, Processor } from '../fleet/processor.ts';
import { callerDeviceSpec, emulatedSpec, qvmSpec } from '../fleet/simulated-processor.ts';
import type { Job, JobKind } from '../jobs/job.ts';
import { drawSeed } from '../math/philox.ts';
import {
  type CheckedCircuit,
  checkCircuit,
  runRequest,
} from '../service/circuits/check-circuit.ts';
import { type FurtherNumbers, runFurther } from '../service/circuits/further-runs.ts';
import { circuitBodyOf } from '../service/circuits/read-circuit.ts';
import type { Target } from '../service/circuits/targets.ts';
import { encodeStored } from '../service/jobs/stored-request.ts';
import { type CommandIo, Interrupt } from './command-io.ts';
import { withProgress } from './progress-bar.ts';

/** Facts of a run, under the names of the HTTP response. */
export interface RunFacts {
  readonly processor: string;
  readonly shots: number;
  readonly seed: number;
  readonly qubits: number;
}

/** Circuit that may run, with the facts of its run. */
export interface CircuitToRun {
  readonly facts: RunFacts;
  readonly checked: CheckedCircuit;
}

/** Results of the runs of a circuit. */
export interface RunResults {
  readonly result: CircuitResult;
  readonly further: FurtherNumbers;
}

/** Checks a submission as the service does. A missing seed is drawn at random. */
export function checkedRun(
  fields: object,
  targets: readonly Target[],
  { random }: Pick<CommandIo, 'random'>,
): CircuitToRun {
  const body = circuitBodyOf(fields, targets);
  const checked = checkCircuit(body, targets);
  const { target: processor, numQubits: qubits } = checked;
  const seed = body.seed ?? drawSeed(random);
  return { facts: { processor, shots: body.shots, seed, qubits }, checked };
}

/** Who runs circuits on this machine. */
const WHOSE = { priority: 'normal', keyId: 'local', tier: 'standard' } as const;

/**
 * Runs a circuit with a progress bar, then the further runs that its program requests.
 *
 * @throws {InterruptedError} on Ctrl-C while they run.
 */
export async function runChecked(
  processor: Pick<Processor, 'run'>,
  { facts, checked }: CircuitToRun,
  io: CommandIo,
): Promise<RunResults> {
  const request = runRequest(checked, facts.shots, facts.seed);
  const result = await withProgress(io, (onProgress, signal) =>
    processor.run(
      { id: 'local', ...WHOSE, circuit: checked.circuit, request },
      { onProgress },
      signal,
    ),
  );
  return { result, further: await furtherRuns(processor, { facts, checked }, io) };
}

/**
 * Runs of gradients and samples that the program of a circuit requests.
 *
 * @throws {InterruptedError} on Ctrl-C while they run.
 */
export async function furtherRuns(
  processor: Pick<Processor, 'run'>,
  { facts, checked }: CircuitToRun,
  io: CommandIo,
): Promise<FurtherNumbers> {
  using interrupt = new Interrupt(io);
  return await runFurther(checked, facts, (asked, name) =>
    processor.run({ id: name, ...WHOSE, ...asked }, {}, interrupt.signal),
  );
}

/**
 * A job that runs in this process.
 *
 * @param facts - Facts of its request, which its handler reads.
 * @param now - Milliseconds since 1970 UTC.
 */
export function localJob(kind: JobKind, target: string, facts: object, now: number): Job {
  return {
    ...WHOSE,
    id: 'local',
    kind,
    status: 'running',
    target,
    request: encodeStored({ ...facts, tier: WHOSE.tier }, '{}'),
    createdAt: now,
    attempts: 1,
  };
}

/** Whether a processor runs circuits on the CPU's engine alone. */
export function isRunHere(target: unknown): boolean {
  if (target === 'statevector-sim' || target === 'qvm') return true;
  return typeof target === 'string' && /^emulator(-|$)/.test(target);
}

/** The processors of the CPU's engine, with all emulated devices. */
export function targetsHere(settings: CpuProcessorOptions): readonly Target[] {
  const spec = statevectorSpec(settings);
  const emulators = DEVICE_IDS.map((id) => emulatedSpec(id, spec));
  const specs = [spec, qvmSpec(spec), callerDeviceSpec(spec), ...emulators];
  return specs.map((each) => ({ spec: each, available: true }));
}

/**
 * Creates this machine's fleet, uses it, and closes it.
 *
 * @param target - Id of the processor that will be used. Only its engines are started; other processors are not on this
 *   machine, or do not exist, which the check of a circuit reports.
 */
export async function onFleet<T>(
  target: unknown,
  { environment, now }: CommandIo,
  use: (fleet: Fleet) => Promise<T>,
): Promise<T> {
  const fleet = await createFleet(loadConfig(environment), now, { environment });
  try {
    if (target === 'gpu-fleet') await fleet.start();
    else if (isRunHere(target)) await fleet.startStatevector();
    return await use(fleet);
  } finally {
    await fleet.close();
  }
}
