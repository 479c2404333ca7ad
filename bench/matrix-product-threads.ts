/**
 * `npm run bench matrix-product-threads`: matrix product states on one thread and on two, in turns.
 *
 * Both give the same counts and values to the last bit, which is checked first. Beside the elapsed time there is the
 * processor time of the calling thread: on two threads it is what the run would take if the second one always had a core
 * of its own, and other load on the machine affects it little.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Circuit, Operation } from '../src/circuit/circuit.ts';
import type { PauliSum } from '../src/circuit/observable.ts';
import { compileMatrixProduct } from '../src/compiler/chain/compile-matrix-product.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import type { RunRequest } from '../src/engine/engine.ts';
import { randomUnitary } from '../test/support/random-circuits.ts';
import { RandomStream } from '../test/support/random-stream.ts';
import { type Measurement, median, report } from './harness.ts';
import { isingQuench, LIMITS } from './matrix-products.ts';

const THREADS = [1, 2] as const;
const LABELS = ['one thread', 'two threads'] as const;
const ROUNDS = 5;
const NEVER = new AbortController().signal;

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

function measured(numQubits: number, operations: readonly Operation[]): Circuit {
  const all = upTo(numQubits);
  const last: Operation = { kind: 'measure', qubits: all, bits: all };
  return { numQubits, numBits: numQubits, operations: [...operations, last] };
}

/** Layers of random unitaries on neighbours among 40 qubits. */
function brickwork(numLayers: number): Circuit {
  const stream = new RandomStream(3);
  const layers = upTo(numLayers).flatMap((layer) =>
    upTo(39)
      .filter((q) => q % 2 === layer % 2)
      .map((q): Operation => {
        const matrix = randomUnitary(stream, 2);
        return { kind: 'unitary', controls: [], targets: [q, q + 1], matrix };
      }),
  );
  return measured(40, layers);
}

/** X on one qubit and Z on a later one, for all pairs of 100 qubits. */
const PAIRS: readonly PauliSum[] = upTo(100).flatMap((b) =>
  upTo(b).map((a): PauliSum => {
    const factors = [
      { pauli: 'X', qubit: a },
      { pauli: 'Z', qubit: b },
    ] as const;
    return [{ coefficient: 1, factors }];
  }),
);

const quench = measured(100, isingQuench(30));

const WORK: Readonly<Record<string, readonly [circuit: Circuit, ask: Partial<RunRequest>]>> = {
  'Ising quench, 20 steps, 1,000 shots': [measured(100, isingQuench(20)), { shots: 1000 }],
  'Ising quench, 30 steps, 1,000 shots': [quench, { shots: 1000 }],
  'Ising quench, 30 steps, 10,000 shots': [quench, { shots: 10_000 }],
  'Ising quench, 30 steps, 4,950 strings': [quench, { observables: PAIRS }],
  'Brickwork of 40 qubits, 7 layers, 1,000 shots': [brickwork(7), { shots: 1000 }],
  'Brickwork of 40 qubits, 9 layers, 1,000 shots': [brickwork(9), { shots: 1000 }],
};

/** Measures each operation on one thread and on two. */
export async function benchMatrixProductThreads(): Promise<void> {
  const engines = THREADS.map((numThreads) =>
    openCpuEngine({ precision: 'f64', numThreads, maxQubits: 20 }),
  );
  const measurements: Measurement[] = [];
  for (const [name, [circuit, ask]] of Object.entries(WORK)) {
    const program = compileMatrixProduct(circuit, LIMITS);
    const elapsed: number[][] = THREADS.map(() => []);
    const processor: number[][] = THREADS.map(() => []);
    let largestBond = 1;
    for (let round = 0; round < ROUNDS; round++) {
      const answers = [];
      for (const [i, engine] of engines.entries()) {
        if (engine.prepare.matrix_product_state === undefined) throw new Error('unreachable');
        await using executable = await engine.prepare.matrix_product_state(program);
        const usage = process.threadCpuUsage();
        const started = performance.now();
        const { timing, ...answer } = await executable.run({ shots: 0, seed: 1, ...ask }, NEVER);
        elapsed[i]!.push(performance.now() - started);
        const { user, system } = process.threadCpuUsage(usage);
        processor[i]!.push((user + system) / 1000);
        answers.push(answer);
        largestBond = answer.largestBond!;
      }
      if (!isDeepStrictEqual(answers[0], answers[1])) throw new Error(`${name}: results differ`);
    }
    measurements.push({ name: `${name}: largest bond`, value: largestBond, unit: '' });
    for (const [what, times] of [
      ['elapsed', elapsed],
      ['calling thread', processor],
    ] as const) {
      for (const [i, values] of times.entries()) {
        const spread = [Math.min(...values), Math.max(...values)] as const;
        const measured = `${name}: ${what}, ${LABELS[i]}`;
        measurements.push({ name: measured, value: median(values), unit: 'ms', spread });
      }
      const ratios = times[0]!.map((alone, i) => alone / times[1]![i]!);
      const spread = [Math.min(...ratios), Math.max(...ratios)] as const;
      measurements.push({
        name: `${name}: ${what}, ratio`,
        value: median(ratios),
        unit: '',
        spread,
      });
    }
  }
  await Promise.all(engines.map((engine) => engine.close()));
  report('matrix-product-threads', measurements);
}
