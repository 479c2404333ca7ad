import { describe, expect, test } from 'vitest';
import type {
  Circuit,
  MeasureOperation,
  Operation,
  ResetOperation,
} from '../../../src/circuit/circuit.ts';
import { compile } from '../../../src/compiler/compile.ts';
import type { TargetProfile } from '../../../src/compiler/program.ts';
import { profile, TINY_TILE } from '../../support/profiles.ts';
import { gate, randomUnitary } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';

const NUM_QUBITS = 6;

function programOf(operations: readonly Operation[], target: TargetProfile = profile()) {
  const circuit: Circuit = { numQubits: NUM_QUBITS, numBits: 4, operations };
  return compile(circuit, target, { optimize: false }).program;
}

const residents = (operations: readonly Operation[], target: TargetProfile) =>
  programOf(operations, target).steps.map((step) =>
    step.kind === 'sweep' ? step.resident : step.kind,
  );

const measure = (qubits: readonly number[], bits: readonly number[]): MeasureOperation => ({
  kind: 'measure',
  qubits,
  bits,
});

describe('sweeps', () => {
  test('take kernels in order until the tile is full', () => {
    const operations = [5, 4, 0, 3, 5, 4].map((qubit) => gate('H', [qubit]));
    expect(residents(operations, TINY_TILE)).toEqual([
      [0, 4, 5],
      [0, 3, 5],
      [0, 4],
    ]);
  });

  test('always hold the lowest contiguous qubits, ascending', () => {
    const target = profile({ tileQubits: 4, contiguousQubits: 2, maxDenseQubits: 2 });
    expect(residents([gate('H', [5]), gate('H', [3])], target)).toEqual([[0, 1, 3, 5]]);
  });

  test('hold no more qubits than the circuit has', () => {
    const circuit: Circuit = { numQubits: 1, numBits: 0, operations: [gate('H', [0])] };
    const target = profile({ tileQubits: 8, contiguousQubits: 4, maxDenseQubits: 4 });
    expect(compile(circuit, target, { optimize: false }).program.steps).toMatchObject([
      { resident: [0] },
    ]);
  });

  test('take controls and diagonals anywhere', () => {
    const operations = [
      gate('CX', [1], [5]),
      gate('RZZ', [4, 5], [], [0.3]),
      gate('CCX', [2], [3, 4]),
    ];
    expect(residents(operations, TINY_TILE)).toEqual([[0, 1, 2]]);
  });

  test('hold one conditioned operation each', () => {
    const condition = { bits: [0], value: 1 };
    const steps = programOf([
      measure([0], [0]),
      gate('H', [1]),
      { ...gate('X', [1]), condition },
      { ...gate('Z', [1]), condition },
      gate('H', [1]),
    ]).steps;
    expect(steps.map((step) => [step.kind, step.condition])).toEqual([
      ['measure', undefined],
      ['sweep', undefined],
      ['sweep', condition],
      ['sweep', condition],
      ['sweep', undefined],
    ]);
  });
});

describe('measurements', () => {
  test('move to the end as one where nothing depends on them', () => {
    const steps = programOf([
      gate('H', [0]),
      measure([0], [2]),
      gate('H', [1]),
      measure([1], [0]),
    ]).steps;
    expect(steps.map((step) => step.kind)).toEqual(['sweep', 'measure']);
    expect(steps[1]).toMatchObject({ qubits: [0, 1], bits: [2, 0] });
  });

  test('keep the last write to a bit', () => {
    const { steps } = programOf([measure([0, 1], [0, 1]), measure([2], [0])]);
    expect(steps).toEqual([{ kind: 'measure', qubits: [2, 1], bits: [0, 1] }]);
  });

  test('stay where they are when a gate follows on a measured qubit', () => {
    const { steps } = programOf([measure([0], [0]), gate('H', [0]), measure([0], [1])]);
    expect(steps.map((step) => step.kind)).toEqual(['measure', 'sweep', 'measure']);
  });

  test('of no qubits give no step', () => {
    expect(programOf([measure([], []), { kind: 'reset', qubits: [] }]).steps).toEqual([]);
  });

  test('and resets keep their conditions', () => {
    const condition = { bits: [0], value: 0 };
    const reset: ResetOperation = { kind: 'reset', qubits: [1], condition };
    const { steps } = programOf([measure([0], [0]), reset, { ...measure([1], [1]), condition }]);
    expect(steps.slice(1)).toEqual([reset, { ...measure([1], [1]), condition }]);
  });
});

describe('SWAPs', () => {
  test('relabel all that comes after, and the layout says where each qubit went', () => {
    const program = programOf([
      gate('SWAP', [0, 2]),
      gate('SWAP', [2, 1]),
      gate('H', [1]),
      { kind: 'reset', qubits: [0] },
      gate('CX', [2], [0]),
      measure([1], [0]),
    ]);
    expect(program.finalLayout).toEqual([2, 0, 1, 3, 4, 5]);
    expect(program.steps).toMatchObject([
      { kernels: [{ targets: [0], controls: [] }] },
      { kind: 'reset', qubits: [2] },
      { kernels: [{ targets: [1], controls: [2] }] },
      { kind: 'measure', qubits: [0] },
    ]);
  });

  test('stay kernels under a control or a condition', () => {
    const condition = { bits: [0], value: 0 };
    const program = programOf([gate('SWAP', [0, 2], [1]), { ...gate('SWAP', [0, 2]), condition }]);
    expect(program.finalLayout).toEqual([0, 1, 2, 3, 4, 5]);
    expect(program.steps).toHaveLength(2);
  });
});

describe('limits', () => {
  const wide = (numTargets: number): Operation => ({
    kind: 'unitary',
    targets: [0, 1, 2, 3, 4].slice(0, numTargets),
    controls: [],
    matrix: randomUnitary(new RandomStream(1), numTargets),
  });

  test('a dense matrix wider than the target takes is refused, with the limit named', () => {
    const compileWide = () => programOf([gate('H', [0]), wide(3)], TINY_TILE);
    expect(compileWide).toThrow(expect.objectContaining({ code: 'COMPILER_KERNEL_TOO_WIDE' }));
    expect(compileWide).toThrow(/Operation 1 .* 3 targets .* at most 2/);
  });

  test('controls and diagonals are not counted against it', () => {
    const operations = [gate('X', [0], [1, 2, 3, 4, 5]), gate('RZZ', [4, 5], [1], [0.2])];
    expect(() => programOf(operations, { ...TINY_TILE, maxDenseQubits: 1 })).not.toThrow();
  });

  test('a profile whose tile cannot hold its widest kernel is a bug', () => {
    const target = profile({ tileQubits: 3, contiguousQubits: 2, maxDenseQubits: 2 });
    expect(() => programOf([], target)).toThrow(/unreachable/);
  });
});
