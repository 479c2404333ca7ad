import { describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../src/circuit/circuit.ts';
import { compile } from '../../../src/compiler/compile.ts';
import { PIPELINE } from '../../../src/compiler/passes/pipeline.ts';
import { barrier, measure } from '../../support/pass-runs.ts';
import { profile } from '../../support/profiles.ts';
import { gate, randomUnitary } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';

const circuitOf = (operations: readonly Operation[]): Circuit => ({
  numQubits: 3,
  numBits: 3,
  operations,
});

const BELL_AND_MORE = circuitOf([
  gate('H', [0]),
  gate('CX', [1], [0]),
  gate('T', [1]),
  gate('TDG', [1]),
  gate('H', [2]),
  barrier([0, 1, 2]),
  measure([0, 1], [0, 1]),
]);

describe('compile', () => {
  test('does not rewrite the circuit with optimize false', () => {
    const { circuit, report } = compile(BELL_AND_MORE, profile(), { optimize: false });
    expect(circuit).toBe(BELL_AND_MORE);
    expect(report).toMatchObject({ gatesBefore: 5, gatesAfter: 5, passes: [] });
  });

  test('keeps the state unless keepState is false', () => {
    const { circuit: whole } = compile(BELL_AND_MORE, profile());
    const { circuit: counted } = compile(BELL_AND_MORE, profile(), { keepState: false });
    const namesOf = ({ operations }: Circuit) =>
      operations.map((each) => (each.kind === 'gate' ? each.gate : each.kind));
    expect(namesOf(whole)).toEqual(['H', 'CX', 'H', 'barrier', 'measure']);
    expect(namesOf(counted)).toEqual(['H', 'CX', 'barrier', 'measure']);
  });

  test('reports what each pass saved, barriers not counted', () => {
    const { report } = compile(BELL_AND_MORE, profile(), { keepState: false });
    expect(report).toMatchObject({
      gatesBefore: 5,
      gatesAfter: 2,
      depthBefore: 5,
      depthAfter: 3,
      twoQubitGates: { before: 1, after: 1 },
    });
    expect(report.passes.map(({ name }) => name)).toEqual(PIPELINE.map(({ name }) => name));
    const saved = report.passes.map((pass) => pass.operationsBefore - pass.operationsAfter);
    expect(saved).toEqual([0, 0, 3, 0, 0, 0]);
    expect(report.passes[0]?.operationsBefore).toBe(6);
  });

  test.each<[string, readonly Operation[]]>([
    ['brings together what cancels', [gate('CX', [1], [0]), gate('T', [1]), gate('CX', [1], [0])]],
    ['finds what cancelling leaves', [gate('T', [0]), gate('SX', [0]), gate('SXDG', [0])]],
  ])('dropping what cannot be seen %s', (_, redundant) => {
    const hadamards = [gate('H', [0]), gate('H', [1])];
    const measurement = measure([0, 1], [0, 1]);
    const circuit = circuitOf([...hadamards, ...redundant, measurement]);
    const { operations } = compile(circuit, profile(), { keepState: false }).circuit;
    expect(operations).toEqual([...hadamards, measurement]);
  });

  test('names an operation that is too wide by its index in the caller’s circuit', () => {
    const matrix = randomUnitary(new RandomStream(5), 3);
    const wide: Operation = { kind: 'unitary', controls: [], targets: [0, 1, 2], matrix };
    const circuit = circuitOf([gate('X', [0]), gate('X', [0]), gate('H', [1]), wide]);
    const target = profile({ maxDenseQubits: 2 });
    expect(() => compile(circuit, target)).toThrow(
      expect.objectContaining({
        code: 'COMPILER_KERNEL_TOO_WIDE',
        message: expect.stringContaining('Operation 3 '),
      }),
    );
  });

  test('gives equal programs for circuits that optimize to the same', () => {
    const roundabout = circuitOf([gate('H', [0]), gate('S', [0]), gate('S', [0])]);
    const straight = circuitOf([gate('H', [0]), gate('Z', [0])]);
    const hashOf = (circuit: Circuit) => compile(circuit, profile()).program.hash;
    expect(hashOf(roundabout)).toBe(hashOf(straight));
  });
});
