/** Engines may prepare a shape once for all of its programs; each of them has its own results. */
import { describe, expect, test } from 'vitest';
import type { Circuit } from '../../src/circuit/circuit.ts';
import { DEFAULT_COSTS } from '../../src/compiler/cost-model.ts';
import { angleKinds } from '../../src/compiler/parametric.ts';
import type { TargetProfile } from '../../src/compiler/program.ts';
import { anglesOf, compileShape } from '../../src/compiler/shape.ts';
import { runProgram, worstAmplitude } from '../support/engine-runs.ts';
import { gate } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { programsOf, type ShapedProgram, shapedCircuit } from '../support/shaped-programs.ts';
import { finalAmplitudes } from '../support/state-oracle.ts';
import type { EngineUnderTest } from './engine-suite.ts';

/** As many as every engine holds, so that small tiles and chunks leave qubits outside. */
const NUM_QUBITS = 12;
const SEEDS = seeds(6);

/** Costs by which kernels of every kind come about. */
const COSTS: readonly (readonly [string, (own: TargetProfile) => TargetProfile])[] = [
  ['its own costs', (own) => own],
  ['cheap blocks', (own) => ({ ...own, costs: DEFAULT_COSTS })],
  ['dear blocks', (own) => ({ ...own, costs: { ...DEFAULT_COSTS, pair: 2, dense: [0, 1, 99] } })],
];

/** By seed and trial: the same for all engines. */
const AMPLITUDES = new Map<string, Float64Array>();

function amplitudesOf(seed: number, { circuit, trial }: ShapedProgram): Float64Array {
  const key = `${seed} ${trial}`;
  const known = AMPLITUDES.get(key) ?? finalAmplitudes(circuit);
  AMPLITUDES.set(key, known);
  return known;
}

const PAIR_GATES = ['RXX', 'RYY', 'XX+YY', 'XX-YY', 'RXX', 'CRX'];
const NEAR_PI = Math.PI - 2.65e-6;
const ANGLES = [NEAR_PI, -NEAR_PI, Math.PI + 7e-6, Math.PI - 1.6e-3];

/** Circuits of rotations by almost π, whose tangents are large; the first has left the range of f32. */
function nearPi(seed: number): readonly Circuit[] {
  const known = [
    gate('RYY', [0, 2], [], [-NEAR_PI]),
    gate('H', [2]),
    gate('RX', [1], [], [-NEAR_PI]),
    gate('RXX', [2, 0], [], [NEAR_PI]),
    gate('XX-YY', [3, 2], [], [-NEAR_PI, -NEAR_PI]),
    gate('XX-YY', [0, 3], [], [NEAR_PI, -NEAR_PI]),
  ];
  const stream = new RandomStream(800 + seed);
  const angle = () => ANGLES[stream.below(ANGLES.length)]!;
  const drawn = Array.from({ length: 30 }, () => {
    const [a, b] = stream.distinct(2, 4) as [number, number];
    const name = PAIR_GATES[stream.below(PAIR_GATES.length)]!;
    if (stream.below(4) === 0) return gate('H', [a]);
    if (name === 'CRX') return gate(name, [a], [b], [angle()]);
    return gate(name, [a, b], [], name.startsWith('XX') ? [angle(), angle()] : [angle()]);
  });
  return [known, drawn].map((operations) => ({ numQubits: 4, numBits: 0, operations }));
}

/** Holds an engine to the results of programs that have shapes. */
export function describeShapes({ engine, tolerance }: EngineUnderTest): void {
  const stateOf = async ({ program }: Pick<ShapedProgram, 'program'>) =>
    (await runProgram(engine(), program, { statevector: true })).statevector!;

  describe('shapes', () => {
    for (const [costs, targetOf] of COSTS) {
      testSeeds(`by ${costs} give each program its state`, SEEDS, async (seed) => {
        const circuit = shapedCircuit(seed, NUM_QUBITS);
        for (const each of programsOf(circuit, targetOf(engine().target), seed)) {
          const found = await stateOf(each);
          expect(worstAmplitude(found, amplitudesOf(seed, each))).toBeLessThan(tolerance);
        }
      });
    }

    testSeeds('give the same state whatever programs came before', SEEDS, async (seed) => {
      const circuit = shapedCircuit(seed, NUM_QUBITS);
      const inTurn: Float64Array[] = [];
      for (const each of programsOf(circuit, engine().target, seed)) {
        inTurn.push(await stateOf(each));
      }
      // Compiled anew, so that the engine sees a shape that it does not know.
      const again = programsOf(circuit, engine().target, seed);
      for (const [i, each] of [...again.entries()].reverse()) {
        expect(await stateOf(each)).toEqual(inTurn[i]);
      }
    });

    testSeeds('do not impose forms on matrices that have others', SEEDS, async (seed) => {
      const circuit = shapedCircuit(seed, NUM_QUBITS);
      for (const each of programsOf(circuit, engine().target, seed)) {
        const shape = { ...each.program.shape!, fragile: new Set<number>() };
        const found = await stateOf({ program: { ...each.program, shape } });
        expect(worstAmplitude(found, amplitudesOf(seed, each))).toBeLessThan(tolerance);
      }
    });

    testSeeds('keep the range of the precision where tangents are large', SEEDS, async (seed) => {
      for (const circuit of nearPi(seed)) {
        const { slots, values } = angleKinds(anglesOf(circuit));
        const program = compileShape(circuit, { slots }, engine().target).bind(values);
        if (program === undefined) continue;
        const found = await stateOf({ program });
        expect(worstAmplitude(found, finalAmplitudes(circuit))).toBeLessThan(tolerance);
      }
    });

    test('give counts that follow from the seed alone', async () => {
      const circuit = shapedCircuit(0, NUM_QUBITS);
      const qubits = Array.from({ length: NUM_QUBITS }, (_, qubit) => qubit);
      const measure = { kind: 'measure', qubits, bits: qubits } as const;
      const measured = {
        ...circuit,
        numBits: NUM_QUBITS,
        operations: [...circuit.operations, measure],
      };
      const ask = { shots: 200, seed: 5 };
      const countsOf = async ({ program }: ShapedProgram) =>
        (await runProgram(engine(), program, ask)).counts;
      const [first, second] = programsOf(measured, engine().target, 1);
      const own = await countsOf(first!);
      await countsOf(second!);
      expect(await countsOf(first!)).toEqual(own);
    });
  });
}
