import { describe, expect, test } from 'vitest';
import { randomGates } from '../../../bench/circuits.ts';
import { commonCircuit, FAMILIES } from '../../../bench/webgpu-circuits.ts';
import { runOn, runProgramOn, worstDifference } from '../../../bench/webgpu-facts.ts';
import { gateByGateProgram, repeatedHadamards } from '../../../bench/webgpu-gate-by-gate.ts';
import type { TargetProfile } from '../../../src/compiler/program.ts';
import { openReferenceEngine } from '../../../src/engine/reference/reference-engine.ts';

const NUM_QUBITS = 9;
const engine = openReferenceEngine({ maxQubits: NUM_QUBITS });
const target: TargetProfile = { ...engine.target, tileQubits: 8, contiguousQubits: 4 };
const random = randomGates(NUM_QUBITS, 120);
const circuits = [
  ...FAMILIES.map((family) => [family, commonCircuit(family, NUM_QUBITS)] as const),
  ['random', random] as const,
];

describe('a program gate by gate', () => {
  test.each(circuits)('holds the state of %s', async (_, circuit) => {
    const { statevector } = await runProgramOn(engine, gateByGateProgram(circuit, target), {
      statevector: true,
    });
    const expected = await runOn(engine, circuit, { statevector: true }, { optimize: false });
    expect(worstDifference(statevector ?? [], expected.statevector ?? [])).toBeLessThan(1e-12);
  });

  test.each(circuits)('holds the state of %s where qubits lie in chunks', async (_, circuit) => {
    const chunked = { ...target, chunkQubits: 6, tileChunkQubits: 1 };
    const program = gateByGateProgram(circuit, chunked);
    const { statevector } = await runProgramOn(engine, program, { statevector: true });
    const expected = await runOn(engine, circuit, { statevector: true }, { optimize: false });
    expect(worstDifference(statevector ?? [], expected.statevector ?? [])).toBeLessThan(1e-12);
    const reached = program.steps.flatMap((step) => (step.kind === 'sweep' ? step.resident : []));
    expect(Math.max(...reached)).toBeLessThan(7);
  });

  test('has a sweep with one kernel for each operation', () => {
    const { steps } = gateByGateProgram(random, target);
    expect(steps).toHaveLength(random.operations.length);
    expect(steps.every((step) => step.kind === 'sweep' && step.kernels.length === 1)).toBe(true);
  });

  test('refuses a measurement', () => {
    const measured = {
      numQubits: 1,
      numBits: 1,
      operations: [{ kind: 'measure', qubits: [0], bits: [0] }],
    } as const;
    expect(() => gateByGateProgram(measured, target)).toThrow('not a measure');
  });

  test('repeats an H as many times as asked, a sweep each, once all qubits were in a tile', async () => {
    const program = repeatedHadamards(target, 5, 4, 3);
    const sweeps = program.steps.filter((step) => step.kind === 'sweep');
    expect(sweeps.filter(({ kernels }) => kernels.length > 0)).toHaveLength(3);
    const before = sweeps.slice(0, -3);
    expect(new Set(before.flatMap(({ resident }) => resident))).toEqual(new Set([0, 1, 2, 3, 4]));
    const observables = [[{ coefficient: 1, factors: [{ pauli: 'X', qubit: 4 }] }]] as const;
    const { expectations } = await runProgramOn(engine, program, { observables });
    expect(expectations?.[0]).toBeCloseTo(1, 12);
  });
});
