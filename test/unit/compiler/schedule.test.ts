import { describe, expect, test } from 'vitest';
import type {
  Circuit,
  MeasureOperation,
  Operation,
  ResetOperation,
} from '../../../src/circuit/circuit.ts';
import { compile } from '../../../src/compiler/compile.ts';
import type { TargetProfile } from '../../../src/compiler/program.ts';
import { openReferenceEngine } from '../../../src/engine/reference/reference-engine.ts';
import { runProgram, worstAmplitude } from '../../support/engine-runs.ts';
import { NEVER_FUSES, profile, TINY_TILE } from '../../support/profiles.ts';
import { breaches } from '../../support/program-promises.ts';
import { gate, randomUnitary } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { finalAmplitudes } from '../../support/state-oracle.ts';

const NUM_QUBITS = 6;

function programOf(operations: readonly Operation[], target: TargetProfile = profile()) {
  const circuit: Circuit = { numQubits: NUM_QUBITS, numBits: 4, operations };
  return compile(circuit, { ...target, costs: NEVER_FUSES }, { optimize: false }).program;
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

/** H on each qubit. */
const tilts = (...qubits: readonly number[]) => qubits.map((qubit) => gate('H', [qubit]));

describe('sweeps', () => {
  test('reorder commuting kernels, and group those of each qubit', () => {
    const operations = tilts(5, 4, 0, 3, 5, 4);
    const sweeps = programOf(operations, profile({ tileQubits: 3, maxDenseQubits: 2 })).steps;
    expect(sweeps.map((step) => step.kind === 'sweep' && step.kernels.length)).toEqual([5, 1]);
  });

  test('put the qubits that are needed first in the lowest places, which |0…0⟩ allows', () => {
    const target = profile({ tileQubits: 4, contiguousQubits: 2, maxDenseQubits: 2 });
    expect(residents(tilts(5, 4, 3, 2), target)).toEqual([[0, 1, 2, 3]]);
  });

  test('hold the whole state where a tile can, each qubit in its own place', () => {
    const target = profile({ tileQubits: 8, contiguousQubits: 4, maxDenseQubits: 4 });
    const program = programOf([gate('H', [5])], target);
    expect(program.steps).toMatchObject([{ resident: [0, 1, 2, 3, 4, 5] }]);
    expect(program.finalLayout).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('take controls and diagonals anywhere', () => {
    const operations = [
      gate('CX', [1], [5]),
      gate('RZZ', [4, 5], [], [0.3]),
      gate('CCX', [2], [3, 4]),
    ];
    expect(residents(operations, TINY_TILE)).toHaveLength(1);
  });

  test('schedule past a kernel that must wait', () => {
    // In program order the H on 5 parts two pairs that fit together.
    const operations = [...tilts(0, 1), gate('H', [5]), gate('CX', [0], [1]), gate('CX', [1], [0])];
    const target = profile({ tileQubits: 2, maxDenseQubits: 2 });
    expect(residents(operations, target)).toHaveLength(2);
  });

  test('never pass a barrier', () => {
    const target = profile({ tileQubits: 2, maxDenseQubits: 2 });
    const numKernels = (operations: readonly Operation[]) =>
      programOf(operations, target).steps.map(
        (step) => step.kind === 'sweep' && step.kernels.length,
      );
    expect(numKernels([...tilts(0, 1, 2), ...chain(1, 0)])).toEqual([4, 1]);
    const barrier: Operation = { kind: 'barrier', qubits: [0, 1, 2] };
    expect(numKernels([...tilts(0, 1, 2), barrier, ...chain(1, 0)])).toEqual([2, 3]);
  });
});

describe('stores', () => {
  const target = profile({ tileQubits: 4, contiguousQubits: 2, maxDenseQubits: 2 });

  test('give the lowest places to qubits of the next sweep, and nothing else moves', () => {
    // Each round needs its four qubits in one tile, and shares two with the round before.
    const barrier: Operation = { kind: 'barrier', qubits: [0, 1, 2, 3, 4, 5, 6, 7] };
    const operations = [0, 2, 4].flatMap((q) => [
      gate('ISWAP', [q, q + 2]),
      gate('ISWAP', [q + 1, q + 3]),
      barrier,
    ]);
    const circuit: Circuit = { numQubits: 8, numBits: 0, operations };
    const { program } = compile(circuit, { ...target, costs: NEVER_FUSES }, { optimize: false });
    expect(program.steps).toHaveLength(3);
    for (const step of program.steps) {
      if (step.kind !== 'sweep') continue;
      expect(step.resident).toEqual(expect.arrayContaining([0, 1]));
      if (step.store === undefined) continue;
      expect([...step.store].sort((a, b) => a - b)).toEqual(step.resident);
    }
    expect(program.steps.some((step) => step.kind === 'sweep' && step.store)).toBe(true);
  });

  test('keep a sweep whose kernels all cancel', async () => {
    const barrier: Operation = { kind: 'barrier', qubits: [0, 1, 2, 3, 4, 5, 6, 7] };
    const swap = (a: number, b: number) => gate('ISWAP', [a, b]);
    const fourTimes = (a: number, b: number) => [0, 1, 2, 3].map(() => swap(a, b));
    const rounds = [
      [...tilts(0, 1, 2, 3), swap(0, 2), swap(1, 3), barrier],
      [...fourTimes(2, 4), ...fourTimes(3, 5), barrier],
      [swap(4, 6), swap(5, 7)],
    ];
    const circuit: Circuit = { numQubits: 8, numBits: 0, operations: rounds.flat() };
    const { program } = compile(circuit, target, { optimize: false });
    expect(breaches(program, target)).toEqual([]);
    expect(program.steps[1]).toMatchObject({ kernels: [], store: expect.anything() });
    const engine = openReferenceEngine({ maxQubits: 8 });
    const { statevector } = await runProgram(engine, program, { statevector: true });
    expect(worstAmplitude(statevector!, finalAmplitudes(circuit))).toBeLessThan(1e-12);
  });

  test('are not made where the lowest qubits stay resident, nor after the last sweep', () => {
    const { steps } = programOf(tilts(0, 1, 2, 3, 4, 5), target);
    expect(steps).toHaveLength(2);
    expect(steps.some((step) => step.kind === 'sweep' && step.store)).toBe(false);
  });
});

/** CX from each qubit to the next, with H in between so that none commute. */
const chain = (...qubits: readonly number[]) =>
  qubits.slice(1).flatMap((qubit, i) => [gate('CX', [qubit], [qubits[i]!]), gate('H', [qubit])]);

describe('conditions', () => {
  const condition = { bits: [0], value: 1 };

  test('make a sweep of their own, one for all blocks under the same', () => {
    const steps = programOf([
      measure([0], [0]),
      { ...gate('X', [1]), condition },
      { ...gate('Z', [2]), condition },
      { ...gate('X', [2]), condition: { bits: [0], value: 0 } },
      gate('H', [1]),
    ]).steps;
    expect(steps.map((step) => [step.kind, step.condition?.value])).toEqual([
      ['measure', undefined],
      ['sweep', 1],
      ['sweep', 0],
      ['sweep', undefined],
    ]);
  });

  test('keep their order with the measurement that writes their bits', () => {
    const steps = programOf([
      measure([0], [0]),
      { ...gate('X', [1]), condition },
      measure([2], [0]),
      { ...gate('X', [1]), condition },
    ]).steps;
    expect(steps.map(({ kind }) => kind)).toEqual(['measure', 'sweep', 'measure', 'sweep']);
  });

  test('move nothing in memory', () => {
    const target = profile({ tileQubits: 3, contiguousQubits: 1, maxDenseQubits: 2 });
    const operations = [...tilts(0, 1, 2, 3, 4, 5), measure([0], [0])];
    const conditioned = tilts(1, 2, 3, 4, 5).map((tilt) => ({ ...tilt, condition }));
    const { steps } = programOf([...operations, ...conditioned, ...tilts(0, 5)], target);
    const underCondition = steps.filter((step) => step.condition !== undefined);
    expect(underCondition.length).toBeGreaterThan(1);
    expect(underCondition.some((step) => step.kind === 'sweep' && step.store)).toBe(false);
  });
});

describe('measurements', () => {
  test('join at the end if nothing depends on them', () => {
    const steps = programOf([
      gate('H', [0]),
      measure([0], [2]),
      gate('H', [1]),
      measure([1], [0]),
    ]).steps;
    expect(steps.map((step) => step.kind)).toEqual(['sweep', 'measure']);
    expect(steps[1]).toMatchObject({ qubits: [0, 1], bits: [2, 0] });
  });

  test('stay two where one overwrites a bit of the other', () => {
    const { steps } = programOf([measure([0, 1], [0, 1]), measure([2], [0])]);
    expect(steps).toEqual([
      { kind: 'measure', qubits: [0, 1], bits: [0, 1] },
      { kind: 'measure', qubits: [2], bits: [0] },
    ]);
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

describe('what goes before a measurement', () => {
  test('is everything that does not depend on it, because that is done once for all outcomes', () => {
    const condition = { bits: [0], value: 1 };
    const { steps } = programOf([
      measure([0], [0]),
      gate('H', [1]),
      { ...gate('X', [1]), condition },
      gate('H', [2]),
      measure([1], [1]),
      gate('H', [1]),
    ]);
    expect(steps.map(({ kind }) => kind)).toEqual([
      'sweep',
      'measure',
      'sweep',
      'measure',
      'sweep',
    ]);
    expect(steps[0]).toMatchObject({ kernels: [{ targets: [1] }, { targets: [2] }] });
  });

  test('measurements keep their order, by which draws are numbered', () => {
    const { steps } = programOf([
      gate('H', [0]),
      measure([0], [0]),
      measure([3], [1]),
      { kind: 'reset', qubits: [2] },
      gate('H', [0]),
    ]);
    expect(steps).toMatchObject([
      { kind: 'sweep' },
      { kind: 'measure', bits: [0] },
      { kind: 'measure', bits: [1] },
      { kind: 'reset', qubits: [2] },
      { kind: 'sweep' },
    ]);
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
