/** Circuits whose qubits may be lost, lowered and run by each method, against the oracle of loss. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DynamicCircuit } from '../../src/circuit/circuit.ts';
import type { LossRule } from '../../src/circuit/loss/loss-rule.ts';
import { lowerLoss } from '../../src/circuit/loss/lower-loss.ts';
import { compileStabilizer } from '../../src/compiler/clifford/compile-stabilizer.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import type { Engine, RunResult } from '../../src/engine/engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { countsByLabel, NEVER } from '../support/engine-runs.ts';
import { exactLossRun, labelWithLoss } from '../support/loss-oracle.ts';
import { randomLossyCircuit, randomRules } from '../support/lossy-circuits.ts';
import { exactRun } from '../support/noise-oracle.ts';
import { runDensity, runTrajectories } from '../support/noise-runs.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds } from '../support/seeds.ts';

const SHOTS = 2000;

async function runStabilizer(engine: Engine, circuit: DynamicCircuit): Promise<RunResult> {
  const program = compileStabilizer(circuit);
  if ('kind' in program) throw new Error(`No stabilizers: ${program.operation}`);
  await using executable = await engine.prepare.stabilizer!(program);
  return await executable.run({ shots: SHOTS, seed: 1 }, NEVER);
}

const METHODS: Readonly<
  Record<string, (engine: Engine, circuit: DynamicCircuit) => Promise<RunResult>>
> = {
  trajectories: (engine, circuit) => runTrajectories(engine, circuit, { shots: SHOTS }),
  'density matrices': (engine, circuit) => runDensity(engine, circuit, { shots: SHOTS }),
  stabilizers: runStabilizer,
};

/** A random circuit, its rules, and the same lowered, for outcomes alone or for states, too. */
function randomCase(seed: number) {
  const stream = new RandomStream(seed);
  const circuit = randomLossyCircuit(stream);
  const rules: readonly LossRule[] = seed % 3 === 0 ? [] : randomRules(stream);
  const lowered = lowerLoss(circuit, { rules, readsState: seed % 2 === 0 });
  return { exact: exactLossRun(circuit, rules), lowered };
}

function withLoss<T extends number>(
  outcomes: ReadonlyMap<string, T>,
  { lossMarks = [] }: DynamicCircuit,
): ReadonlyMap<string, T> {
  return new Map(
    [...outcomes].map(([label, value]) => [labelWithLoss(label, lossMarks), value] as const),
  );
}

test.each(seeds(40))(
  'the lowered circuit has the outcomes of the one with loss (seed %i)',
  (seed) => {
    const { exact, lowered } = randomCase(seed);
    const found = withLoss(exactRun(lowered).outcomes, lowered);
    for (const label of new Set([...exact.keys(), ...found.keys()])) {
      expect(Math.abs((exact.get(label) ?? 0) - (found.get(label) ?? 0))).toBeLessThan(1e-12);
    }
  },
);

let engine: Engine;
beforeAll(() => {
  engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 20 });
});
afterAll(() => engine.close());

describe.each(Object.entries(METHODS))('by %s', (_, run) => {
  test.each(seeds(12))('shots have the exact distribution (seed %i)', async (seed) => {
    const { exact, lowered } = randomCase(seed);
    const { counts } = await run(engine, lowered);
    const { statistic, bound } = chiSquared(withLoss(countsByLabel(counts), lowered), exact);
    expect(statistic).toBeLessThan(bound);
  });
});

describe.each([
  ['known conditions', 'pattern'],
  ['css', 'zero'],
] as const)('Pauli frames of circuits of the kind %s', (kind, reference) => {
  test.each(seeds(20))('have the exact distribution on both kernels (seed %i)', async (seed) => {
    const stream = new RandomStream(seed);
    const circuit = randomLossyCircuit(stream, kind);
    const all = seed % 3 === 0 ? [] : randomRules(stream);
    const rules = all.filter(
      ({ rule }) => rule !== 'exchange' && !(kind === 'css' && rule === 'residual_s_dagger'),
    );
    const lowered = lowerLoss(circuit, { rules, readsState: false });
    // Where no gate follows a loss, the reference is shared.
    expect([reference, 'shared']).toContain(referenceOf(lowered));
    const { counts } = await runStabilizer(engine, lowered);
    const exact = exactLossRun(circuit, rules);
    const { statistic, bound } = chiSquared(withLoss(countsByLabel(counts), lowered), exact);
    expect(statistic).toBeLessThan(bound);
    expect((await runStabilizer(plainEngine, lowered)).counts).toEqual(counts);
  });

  test('are what many of them have', () => {
    const references = seeds(20).map((seed) =>
      referenceOf(lowerLoss(randomLossyCircuit(new RandomStream(seed), kind), NO_RULES)),
    );
    const numExpected = references.filter((found) => found === reference).length;
    expect(numExpected).toBeGreaterThan(references.length / 3);
  });
});

const plainEngine = openReferenceEngine({ maxQubits: 20 });
const NO_RULES = { rules: [], readsState: false };

function referenceOf(circuit: DynamicCircuit): string {
  const program = compileStabilizer(circuit);
  return 'kind' in program ? program.kind : program.reference;
}
