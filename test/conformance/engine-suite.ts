/**
 * The conformance suite of engines. A new engine adds one short file that calls `describeEngine`
 * and states its accuracy.
 */
import { afterAll, beforeAll, describe } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { describeGradients, describeLongGradients } from './engine-gradients.ts';
import { describeInitialMixtures, describeInitialStates } from './engine-initial-states.ts';
import { describeLifecycle } from './engine-lifecycle.ts';
import { describeLoops } from './engine-loops.ts';
import { describeMidCircuit } from './engine-mid-circuit.ts';
import { describeDensity, describeTrajectories } from './engine-noise.ts';
import { describeObservables } from './engine-observables.ts';
import { describeOutputs } from './engine-outputs.ts';
import { describeSampling } from './engine-sampling.ts';
import { describeSaves } from './engine-saves.ts';
import { describeShapes } from './engine-shapes.ts';
import { describeRegisters, describeUnitaries } from './engine-unitaries.ts';

/** The engine's name, and its accuracy. */
export interface EngineClaims {
  /** Largest error of an amplitude over some 20 gates: 1e-12 for f64, 1e-5 for f32. */
  readonly tolerance: number;
  /** Qubits it surely holds in a test; at least 12. */
  readonly maxQubits: number;
  /** Whether it has gradients. */
  readonly hasGradients?: boolean;
  /** Whether it has trajectories. */
  readonly hasTrajectories?: boolean;
  /**
   * Most shots of a test of noise in which nearly every shot takes a state of its own, for engines on which one takes long.
   * Tests of loops have up to ten times as many. Unlimited if absent.
   */
  readonly mostStates?: number;
  /** Most qubits of a channel that is no Pauli channel; any number if absent. */
  readonly widestChannel?: number;
  /** Whether it draws basis states in another order than that of their indices. */
  readonly hasOwnOrder?: boolean;
  /** Whether it has density matrices, of half as many qubits. */
  readonly hasDensityMatrices?: boolean;
}

/** The engine that the suite tests; it is open once the first test runs. */
export interface EngineUnderTest extends EngineClaims {
  engine(): Engine;
}

type Open = () => Engine | Promise<Engine>;

/** Holds an engine to the whole suite. */
export function describeEngine(name: string, open: Open, claims: EngineClaims): void {
  describeParts(`engine ${name}`, open, claims, [
    describeUnitaries,
    describeRegisters,
    describeOutputs,
    describeObservables,
    describeSampling,
    describeMidCircuit,
    describeLoops,
    describeSaves,
    describeInitialStates,
    describeShapes,
    ...(claims.hasGradients === true ? [describeGradients, describeLongGradients] : []),
    ...(claims.hasTrajectories === true ? [describeTrajectories] : []),
    ...(claims.hasDensityMatrices === true ? [describeDensity, describeInitialMixtures] : []),
    describeLifecycle,
  ]);
}

/**
 * Holds an engine to the parts of the suite that depend on its sizes and threads. For a configuration
 * whose kernels are those of one that passes the whole suite.
 */
export function describeConfiguration(name: string, open: Open, claims: EngineClaims): void {
  describeParts(`engine ${name}, in short`, open, claims, [
    describeRegisters,
    describeOutputs,
    describeObservables,
    describeSampling,
    describeSaves,
    describeInitialStates,
    ...(claims.hasGradients === true ? [describeGradients] : []),
    describeLifecycle,
  ]);
}

/** Holds an engine to some parts of the suite. */
export function describeParts(
  name: string,
  open: Open,
  claims: EngineClaims,
  parts: readonly ((underTest: EngineUnderTest) => void)[],
): void {
  describe(name, () => {
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
    for (const describePart of parts) describePart({ ...claims, engine });
  });
}
