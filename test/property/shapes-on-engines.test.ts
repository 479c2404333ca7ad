/** Engines that lower a shape once run each of its programs as the reference engine does. */
import { afterAll, describe, expect, test } from 'vitest';
import type { Circuit, DynamicCircuit, Operation } from '../../src/circuit/circuit.ts';
import { DEFAULT_COSTS } from '../../src/compiler/cost-model.ts';
import { angleKinds } from '../../src/compiler/parametric.ts';
import type { Program, TargetProfile } from '../../src/compiler/program.ts';
import { anglesOf, compileShape } from '../../src/compiler/shape.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { ProgramLowering } from '../../src/engine/cpu/lowered-program.ts';
import { PRECISIONS } from '../../src/engine/cpu/precision.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { countsByLabel, runProgram, worstAmplitude } from '../support/engine-runs.ts';
import { gate, randomDynamicCircuit, randomGates } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';

/** Two more than a tile of 8, so that qubits lie outside. */
const NUM_QUBITS = 10;
const TILE_QUBITS = 8;
const TOLERANCE = { f32: 3e-6, f64: 3e-13 } as const;
const SEEDS = seeds(10);
const REFERENCE = openReferenceEngine({ maxQubits: NUM_QUBITS });
const PRECISION_NAMES = ['f32', 'f64'] as const;
const open = (precision: 'f32' | 'f64') =>
  openCpuEngine({ precision, numThreads: 1, maxQubits: NUM_QUBITS, tileQubits: TILE_QUBITS });
const ENGINES = { f32: open('f32'), f64: open('f64') } as const;
afterAll(() => Promise.all([...Object.values(ENGINES), REFERENCE].map((engine) => engine.close())));

/** Layers of one gate each on all qubits or pairs, whose tangents and phases have every form there is. */
function layeredGates(stream: RandomStream): readonly Operation[] {
  const names = ['RX', 'RY', 'RZ', 'U', 'H', 'RXX', 'RYY', 'RZZ', 'CX', 'CRX', 'CRY', 'CP'];
  const operations: Operation[] = [];
  for (let layer = 0; layer < 8; layer++) {
    const name = stream.pick(names);
    const order = stream.distinct(NUM_QUBITS, NUM_QUBITS);
    const numAngles = { H: 0, CX: 0, U: 3 }[name] ?? 1;
    const isShared = stream.below(3) === 0;
    const shared = stream.angle();
    const angles = () =>
      Array.from({ length: numAngles }, () => (isShared ? shared : stream.angle()));
    if (name.length < 3 && name !== 'CX' && name !== 'CP') {
      for (const qubit of order) operations.push(gate(name, [qubit], [], angles()));
      continue;
    }
    for (let i = 0; i + 1 < NUM_QUBITS; i += 2) {
      const [a, b] = [order[i]!, order[i + 1]!];
      const isPair = name.startsWith('R');
      operations.push(isPair ? gate(name, [a, b], [], angles()) : gate(name, [a], [b], angles()));
    }
  }
  return operations;
}

function circuitOf(seed: number): Circuit {
  const stream = new RandomStream(7000 + seed);
  const operations = seed % 2 === 0 ? layeredGates(stream) : randomGates(stream, NUM_QUBITS, 40, 3);
  return { numQubits: NUM_QUBITS, numBits: 0, operations };
}

/** Random angles, special ones, and both together. */
function valuesToTry(seed: number, numValues: number): readonly (readonly number[])[] {
  const stream = new RandomStream(seed);
  const { PI } = Math;
  const special = [0, PI, -PI, PI / 2, PI - 1e-9, 2 * PI, 1e-9, 1e-17, 3e-4, PI - 1e-4, 0.3];
  const fill = (angle: () => number) => Array.from({ length: numValues }, angle);
  return [
    fill(() => stream.angle()),
    fill(() => (stream.below(4) === 0 ? stream.pick(special) : stream.angle())),
    fill(() => stream.pick(special)),
    fill(() => 0),
    fill(() => PI),
    fill(() => stream.angle()),
  ];
}

/** Programs of a circuit's shape; those whose angles need another form are missing. */
function programsOf(
  circuit: DynamicCircuit,
  target: TargetProfile,
  seed: number,
): readonly Program[] {
  const { slots, values } = angleKinds(anglesOf(circuit));
  const shape = compileShape(circuit, { slots }, target);
  const all = [values, ...valuesToTry(seed, values.length)];
  return all.flatMap((each) => shape.bind(each) ?? []);
}

const stateOf = async (engine: Engine, program: Program) =>
  (await runProgram(engine, program, { statevector: true })).statevector!;

const targetsOf = (engine: Engine): readonly (readonly [string, TargetProfile])[] => [
  ['its own costs', engine.target],
  ['other costs', { ...engine.target, costs: DEFAULT_COSTS }],
  [
    'no large blocks',
    { ...engine.target, costs: { ...DEFAULT_COSTS, pair: 2, dense: [0, 1, 99] } },
  ],
];

describe.each(PRECISION_NAMES)('on the CPU engine in %s', (precision) => {
  const engine = ENGINES[precision];

  describe.each(targetsOf(engine))('by %s', (_, target) => {
    testSeeds('programs of one shape have the states of the reference', SEEDS, async (seed) => {
      for (const program of programsOf(circuitOf(seed), target, seed)) {
        const found = await stateOf(engine, program);
        const expected = await stateOf(REFERENCE, program);
        expect(worstAmplitude(found, expected)).toBeLessThan(TOLERANCE[precision]);
      }
    });
  });

  testSeeds(
    'a state is the same whatever programs of its shape came before',
    SEEDS,
    async (seed) => {
      const programs = programsOf(circuitOf(seed), engine.target, seed);
      const inTurn: Float64Array[] = [];
      for (const program of programs) inTurn.push(await stateOf(engine, program));
      const other = open(precision);
      for (const [i, program] of [...programs.entries()].reverse()) {
        expect(await stateOf(other, program)).toEqual(inTurn[i]);
      }
      await other.close();
    },
  );

  testSeeds('matrices of other forms than their shape has are seen', SEEDS, async (seed) => {
    for (const program of programsOf(circuitOf(seed), engine.target, seed)) {
      const unchecked = { ...program, shape: { ...program.shape!, fragile: new Set<number>() } };
      const found = await stateOf(engine, unchecked);
      const expected = await stateOf(REFERENCE, program);
      expect(worstAmplitude(found, expected)).toBeLessThan(TOLERANCE[precision]);
    }
  });

  testSeeds('programs with measurements have the counts of the reference', SEEDS, async (seed) => {
    const circuit = randomDynamicCircuit(new RandomStream(7100 + seed), NUM_QUBITS, 4, 40);
    for (const program of programsOf(circuit, engine.target, seed)) {
      const ask = { shots: 100, seed };
      const found = countsByLabel((await runProgram(engine, program, ask)).counts);
      expect(found).toEqual(countsByLabel((await runProgram(REFERENCE, program, ask)).counts));
    }
  });

  test('almost no angles need a lowering of their own', () => {
    let [numBound, numTried] = [0, 0];
    for (const seed of SEEDS) {
      const lowering = new ProgramLowering(PRECISIONS[precision], TILE_QUBITS);
      const circuit = circuitOf(seed);
      const { slots, values } = angleKinds(anglesOf(circuit));
      const shape = compileShape(circuit, { slots }, engine.target);
      const stream = new RandomStream(seed);
      for (let i = 0; i < 20; i++) {
        const program = shape.bind(values.map(() => stream.angle()));
        if (program === undefined) continue;
        numTried++;
        if (lowering.lower(program).numbers !== undefined) numBound++;
      }
    }
    expect(numTried).toBeGreaterThan(100);
    expect(numBound).toBeGreaterThan(0.98 * numTried);
  });
});
