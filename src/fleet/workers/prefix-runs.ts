/** Snapshots by methods that hold no state: each is a run of the circuit up to it. */
import { type DynamicCircuit, savesOf } from '../../circuit/circuit.ts';
import { prefixOf } from '../../circuit/prefixes.ts';
import type { Executable, RunResult } from '../../engine/engine.ts';
import { requestOfSave } from '../../engine/run-plan.ts';
import type { RunMethod } from '../schedule/scheduled-run.ts';

/** Methods whose snapshots are runs of prefixes. */
export const PREFIX_METHODS: ReadonlySet<RunMethod> = new Set<RunMethod>([
  'stabilizer',
  'pauli_propagation',
]);

/**
 * Prepares a circuit with snapshots.
 *
 * @param prepareWhole - Prepares the circuit without them.
 * @param preparePrefix - Prepares the circuit up to one of them.
 */
export async function withPrefixRuns(
  circuit: DynamicCircuit,
  prepareWhole: () => Promise<Executable>,
  preparePrefix: (circuit: DynamicCircuit) => Promise<Executable>,
): Promise<Executable> {
  const saves = savesOf(circuit);
  const whole = await prepareWhole();
  return {
    async run(request, signal) {
      const result = await whole.run(request, signal);
      const results: RunResult[] = [];
      for (const save of saves) {
        await using prefix = await preparePrefix(prefixOf(circuit, save));
        const asked = { shots: 0, seed: request.seed, ...requestOfSave(save.output) };
        results.push(await prefix.run(asked, signal));
      }
      const errors = [result, ...results].flatMap(({ truncationError = [] }) => truncationError);
      const saved = results.map(({ probabilities, expectations }) => ({
        ...(probabilities && { probabilities }),
        ...(expectations && { expectations }),
      }));
      return {
        ...result,
        ...(errors.length > 0 && { truncationError: Math.max(...errors) }),
        saved,
      };
    },
    [Symbol.asyncDispose]: () => whole[Symbol.asyncDispose](),
  };
}
