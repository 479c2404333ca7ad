/** Pauli propagation against the state vector and the density matrix of the reference engine, and against stabilizers. */
import { describe, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation, Operation } from '../../src/circuit/circuit.ts';
import { amplitudeDamping } from '../../src/circuit/noise/named-channels.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import { compileStabilizer } from '../../src/compiler/clifford/compile-stabilizer.ts';
import { compileDensity } from '../../src/compiler/noise/compile-density.ts';
import { compilePaulis, MAX_MAP_QUBITS } from '../../src/compiler/pauli/compile-paulis.ts';
import type { PauliLimits, PauliProgram } from '../../src/compiler/program.ts';
import { NODE_HOST } from '../../src/engine/cpu/cpu-engine.ts';
import type { RunResult } from '../../src/engine/engine.ts';
import { Mutex } from '../../src/engine/mutex.ts';
import { paulisExecutable } from '../../src/engine/pauli/run-paulis.ts';
import { paulisBytes, StringMemory } from '../../src/engine/pauli/string-sum.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { NEVER, runCircuit } from '../support/engine-runs.ts';
import { withRandomNoise } from '../support/noisy-circuits.ts';
import { gate, randomGates, randomUnitary } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';

const reference = openReferenceEngine({ maxQubits: 12 });
const memory = new StringMemory(NODE_HOST);

async function run(
  circuit: DynamicCircuit,
  observables: readonly PauliSum[],
  limits: Partial<PauliLimits> = {},
): Promise<RunResult> {
  const program = compilePaulis(circuit, limits);
  if ('problem' in program) throw new Error(program.problem);
  await using executable = paulisExecutable(program, memory, new Mutex());
  return await executable.run({ shots: 0, seed: 1, observables }, NEVER);
}

function randomObservable(stream: RandomStream, numQubits: number, numTerms: number): PauliSum {
  return Array.from({ length: numTerms }, () => ({
    coefficient: Math.cos(stream.angle()),
    factors: stream.distinct(stream.below(4), numQubits).map((qubit) => ({
      pauli: stream.pick(['X', 'Y', 'Z'] as const),
      qubit,
    })),
  }));
}

/** Gates on up to four qubits, as the method takes them. */
function randomCircuit(stream: RandomStream, numQubits: number, numGates: number) {
  const operations = randomGates(stream, numQubits, numGates, 2).filter(
    (operation) =>
      operation.kind === 'barrier' ||
      ('targets' in operation &&
        operation.controls.length + operation.targets.length <= MAX_MAP_QUBITS),
  );
  return { numQubits, numBits: 0, operations };
}

function expectClose(own: RunResult, exact: RunResult): void {
  for (const [i, value] of exact.expectations!.entries()) {
    expect(Math.abs(own.expectations![i]! - value)).toBeLessThan(1e-12);
  }
}

describe('without truncation', () => {
  testSeeds('values are those of the state vector', seeds(12), async (seed) => {
    const stream = new RandomStream(seed);
    const numQubits = 3 + (seed % 5);
    const circuit = randomCircuit(stream, numQubits, 15);
    const observables = [1, 6].map((count) => randomObservable(stream, numQubits, count));
    const own = await run(circuit, observables);
    expectClose(own, await runCircuit(reference, circuit, { observables }));
    expect(own.truncationError).toBeLessThan(1e-12);
  });

  test('one matrix stands for itself and for itself under controls', async () => {
    const stream = new RandomStream(90);
    const matrix = randomUnitary(stream, 1);
    const use = (target: number, controls: readonly number[]): Operation => {
      return { kind: 'unitary', controls, targets: [target], matrix };
    };
    const operations = [use(0, []), use(1, [0]), use(2, [0, 1]), use(2, [])];
    const circuit = { numQubits: 3, numBits: 0, operations };
    const observables = [randomObservable(stream, 3, 6)];
    expectClose(
      await run(circuit, observables),
      await runCircuit(reference, circuit, { observables }),
    );
  });

  testSeeds('values under any noise are those of the density matrix', seeds(12), async (seed) => {
    const stream = new RandomStream(100 + seed);
    const numQubits = 3 + (seed % 3);
    const { operations } = randomCircuit(stream, numQubits, 15);
    // In the middle a measurement and a reset, and a measurement that only noise follows.
    const qubits = stream.distinct(3, numQubits) as [number, number, number];
    const collapses: readonly DynamicOperation[] = [
      { kind: 'measure', qubits: [qubits[0]], bits: [0] },
      { kind: 'reset', qubits: [qubits[1]] },
    ];
    const noisy = withRandomNoise(operations, stream, numQubits);
    const last: DynamicOperation = { kind: 'measure', qubits: [qubits[2]], bits: [1] };
    const after = withRandomNoise([gate('ID', [qubits[2]])], stream, numQubits);
    const circuit = {
      numQubits,
      numBits: 2,
      operations: [...noisy.toSpliced(noisy.length >> 1, 0, ...collapses), last, ...after],
    };
    const observables = [randomObservable(stream, numQubits, 5)];
    const { program } = compileDensity(circuit, reference.target);
    await using executable = await reference.prepare.density_matrix!(program);
    const exact = await executable.run({ shots: 0, seed: 1, observables }, NEVER);
    expectClose(await run(circuit, observables), exact);
  });
});

/** A kicked Ising model on a chain, and a few long-range pairs. */
function kickedIsing(numQubits: number, numSteps: number, angle: number): DynamicCircuit {
  const operations: Operation[] = [];
  for (let step = 0; step < numSteps; step++) {
    for (let q = 0; q < numQubits; q++) operations.push(gate('RX', [q], [], [angle]));
    for (let q = 0; q + 1 < numQubits; q++) {
      operations.push(gate('RZZ', [q, q + 1], [], [-Math.PI / 2]));
    }
    for (let q = 0; q + 12 < numQubits; q += 5) {
      operations.push(gate('RZZ', [q, q + 12], [], [-Math.PI / 2]));
    }
  }
  return { numQubits, numBits: 0, operations };
}

const MIDDLE: readonly PauliSum[] = [
  [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 62 }] }],
  [
    {
      coefficient: 1,
      factors: [
        { pauli: 'X', qubit: 13 },
        { pauli: 'Y', qubit: 29 },
        { pauli: 'Z', qubit: 37 },
      ],
    },
  ],
];

test.each([0, Math.PI / 2, Math.PI])(
  'values of 127 qubits at the Clifford angle %f are those of stabilizers',
  async (angle) => {
    const circuit = kickedIsing(127, 5, angle);
    const program = compileStabilizer(circuit);
    if ('kind' in program) throw new Error(program.kind);
    await using executable = await reference.prepare.stabilizer!(program);
    const exact = await executable.run({ shots: 0, seed: 1, observables: MIDDLE }, NEVER);
    expectClose(await run(circuit, MIDDLE), exact);
  },
);

/** A program's values and what it leaves out, by a table of strings in letters, without all that makes it fast. */
function byLetters(
  program: PauliProgram,
  observable: PauliSum,
): { value: number; leftOut: number } {
  const numbers: Record<string, number> = { I: 0, X: 1, Z: 2, Y: 3 };
  let sum = new Map<string, number>();
  let leftOut = 0;
  const least = Math.max(program.minCoefficient, 1e-15);
  for (const { coefficient, factors } of observable) {
    const letters = new Array<string>(program.numQubits).fill('I');
    for (const { pauli, qubit } of factors) letters[qubit] = pauli;
    sum.set(letters.join(''), coefficient + (sum.get(letters.join('')) ?? 0));
  }
  for (const { qubits, strings } of program.maps) {
    const { starts, images, factors } = strings;
    const next = new Map<string, number>();
    const changed = new Set<string>();
    for (const [text, coefficient] of sum) {
      const p = qubits.reduce((all, q, j) => all + numbers[text[q]!]! * 4 ** j, 0);
      const isKept = starts[p + 1] === starts[p]! + 1 && images[starts[p]!] === p;
      for (let i = starts[p]!; i < starts[p + 1]!; i++) {
        const letters = [...text];
        for (const [j, q] of qubits.entries()) {
          letters[q] = 'IXZY'[Math.floor(images[i]! / 4 ** j) % 4]!;
        }
        const image = letters.join('');
        next.set(image, (next.get(image) ?? 0) + coefficient * factors[i]!);
        if (!isKept) changed.add(image);
      }
    }
    for (const image of changed) {
      const size = Math.abs(next.get(image)!);
      const weight = [...image].filter((letter) => letter !== 'I').length;
      if (size >= least && weight <= program.maxWeight) continue;
      leftOut += size;
      next.delete(image);
    }
    sum = next;
  }
  const onZeros = [...sum].filter(([text]) => !/[XY]/.test(text));
  return { value: onZeros.reduce((all, [, each]) => all + each, 0), leftOut };
}

/** Clifford gates between rotations by any angle on more qubits than a word has bits. */
function amongCliffords(stream: RandomStream, numQubits: number, numGates: number): DynamicCircuit {
  const operations = Array.from({ length: numGates }, (): Operation => {
    const [a, b] = stream.distinct(2, numQubits).map((q) => (q % 6) * 13) as [number, number];
    const other = b === a ? (a + 13) % 78 : b;
    switch (stream.below(6)) {
      case 0:
        return gate(stream.pick(['RX', 'RY', 'RZ']), [a], [], [stream.angle()]);
      case 1:
        return gate(stream.pick(['RXX', 'RYY', 'RZZ']), [a, other], [], [stream.angle()]);
      case 2:
        return gate(stream.pick(['X', 'Z']), [a], [other]);
      case 3:
        return gate(stream.pick(['SWAP', 'ISWAP']), [a, other]);
      default:
        // U turns each Pauli into the next one.
        return stream.below(3) > 0
          ? gate(stream.pick(['H', 'S', 'SDG', 'SX', 'Y', 'T']), [a])
          : gate('U', [a], [], [Math.PI / 2, 0, Math.PI / 2]);
    }
  });
  return { numQubits, numBits: 0, operations };
}

describe('strings are those of a table of letters', () => {
  testSeeds('among Clifford gates', seeds(20), async (seed) => {
    const stream = new RandomStream(300 + seed);
    const circuit = amongCliffords(stream, 79, 60);
    const factors = [0, 13, 65].map((qubit) => ({
      pauli: stream.pick(['X', 'Y', 'Z'] as const),
      qubit,
    }));
    const observable = [{ coefficient: 0.8, factors }, ...randomObservable(stream, 79, 3)];
    for (const limits of [
      {},
      { isApproximate: true, minCoefficient: 0.01 },
      { isApproximate: true, maxWeight: 4 },
    ]) {
      const program = compilePaulis(circuit, limits);
      if ('problem' in program) throw new Error(program.problem);
      const expected = byLetters(program, observable);
      const own = await run(circuit, [observable], limits);
      expect(Math.abs(own.expectations![0]! - expected.value)).toBeLessThan(1e-11);
      expect(Math.abs(own.truncationError! - expected.leftOut)).toBeLessThan(1e-11);
    }
  });

  testSeeds('under channels that make strings of the identity', seeds(10), async (seed) => {
    const stream = new RandomStream(400 + seed);
    const { operations } = amongCliffords(stream, 79, 30);
    const damped = operations.flatMap((operation): DynamicOperation[] => {
      const [qubit] = 'targets' in operation ? operation.targets : [];
      const damping = amplitudeDamping(0.1 + 0.1 * stream.below(3), 0.2)!;
      return [operation, { kind: 'noise', qubits: [qubit!], channel: damping }];
    });
    const circuit = { numQubits: 79, numBits: 0, operations: damped };
    const observable = [
      { coefficient: 1, factors: [0, 13].map((qubit) => ({ pauli: 'Z' as const, qubit })) },
    ];
    const program = compilePaulis(circuit);
    if ('problem' in program) throw new Error(program.problem);
    const own = await run(circuit, [observable]);
    const { value } = byLetters(program, observable);
    expect(Math.abs(own.expectations![0]! - value)).toBeLessThan(1e-11);
  });
});

describe('memory', () => {
  const numQubits = 2000;
  const qubits = Array.from({ length: 16 }, (_, i) => 125 * i);
  const observables = [
    [{ coefficient: 1, factors: qubits.map((qubit) => ({ pauli: 'X' as const, qubit })) }],
  ];
  const prepare = (own: StringMemory, names: readonly string[]) => {
    const operations = qubits.flatMap((q) => names.map((name) => gate(name, [q])));
    const program = compilePaulis({ numQubits, numBits: 0, operations });
    if ('problem' in program) throw new Error(program.problem);
    return paulisExecutable(program, own, new Mutex());
  };
  const request = { shots: 0, seed: 1, observables };

  test('of many strings goes back after a run, and is what the estimate says at most', async () => {
    const own = new StringMemory(NODE_HOST);
    let most = 0;
    const watched = Object.assign(Object.create(own) as StringMemory, {
      instance: () => own.instance(),
      release: () => {
        most = own.bytes;
        own.release();
      },
    });
    await using executable = prepare(watched, ['H', 'T']);
    const { expectations } = await executable.run(request, NEVER);
    expect(expectations![0]).toBeCloseTo(Math.SQRT1_2 ** 16, 12);
    expect(most).toBeGreaterThan(2 ** 26);
    expect(most).toBeLessThan(paulisBytes(numQubits, 2 ** 16));
    expect(own.bytes).toBe(0);
  });

  test('that an engine does not have fails the run, and the next one runs', async () => {
    const small = new StringMemory(NODE_HOST, 2 ** 22);
    await expect(prepare(small, ['H', 'T']).run(request, NEVER)).rejects.toMatchObject({
      code: 'ENGINE_STATE_MEMORY',
    });
    const { expectations } = await prepare(small, ['H']).run(request, NEVER);
    expect(expectations).toEqual([1]);
  });
});

/**
 * Computed by pauli-prop 0.2.1 (Qiskit addon, from PyPI): `propagate_through_circuit` in the Heisenberg frame with
 * `max_terms` 2^21, of the kicked Ising model above.
 */
const PAULI_PROP = [
  [3, 0.3, 0, 0.9480502219314233],
  [2, 0.3, 0, 0.9126678074548391],
  [2, 1.1, 0, 0.2057494413723271],
] as const;

test.each(PAULI_PROP)(
  'a kicked Ising model of %d steps, angle %f, has the values of pauli-prop',
  async (numSteps, angle, observable, value) => {
    const own = await run(kickedIsing(127, numSteps, angle), [MIDDLE[observable]!]);
    expect(own.truncationError).toBeLessThan(1e-12);
    expect(Math.abs(own.expectations![0]! - value)).toBeLessThan(1e-12);
  },
);

describe('with truncation', () => {
  testSeeds('the error is within its bound', seeds(3), async (seed) => {
    const stream = new RandomStream(200 + seed);
    const circuit = randomCircuit(stream, 6, 30);
    const observables = [randomObservable(stream, 6, 4)];
    const exact = await runCircuit(reference, circuit, { observables });
    for (const limits of [{ minCoefficient: 0.02 }, { maxWeight: 3 }, { maxTerms: 40 }]) {
      const own = await run(circuit, observables, { isApproximate: true, ...limits });
      const error = Math.abs(own.expectations![0]! - exact.expectations![0]!);
      expect(error).toBeLessThanOrEqual(own.truncationError! + 1e-12);
    }
  });

  test('a small coefficient limit changes the value of a wide circuit little', async () => {
    const circuit = kickedIsing(127, 3, 0.4);
    const [middle] = MIDDLE;
    const [exact] = (await run(circuit, [middle!])).expectations!;
    const own = await run(circuit, [middle!], { isApproximate: true, minCoefficient: 1e-3 });
    expect(own.truncationError).toBeGreaterThan(0);
    expect(Math.abs(own.expectations![0]! - exact!)).toBeLessThan(0.01);
  });

  test('no more strings are kept than allowed where all have one size', async () => {
    // Each T makes two strings of one, with equal coefficients.
    const all = Array.from({ length: 20 }, (_, q) => q);
    const operations = all.flatMap((q) => [gate('H', [q]), gate('T', [q])]);
    const factors = all.map((qubit) => ({ pauli: 'X' as const, qubit }));
    const observables = [[{ coefficient: 1, factors }]];
    const limits = { isApproximate: true, maxTerms: 1024 };
    const own = await run({ numQubits: 20, numBits: 0, operations }, observables, limits);
    const error = Math.abs(own.expectations![0]! - Math.SQRT1_2 ** 20);
    expect(error).toBeLessThanOrEqual(own.truncationError!);
  });

  test('more strings than allowed fail unless some may be left out', async () => {
    await expect(run(kickedIsing(127, 8, 0.4), MIDDLE, { maxTerms: 1000 })).rejects.toMatchObject({
      code: 'ENGINE_TOO_MANY_TERMS',
    });
  });
});
