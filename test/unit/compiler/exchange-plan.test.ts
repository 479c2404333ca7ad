import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../src/circuit/circuit.ts';
import type { Program, TargetProfile } from '../../../src/compiler/program.ts';
import { hashProgram } from '../../../src/compiler/program-hash.ts';
import { schedule } from '../../../src/compiler/schedule.ts';
import { NEVER_FUSES, profile } from '../../support/profiles.ts';
import { breaches } from '../../support/program-promises.ts';
import { gate } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';

/** Eight qubits, four of them in a chunk. */
const NUM_QUBITS = 8;
const TARGET = profile({
  tileQubits: 4,
  contiguousQubits: 1,
  maxDenseQubits: 2,
  chunkQubits: 4,
  costs: NEVER_FUSES,
});
const BARRIER: Operation = { kind: 'barrier', qubits: [0, 1, 2, 3, 4, 5, 6, 7] };

function programOf(operations: readonly Operation[], target: TargetProfile = TARGET): Program {
  const { program } = schedule({ numQubits: NUM_QUBITS, numBits: 2, operations }, target);
  const hashed = { hash: hashProgram(program), ...program };
  expect(breaches(hashed, target)).toEqual([]);
  return hashed;
}

/** How many pairs each exchange has. */
const exchangesIn = ({ steps }: Program) =>
  steps.flatMap((step) => (step.kind === 'exchange' ? [step.pairs.length] : []));

const tilts = (...qubits: readonly number[]) => qubits.map((qubit) => gate('H', [qubit]));

describe('exchanges', () => {
  test('are not needed if a chunk holds all qubits that are ever targets', () => {
    const operations = [...tilts(4, 5, 6, 7), gate('CX', [4], [0]), gate('RZZ', [1, 7], [], [1])];
    const program = programOf([...operations, BARRIER, ...operations]);
    expect(exchangesIn(program)).toEqual([]);
  });

  test('bring all that a stage needs at once, not a qubit a gate', () => {
    const rounds = [...tilts(4, 5, 6, 7), gate('CX', [4], [5]), gate('CX', [6], [7])];
    const program = programOf([...tilts(0, 1, 2, 3), BARRIER, ...rounds, ...rounds]);
    expect(exchangesIn(program)).toEqual([4]);
  });

  test('are planned around what commutes', () => {
    const inTurns = [0, 4, 1, 5, 2, 6, 3, 7, 0, 4, 1, 5, 2, 6, 3, 7];
    expect(exchangesIn(programOf(tilts(...inTurns)))).toEqual([4]);
  });

  test('evict the qubit that is needed last', () => {
    const stages = [tilts(0, 1, 2, 3), tilts(4), tilts(1, 2, 3), tilts(0)];
    const program = programOf(stages.flatMap((stage) => [...stage, BARRIER]));
    // 0 makes room for 4, and comes back for 4 or another that has no more to do.
    expect(exchangesIn(program)).toEqual([1, 1]);
  });

  test('evict the qubit that is not needed again', () => {
    const stages = [tilts(0, 1, 2, 3), tilts(4), tilts(1, 2, 3, 4)];
    expect(exchangesIn(programOf(stages.flatMap((stage) => [...stage, BARRIER])))).toEqual([1]);
  });

  test('for 200 gates between random qubits are no more than 39, and move no more than 107', () => {
    const stream = new RandomStream(0);
    const operations = Array.from({ length: 200 }, () => gate('ISWAP', stream.distinct(2, 10)));
    const target = { ...TARGET, chunkQubits: 5 };
    const { program } = schedule({ numQubits: 10, numBits: 0, operations }, target);
    const pairs = program.steps.flatMap((step) =>
      step.kind === 'exchange' ? [step.pairs.length] : [],
    );
    expect(pairs.length).toBeLessThanOrEqual(39);
    expect(pairs.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(107);
  });

  test('are fewer where a tile holds chunk qubits', () => {
    const operations = [...tilts(0, 1, 2, 3), BARRIER, ...tilts(4, 5, 6, 7)];
    const pairs = (tileChunkQubits: number) =>
      exchangesIn(programOf(operations, { ...TARGET, tileChunkQubits })).flat();
    expect([0, 1, 2, 4].map(pairs)).toEqual([[4], [3], [2], []]);
  });

  test('stand between measurements where they are needed', () => {
    const condition = { bits: [0], value: 1 };
    const program = programOf([
      ...tilts(0, 1, 2, 3),
      { kind: 'measure', qubits: [0], bits: [0] },
      { ...gate('X', [7]), condition },
      ...tilts(7),
    ]);
    expect(program.steps.map(({ kind }) => kind)).toEqual([
      'sweep',
      'measure',
      'exchange',
      'sweep',
      'sweep',
    ]);
  });

  test('between devices bring only what no device has', () => {
    const target = { ...TARGET, deviceQubits: 2 };
    const program = programOf(
      [tilts(0, 1, 2, 3), tilts(4, 5), tilts(0, 1), tilts(6, 7), tilts(4, 5, 6, 7)].flatMap(
        (stage) => [...stage, BARRIER],
      ),
      target,
    );
    const pairs = program.steps.flatMap((step) => (step.kind === 'exchange' ? step.pairs : []));
    // Six of the eight qubits lie on a device; two come from others, once.
    expect(pairs.filter(([far]) => far >= 6)).toHaveLength(2);
    expect(pairs.filter(([far]) => far < 6).length).toBeGreaterThan(0);
  });

  test('are part of the hash', () => {
    const program = programOf([...tilts(0, 1, 2, 3), BARRIER, ...tilts(4, 5, 6, 7)]);
    const steps = program.steps.map((step) =>
      step.kind === 'exchange' ? { ...step, pairs: step.pairs.slice(1) } : step,
    );
    expect(hashProgram({ ...program, steps })).not.toBe(program.hash);
  });
});

test('a profile whose chunks cannot hold its widest kernel is a bug', () => {
  expect(() => programOf([], { ...TARGET, chunkQubits: 2 })).toThrow(/unreachable/);
});
