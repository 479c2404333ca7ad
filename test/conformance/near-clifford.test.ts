/** Near-Clifford programs against the reference engine, and wide circuits with known answers. */
import { describe, expect, test } from 'vitest';
import type { Circuit, GateOperation, Operation } from '../../src/circuit/circuit.ts';
import { inverseOperation } from '../../src/circuit/operation-matrix.ts';
import { compileNearClifford } from '../../src/compiler/clifford/compile-near-clifford.ts';
import type { NearCliffordProgram } from '../../src/compiler/program.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { runNearClifford } from '../../src/engine/stabilizer/run-near-clifford.ts';
import { basisLabel } from '../../src/math/basis-index.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { randomClifford } from '../support/clifford-circuits.ts';
import { countsByLabel, NEVER, runCircuit } from '../support/engine-runs.ts';
import { gate, randomDiagonal, randomUnitary } from '../support/random-circuits.ts';
import { randomSum } from '../support/random-observables.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';

function programOf(circuit: Circuit): NearCliffordProgram {
  const program = compileNearClifford(circuit, { maxCoreQubits: 12 });
  if ('kind' in program) throw new Error(`Not compiled: ${JSON.stringify(program)}`);
  return program;
}

const measureAll = (numQubits: number): Operation => {
  const all = Array.from({ length: numQubits }, (_, i) => i);
  return { kind: 'measure', qubits: all, bits: all };
};

/** A gate that is not Clifford. */
function randomOther(stream: RandomStream, numQubits: number): Operation {
  const q = stream.distinct(Math.min(3, numQubits), numQubits);
  const angle = stream.angle();
  const choices: (() => Operation)[] = [
    () => gate('T', [q[0]!]),
    () => gate('TDG', [q[0]!]),
    () => gate('RZ', [q[0]!], [], [angle]),
    () => gate('RX', [q[0]!], [], [angle]),
    () => gate('P', [q[0]!], [], [angle]),
    () => ({ kind: 'unitary', controls: [], targets: [q[0]!], matrix: randomUnitary(stream, 1) }),
  ];
  if (numQubits > 2) {
    choices.push(
      () => gate('P', [q[0]!], [q[1]!], [angle]),
      () => gate('RZZ', [q[0]!, q[1]!], [], [angle]),
      () => gate('X', [q[0]!], [q[1]!, q[2]!]),
      () => gate('H', [q[0]!], [q[1]!]),
      () => ({
        kind: 'unitary',
        controls: [q[2]!],
        targets: [q[0]!, q[1]!],
        matrix: randomDiagonal(stream, 2),
      }),
      () => ({
        kind: 'unitary',
        controls: [q[1]!],
        targets: [q[0]!],
        matrix: randomUnitary(stream, 1),
      }),
    );
  }
  return stream.pick(choices)();
}

function randomGates(stream: RandomStream, numQubits: number, numOthers: number): Operation[] {
  const operations: Operation[] = [];
  for (let i = 0; i <= numOthers; i++) {
    if (i > 0) operations.push(randomOther(stream, numQubits));
    const numCliffords = stream.below(4 * numQubits);
    for (let j = 0; j < numCliffords; j++) operations.push(randomClifford(stream, numQubits));
  }
  return operations;
}

/** A circuit that measures some qubits into bits of another order. */
function randomCircuit(stream: RandomStream, numQubits: number, numOthers: number): Circuit {
  const numMeasured = 1 + stream.below(numQubits);
  const qubits = stream.distinct(numMeasured, numQubits);
  const bits = stream.distinct(numMeasured, numQubits);
  const operations = randomGates(stream, numQubits, numOthers);
  return {
    numQubits,
    numBits: numQubits,
    operations: [...operations, { kind: 'measure', qubits, bits }],
  };
}

const ASK = { shots: 0, seed: 1 };

describe('random circuits that are Clifford but for up to 8 gates', () => {
  const reference = openReferenceEngine({ maxQubits: 10 });

  testSeeds('have the exact values of the reference engine', seeds(120), async (seed) => {
    const stream = new RandomStream(seed);
    const numQubits = 1 + stream.below(seed % 10 === 0 ? 10 : 6);
    const circuit = randomCircuit(stream, numQubits, stream.below(9));
    const observables = [randomSum(stream, numQubits, 3), randomSum(stream, numQubits, 1)];
    const program = programOf(circuit);
    const ask = { ...ASK, probabilities: true, observables, variances: true };
    const found = await runNearClifford(structuredClone(program), ask, NEVER);
    const expected = await runCircuit(reference, circuit, ask);
    for (const [i, value] of expected.probabilities!.entries()) {
      expect(Math.abs(found.probabilities![i]! - value)).toBeLessThan(1e-9);
    }
    for (const name of ['expectations', 'variances'] as const) {
      for (const [i, value] of expected[name]!.entries()) {
        expect(Math.abs(found[name]![i]! - value)).toBeLessThan(1e-9);
      }
    }
  });

  testSeeds('have counts of the exact distribution', seeds(10), async (seed) => {
    const stream = new RandomStream(1000 + seed);
    const circuit = randomCircuit(stream, 5, 1 + stream.below(8));
    const program = programOf(circuit);
    const ask = { shots: 4000, seed, probabilities: true };
    const { counts, probabilities } = await runNearClifford(program, ask, NEVER);
    const exact = new Map(
      [...probabilities!.entries()]
        .filter(([, probability]) => probability > 1e-12)
        .map(([outcome, probability]) => [basisLabel(outcome, 5), probability]),
    );
    const { statistic, bound } = chiSquared(countsByLabel(counts), exact);
    expect(statistic).toBeLessThan(bound);
    const again = await runNearClifford(program, ask, NEVER);
    expect(again.counts).toEqual(counts);
    const byRange = [];
    for (const shotRange of [
      { from: 0, to: 1500 },
      { from: 1500, to: 4000 },
    ]) {
      const part = await runNearClifford(program, { ...ask, shotRange }, NEVER);
      byRange.push(...countsByLabel(part.counts));
    }
    for (const [label, count] of countsByLabel(counts)) {
      const parts = byRange.filter(([ofPart]) => ofPart === label);
      expect(parts.reduce((sum, [, ofPart]) => sum + ofPart, 0)).toBe(count);
    }
  });
});

testSeeds('qubits of a wide circuit have the values of a narrow one', seeds(20), async (seed) => {
  const stream = new RandomStream(2000 + seed);
  const [few, many] = [5, 70];
  const narrow = randomCircuit(stream, few, 4);
  const places = stream.distinct(few, many);
  const moved = (qubits: readonly number[]) => qubits.map((qubit) => places[qubit]!);
  const wideOf = (operation: Operation): Operation => {
    switch (operation.kind) {
      case 'gate':
      case 'unitary': {
        const [controls, targets] = [moved(operation.controls), moved(operation.targets)];
        return { ...operation, controls, targets };
      }
      case 'measure':
        return { ...operation, qubits: moved(operation.qubits) };
      default:
        throw new Error(`unreachable: ${operation.kind}`);
    }
  };
  // Clifford gates on all qubits, and their inverses after the others.
  const around = Array.from({ length: 300 }, () => randomClifford(stream, many) as GateOperation);
  const operations = narrow.operations.map(wideOf);
  const last = operations.pop()!;
  const back = around.map(inverseOperation).reverse();
  const wide: Circuit = {
    numQubits: many,
    numBits: few,
    operations: [...around, ...back, ...operations, ...around, ...back, last],
  };
  const observable = randomSum(stream, few, 4);
  const onWide = observable.map(({ coefficient, factors }) => ({
    coefficient,
    factors: factors.map(({ pauli, qubit }) => ({ pauli, qubit: places[qubit]! })),
  }));
  const ask = { ...ASK, probabilities: true, variances: true };
  const found = await runNearClifford(programOf(wide), { ...ask, observables: [onWide] }, NEVER);
  const asked = { ...ask, observables: [observable] };
  const expected = await runNearClifford(programOf(narrow), asked, NEVER);
  for (const name of ['probabilities', 'expectations', 'variances'] as const) {
    for (const [i, value] of expected[name]!.entries()) {
      expect(Math.abs(found[name]![i]! - value)).toBeLessThan(1e-9);
    }
  }
});

test('70 qubits in pairs have equal bits in a pair, and independent ones in two', async () => {
  const firsts = Array.from({ length: 35 }, (_, i) => i);
  const program = programOf({
    numQubits: 70,
    numBits: 70,
    operations: [
      ...firsts.flatMap((i) => [gate('H', [i]), gate('X', [i + 35], [i])]),
      gate('T', [3]),
      measureAll(70),
    ],
  });
  const { counts } = await runNearClifford(program, { shots: 1000, seed: 8 }, NEVER);
  const bits = [...countsByLabel(counts)].map(([label]) => [...label].reverse().join(''));
  expect(bits).toHaveLength(1000);
  for (const label of bits) expect(label.slice(35)).toBe(label.slice(0, 35));
  for (const i of firsts) {
    for (const j of firsts.slice(i + 1)) {
      const numEqual = bits.filter((label) => label[i] === label[j]).length;
      // More than 6 standard deviations.
      expect(Math.abs(numEqual - 500)).toBeLessThan(100);
    }
  }
});

describe('circuits of 50 qubits', () => {
  const numQubits = 50;

  /** CZ on qubits i and i + 25, and CCZ on the qubits of each triple, for the dual on those that are paired with them. */
  const bent = (triples: readonly (readonly number[])[], dual: boolean): GateOperation[] => [
    ...triples.map((triple) => {
      const [a, b, c] = triple.map((qubit) => (dual ? qubit + 25 : qubit));
      return gate('Z', [a!], [b!, c!]);
    }),
    ...Array.from({ length: 25 }, (_, i) => gate('CZ', [i + 25], [i])),
  ];

  test('find the hidden shift of a bent function with a CCZ gate', async () => {
    // f(x, y) = x·y + g(x) has the dual x·y + g(y); here f is shifted.
    const all = Array.from({ length: numQubits }, (_, i) => i);
    const hadamards = all.map((qubit) => gate('H', [qubit]));
    const shifted = all.filter((qubit) => qubit % 3 === 1);
    const flips = shifted.map((qubit) => gate('X', [qubit]));
    const triples = [[1, 7, 20]];
    const circuit: Circuit = {
      numQubits,
      numBits: numQubits,
      operations: [
        ...hadamards,
        ...flips,
        ...bent(triples, false),
        ...flips,
        ...hadamards,
        ...bent(triples, true),
        ...hadamards,
        measureAll(numQubits),
      ],
    };
    const program = programOf(circuit);
    const { counts } = await runNearClifford(program, { shots: 50, seed: 3 }, NEVER);
    const label = [...all].reverse().map((qubit) => (shifted.includes(qubit) ? '1' : '0'));
    expect([...countsByLabel(counts)]).toEqual([[label.join(''), 50]]);
  });

  testSeeds('return to 0 when they are mirrored', seeds(3), async (seed) => {
    const stream = new RandomStream(seed);
    const gates = randomGates(stream, numQubits, 6) as GateOperation[];
    const circuit: Circuit = {
      numQubits,
      numBits: numQubits,
      operations: [...gates, ...gates.map(inverseOperation).reverse(), measureAll(numQubits)],
    };
    const { counts } = await runNearClifford(programOf(circuit), { shots: 20, seed }, NEVER);
    expect([...countsByLabel(counts)]).toEqual([['0'.repeat(numQubits), 20]]);
  });

  test('share one random bit after a GHZ state with T gates', async () => {
    const chain = Array.from({ length: numQubits - 1 }, (_, i) => gate('CX', [i + 1], [i]));
    const phases = [3, 9, 27, 28, 40, 49].map((qubit) => gate('T', [qubit]));
    const circuit: Circuit = {
      numQubits,
      numBits: numQubits,
      operations: [gate('H', [0]), ...chain, ...phases, measureAll(numQubits)],
    };
    const program = programOf(circuit);
    // All T gates are rotations about one string.
    expect(program.coreQubits).toHaveLength(1);
    const { counts } = await runNearClifford(program, { shots: 1000, seed: 5 }, NEVER);
    const byLabel = countsByLabel(counts);
    expect([...byLabel.keys()]).toEqual(['0'.repeat(numQubits), '1'.repeat(numQubits)]);
    expect(Math.abs(byLabel.get('0'.repeat(numQubits))! - 500)).toBeLessThan(100);
  });
});

describe('a circuit that has no near-Clifford program', () => {
  const circuitOf = (...operations: Operation[]): Circuit => ({
    numQubits: 3,
    numBits: 3,
    operations,
  });

  test('measures before a gate', () => {
    const circuit = circuitOf(measureAll(3), gate('T', [1]));
    expect(compileNearClifford(circuit, { maxCoreQubits: 10 })).toEqual({
      kind: 'unsupported-operation',
      place: 1,
    });
  });

  test('has a gate under a condition, or a reset', () => {
    const condition = { bits: [0], value: 1 };
    for (const operation of [
      { ...gate('T', [1]), condition },
      { kind: 'reset', qubits: [0] } as const,
    ]) {
      expect(compileNearClifford(circuitOf(operation), { maxCoreQubits: 10 })).toEqual({
        kind: 'unsupported-operation',
        place: 0,
      });
    }
  });

  test('has more rotations than allowed', () => {
    const many = Array.from({ length: 10_001 }, () => gate('T', [0]));
    const circuit = circuitOf(gate('H', [0]), ...many);
    expect(compileNearClifford(circuit, { maxCoreQubits: 3 })).toEqual({ kind: 'many-rotations' });
    const few = circuitOf(gate('H', [0]), ...many.slice(0, 5));
    const limits = { maxCoreQubits: 3, maxUpdates: 8 };
    expect(compileNearClifford(few, limits)).toEqual({ kind: 'many-rotations' });
  });

  test('takes more work than allowed', () => {
    const circuit = circuitOf(...Array.from({ length: 100 }, () => gate('H', [0])));
    const limits = { maxCoreQubits: 3, maxUnits: 1000 };
    expect(compileNearClifford(circuit, limits)).toEqual({ kind: 'long' });
  });

  test('has a gate on several targets that is not diagonal, or one on more than 6 qubits', () => {
    const stream = new RandomStream(1);
    const unitary: Operation = {
      kind: 'unitary',
      controls: [],
      targets: [0, 1],
      matrix: randomUnitary(stream, 2),
    };
    const wide = gate('Z', [6], [0, 1, 2, 3, 4, 5]);
    for (const operation of [unitary, wide]) {
      const circuit = { numQubits: 7, numBits: 0, operations: [operation] };
      expect(compileNearClifford(circuit, { maxCoreQubits: 10 })).toEqual({
        kind: 'unsupported-operation',
        place: 0,
      });
    }
  });

  test('has rotations that reach more core qubits than allowed', () => {
    const circuit = circuitOf(
      ...[0, 1, 2].flatMap((qubit) => [gate('H', [qubit]), gate('T', [qubit])]),
    );
    expect(compileNearClifford(circuit, { maxCoreQubits: 2 })).toEqual({
      kind: 'wide-core',
      numCoreQubits: 3,
    });
    expect(compileNearClifford(circuit, { maxCoreQubits: 3 })).toMatchObject({
      coreQubits: [0, 1, 2],
    });
  });
});

describe('a run', () => {
  const program = programOf({
    numQubits: 12,
    numBits: 12,
    operations: [
      ...Array.from({ length: 12 }, (_, q) => [gate('H', [q]), gate('T', [q])]).flat(),
      measureAll(12),
    ],
  });

  test('ends when it is cancelled', async () => {
    const controller = new AbortController();
    const ended = runNearClifford(program, { shots: 1e7, seed: 1 }, controller.signal);
    controller.abort(new Error('cancelled'));
    await expect(ended).rejects.toThrow('cancelled');
  });

  test('reports its progress', async () => {
    const controller = new AbortController();
    const fractions: number[] = [];
    const onProgress = (fraction: number) => {
      fractions.push(fraction);
      if (fractions.length === 3) controller.abort(new Error('enough'));
    };
    const ended = runNearClifford(program, { shots: 2e7, seed: 1, onProgress }, controller.signal);
    await expect(ended).rejects.toThrow('enough');
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect(fractions[2]).toBeLessThan(1);
    expect(fractions[2]).toBeGreaterThan(fractions[0]!);
  });

  test('has counts of one shot, of many and of none', async () => {
    for (const shots of [0, 1, 100_000]) {
      const { counts } = await runNearClifford(program, { shots, seed: 4 }, NEVER);
      expect(counts.occurrences.reduce((sum, count) => sum + count, 0)).toBe(shots);
    }
  });

  test.each([
    [{ statevector: true }, 'ENGINE_OUTPUT_NEEDS_AMPLITUDES'],
    [{ densityMatrix: true }, 'ENGINE_OUTPUT_NEEDS_AMPLITUDES'],
    [{ purity: true }, 'ENGINE_OUTPUT_NEEDS_AMPLITUDES'],
  ])('refuses %j', async (more, code) => {
    await expect(runNearClifford(program, { ...ASK, ...more }, NEVER)).rejects.toMatchObject({
      code,
    });
  });

  test('refuses the distribution of more than 20 bits', async () => {
    const wide = programOf({ numQubits: 21, numBits: 21, operations: [measureAll(21)] });
    const asked = runNearClifford(wide, { ...ASK, probabilities: true }, NEVER);
    await expect(asked).rejects.toMatchObject({ code: 'ENGINE_TOO_MANY_OUTCOMES' });
  });
});
