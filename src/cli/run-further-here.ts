/** Further runs of a circuit in this process: gradients and samples that its program requests. */
import type { Processor } from '../fleet/processor.ts';
import type { CheckedCircuit } from '../service/circuits/check-circuit.ts';
import { type FurtherNumbers, runFurther } from '../service/circuits/further-runs.ts';
import type { CommandIo } from './command-io.ts';
import { InterruptedError } from './errors.ts';
import type { RunFacts } from './run-report.ts';

/** @throws {InterruptedError} on Ctrl-C while they run. */
export async function runFurtherHere(
  processor: Pick<Processor, 'run'>,
  checked: CheckedCircuit,
  facts: RunFacts,
  io: CommandIo,
): Promise<FurtherNumbers> {
  const interrupt = new AbortController();
  using _listener = io.onInterrupt(() => interrupt.abort(new InterruptedError()));
  const whose = { priority: 'normal', keyId: 'local', tier: 'standard' } as const;
  return await runFurther(checked, facts, (asked, name) =>
    processor.run({ id: name, ...whose, ...asked }, {}, interrupt.signal),
  );
}
