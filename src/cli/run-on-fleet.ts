/** Action of `qcs run --processor gpu-fleet`: runs a circuit on this machine's fleet. */
import { createFleet } from '../compose-fleet.ts';
import { loadConfig } from '../config.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { CircuitResult, Processor } from '../fleet/processor.ts';
import {
  type CheckedCircuit,
  checkCircuit,
  runRequest,
} from '../service/circuits/check-circuit.ts';
import { circuitBodyOf } from '../service/circuits/read-circuit.ts';
import { targetsOf } from '../service/circuits/targets.ts';
import type { submissionFields } from './circuit-file.ts';
import { type CommandIo, writeWarnings } from './command-io.ts';
import { InterruptedError } from './errors.ts';
import { ProgressBar } from './progress-bar.ts';
import { runFurtherHere } from './run-further-here.ts';
import { type LocalRun, type RunFacts, runFacts } from './run-report.ts';

/** Runs a circuit on any processor of the fleet, as the service would. */
export async function runOnFleet(
  fields: ReturnType<typeof submissionFields>,
  { json }: { readonly json?: boolean },
  io: CommandIo,
): Promise<LocalRun> {
  return await onFleet(fields.target_processor, io, async (fleet) => {
    const targets = targetsOf(fleet);
    const body = circuitBodyOf(fields, targets);
    const checked = checkCircuit(body, targets);
    const processor = fleet.get(checked.target);
    if (processor === undefined) throw new Error('unreachable: a circuit without its target');
    const facts = runFacts(body, checked, io);
    if (!json) writeWarnings(checked.warnings, io);
    const result = await runWithProgress(processor, checked, facts, io);
    const further = await runFurtherHere(processor, checked, facts, io);
    return { facts, checked, result, further };
  });
}

/**
 * Creates this machine's fleet, uses it, and closes it.
 *
 * @param target - Id of the processor that will be used. The engines are started only for `gpu-fleet`: other processors
 *   are not on this machine, or do not exist, which the check of a circuit reports.
 */
export async function onFleet<T>(
  target: unknown,
  { environment, now }: CommandIo,
  use: (fleet: Fleet) => Promise<T>,
): Promise<T> {
  const fleet = await createFleet(loadConfig(environment), now, { environment });
  try {
    if (target === 'gpu-fleet') await fleet.start();
    return await use(fleet);
  } finally {
    await fleet.close();
  }
}

async function runWithProgress(
  processor: Processor,
  checked: CheckedCircuit,
  { shots, seed }: RunFacts,
  io: CommandIo,
): Promise<CircuitResult> {
  const interrupt = new AbortController();
  using _listener = io.onInterrupt(() => interrupt.abort(new InterruptedError()));
  using bar = new ProgressBar(io.err, 'running', io.now);
  return await processor.run(
    {
      id: 'local',
      circuit: checked.circuit,
      request: runRequest(checked, shots, seed),
      priority: 'normal',
      keyId: 'local',
      tier: 'standard',
    },
    { onProgress: (fraction) => bar.update(fraction) },
    interrupt.signal,
  );
}
