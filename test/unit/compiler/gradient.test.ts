/** What a gradient is compiled to; the conformance suite holds its values to the truth. */
import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../src/circuit/circuit.ts';
import { compileGradient } from '../../../src/compiler/gradient/compile-gradient.ts';
import type { GradientProgram, ProbeKernel } from '../../../src/compiler/program.ts';
import { anglesOf } from '../../../src/compiler/shape.ts';
import { cpuTarget } from '../../../src/engine/cpu/hosted-engine.ts';
import { gate, randomUnitary } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';

const TARGET = cpuTarget('f64', 26);

function gradientOf(
  numQubits: number,
  operations: readonly Operation[],
  wanted?: Uint8Array,
): GradientProgram {
  const circuit = { numQubits, numBits: 0, operations };
  const angles = anglesOf(circuit);
  const slots = Int32Array.from(angles, (_, i) => i);
  const kinds = wanted === undefined ? { slots } : { slots, wanted };
  return compileGradient(circuit, kinds, TARGET).bind(angles);
}

function kernelsOf({ backward }: GradientProgram) {
  return backward.steps.flatMap((step) => (step.kind === 'sweep' ? step.kernels : []));
}

const probesOf = (program: GradientProgram): readonly ProbeKernel[] =>
  kernelsOf(program).filter((kernel) => kernel.kind === 'probe');

describe('a gradient', () => {
  test('has one sum for each rotation about an axis', () => {
    const { numSums } = gradientOf(2, [gate('RY', [0], [], [0.3]), gate('RX', [1], [], [0.4])]);
    // The real and the imaginary part of one product each, of which one part is read.
    expect(numSums).toBe(4);
    const rotations = ['RY', 'RX'].map((name) => gradientOf(1, [gate(name, [0], [], [0.3])]));
    for (const program of rotations) {
      const [probe] = probesOf(program);
      expect(probe?.sums.flips).toEqual([{ row: 0, column: 1, parts: 're' }]);
    }
  });

  test('probes the rotations of one pair at once', () => {
    const names = ['RXX', 'RYY', 'RZZ'];
    const program = gradientOf(2, [
      gate('H', [0]),
      gate('H', [1]),
      ...names.map((name, i) => gate(name, [0, 1], [], [0.3 + i])),
    ]);
    const probes = probesOf(program);
    expect(probes.flatMap(({ sums }) => sums.flips)).toHaveLength(2);
    expect(probes.flatMap(({ sums }) => sums.signs)).toEqual([3]);
  });

  test('asks for diagonal sums where gates are diagonal, whatever is resident', () => {
    const edges = Array.from({ length: 19 }, (_, q) => gate('RZZ', [q, q + 1], [], [0.1 + q]));
    const tilts = Array.from({ length: 20 }, (_, q) => gate('H', [q]));
    const program = gradientOf(20, [...tilts, ...edges]);
    expect(probesOf(program)).toHaveLength(19);
    expect(probesOf(program).every(({ sums }) => sums.flips.length === 0)).toBe(true);
    // All in one sweep, although a tile has 13 qubits beside the ancilla.
    const sweeps = program.backward.steps.filter(
      (step) => step.kind === 'sweep' && step.kernels.some(({ kind }) => kind === 'probe'),
    );
    expect(sweeps).toHaveLength(1);
  });

  test('probes a gate with controls where they are 1', () => {
    const [probe] = probesOf(gradientOf(3, [gate('H', [2]), gate('CRY', [0], [2], [0.3])]));
    expect(probe?.controls).toHaveLength(1);
    expect(probe?.targets).toHaveLength(1);
  });

  test('goes back no further than the first gate that is differentiated', () => {
    const stream = new RandomStream(1);
    const blocks = Array.from({ length: 5 }, (): Operation => {
      return { kind: 'unitary', controls: [], targets: [0, 1], matrix: randomUnitary(stream, 2) };
    });
    const late = gradientOf(2, [...blocks, gate('RY', [0], [], [0.3])]);
    const early = gradientOf(2, [gate('RY', [0], [], [0.3]), ...blocks]);
    expect(kernelsOf(late).length).toBeLessThan(kernelsOf(early).length);
    expect(late.returned).not.toContain(late.backward.finalLayout[0]);
    expect(early.returned).toContain(early.backward.finalLayout[0]);
  });

  test('takes long runs of gates on one qubit apart', () => {
    const turns = Array.from({ length: 400 }, (_, i) =>
      gate(i % 2 === 0 ? 'RX' : 'RZ', [0], [], [0.1 + i]),
    );
    const started = performance.now();
    const program = gradientOf(1, turns);
    // What is tried for one run of 400 members would take minutes.
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(program.numSums).toBeGreaterThan(20);
    expect(program.numParameters).toBe(400);
  });

  test('leaves out what is not wanted', () => {
    const operations = [gate('RY', [0], [], [0.3]), gate('RY', [0], [], [0.4]), gate('H', [0])];
    const { contraction } = gradientOf(1, operations, Uint8Array.of(0, 1));
    expect(new Set(contraction.parameters)).toEqual(new Set([1]));
  });

  test('is probed between sweeps where the target asks for it, once for each layer', () => {
    const numLayers = 3;
    const operations = Array.from({ length: numLayers }, (_, layer) => [
      ...Array.from({ length: 16 }, (_, q) => gate('RY', [q], [], [0.1 + q + 16 * layer])),
      ...Array.from({ length: 8 }, (_, i) => gate('CX', [2 * i], [2 * i + 1])),
    ]).flat();
    const circuit = { numQubits: 16, numBits: 0, operations };
    const angles = anglesOf(circuit);
    const slots = Int32Array.from(angles, (_, i) => i);
    const target = { ...TARGET, probesBetweenSweeps: true };
    const { backward } = compileGradient(circuit, { slots }, target).bind(angles);
    expect(backward.numQubits).toBe(16);
    const probings = backward.steps.filter((step) => step.kind === 'probing');
    expect(probings).toHaveLength(numLayers);
    const probes = probings.flatMap((step) => step.probes);
    expect(probes).toHaveLength(angles.length);
    expect(probes.every(({ ancilla }) => ancilla === undefined)).toBe(true);
    const inSweeps = backward.steps.flatMap((step) => (step.kind === 'sweep' ? step.kernels : []));
    expect(inSweeps.some(({ kind }) => kind === 'probe')).toBe(false);
  });

  test('keeps the ancilla where it is, above all others', () => {
    const operations = Array.from({ length: 60 }, (_, i) =>
      gate('CRX', [(7 * i) % 20], [(7 * i + 3) % 20], [0.1 + i]),
    );
    const tilts = Array.from({ length: 20 }, (_, q) => gate('H', [q]));
    const { forward, backward } = gradientOf(20, [...tilts, ...operations]);
    expect(backward.numQubits).toBe(21);
    expect(backward.finalLayout[20]).toBe(20);
    const [first] = backward.steps;
    // The first sweep finds its lowest qubits where the forward program left them.
    expect(forward.finalLayout).toHaveLength(20);
    expect(first?.kind === 'sweep' && first.resident.slice(0, 5)).toEqual([0, 1, 2, 3, 4]);
  });
});
