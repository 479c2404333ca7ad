/**
 * The conformance suite of engines. A new engine adds one short file that calls `describeEngine`
 * and states its accuracy.
 */
import { afterAll, beforeAll, describe } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { describeLifecycle } from './engine-lifecycle.ts';
import { describeLoops } from './engine-loops.ts';
import { describeMidCircuit } from './engine-mid-circuit.ts';
import { describeOutputs } from './engine-outputs.ts';
import { describeSampling } from './engine-sampling.ts';
import { describeUnitaries } from './engine-unitaries.ts';

/** The engine's name, and its accuracy. */
export interface EngineClaims {
  /** Largest error of an amplitude over some 20 gates: 1e-12 for f64, 1e-5 for f32. */
  readonly tolerance: number;
  /** Qubits it surely holds in a test; at least 12. */
  readonly maxQubits: number;
}

/** The engine that the suite tests; it is open once the first test runs. */
export interface EngineUnderTest extends EngineClaims {
  engine(): Engine;
}

/** Describes an engine by the whole suite. */
export function describeEngine(
  name: string,
  open: () => Engine | Promise<Engine>,
  claims: EngineClaims,
): void {
  describe(`engine ${name}`, () => {
    let opened: Engine | undefined;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened?.close();
    });
    const engine = (): Engine => {
      if (opened === undefined) throw new Error('The engine is not open yet.');
      return opened;
    };
    const underTest: EngineUnderTest = { ...claims, engine };
    describeUnitaries(underTest);
    describeOutputs(underTest);
    describeSampling(underTest);
    describeMidCircuit(underTest);
    describeLoops(underTest);
    describeLifecycle(underTest);
  });
}
