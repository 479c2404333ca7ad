/** Estimates by methods that run each snapshot of a circuit as a circuit of its own. */
import { type DynamicCircuit, numOperationsOf, savesOf } from '../circuit/circuit.ts';
import { StepsSpentError } from '../circuit/circuit-limits.ts';
import { prefixOf, withoutSaves } from '../circuit/prefixes.ts';
import type { MethodCandidate, MethodQuestion, Refusal } from './method-limits.ts';
import type { ProcessorSpec } from './processor.ts';
import { circuitWork } from './schedule/scheduled-run.ts';

type Estimate<More extends readonly unknown[]> = (
  question: MethodQuestion,
  spec: ProcessorSpec,
  ...more: More
) => MethodCandidate | Refusal;

/** Operations of all circuits together that are read without turns for others, and at all. */
const MAX_QUICK_OPERATIONS = 20_000;
const MAX_OPERATIONS = 5_000_000;

/**
 * The estimate of a circuit with its snapshots: the method must take the circuit up to each of them, and takes the time
 * of all.
 *
 * @throws {StepsSpentError} if the estimate takes long, and must not.
 */
export function withPrefixes<More extends readonly unknown[]>(
  method: string,
  estimate: Estimate<More>,
): Estimate<More> {
  return (question, spec, ...more) => {
    const { circuit, typicalPoint, mayTakeLong = true } = question;
    const saves = savesOf(circuit);
    if (saves.length === 0) return estimate(question, spec, ...more);
    const numOperations = (saves.length + 1) * numOperationsOf(circuit);
    if (!mayTakeLong && numOperations > MAX_QUICK_OPERATIONS) throw new StepsSpentError();
    if (numOperations > MAX_OPERATIONS) {
      const why = `${method} runs the circuit up to each snapshot, ${numOperations} operations in all, and the limit is ${MAX_OPERATIONS}`;
      return { why, isLimit: true };
    }
    const atPoint = typicalPoint?.();
    const asked = (part: (whole: DynamicCircuit) => DynamicCircuit): MethodQuestion => {
      const own = part(circuit);
      const typical = atPoint === undefined ? {} : { typicalPoint: () => part(atPoint) };
      return { ...question, circuit: own, work: circuitWork(own), ...typical };
    };
    const whole = estimate(asked(withoutSaves), spec, ...more);
    if ('why' in whole) return whole;
    let { bytes, ms } = whole.figures;
    for (const [i, { output, label }] of saves.entries()) {
      const ofPrefix = asked((each) => prefixOf(each, savesOf(each)[i]!));
      const part = estimate({ ...ofPrefix, outputs: [output.what] }, spec, ...more);
      if ('why' in part) return { ...part, why: `${part.why}, for the snapshot "${label}"` };
      if (part.method !== whole.method) throw new Error('unreachable: a prefix by another method');
      bytes = Math.max(bytes, part.figures.bytes);
      ms += part.figures.ms;
    }
    return { ...whole, figures: { ...whole.figures, bytes, ms } };
  };
}
