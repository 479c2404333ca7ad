/**
 * `qvm`: takes any circuit, with noise or without, by the cheapest method that is exact for what is asked of it. Whoever
 * checks circuits for the processor chooses the method (`choose-method.ts`), so that callers hear of it before the run.
 */
import type { ProcessorSpec } from './processor.ts';
import { SimulatedProcessor } from './simulated-processor.ts';

/** Identity and limits of `qvm` on a simulator. */
export function qvmSpec(simulator: ProcessorSpec): ProcessorSpec {
  return { ...simulator, id: 'qvm', name: 'Quantum virtual machine', family: 'qvm' };
}

/** The processor of all methods, on the CPU's engines in double precision. */
export class Qvm extends SimulatedProcessor {
  override get spec(): ProcessorSpec {
    return qvmSpec(this.simulatorSpec);
  }
}
