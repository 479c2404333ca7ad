/**
 * The deployed model for peers in other languages: a line of JSON that describes it, then, for each line
 * read from standard input, `single`, `batch` or `gradient`, a line with the microseconds of one of them.
 *
 * All on the CPU engine in double precision on one thread.
 */
import { createInterface } from 'node:readline';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { exactGradients } from '../../src/workloads/algorithms/training/gradients.ts';
import { OBSERVABLE } from '../../src/workloads/models/qnn-hybrid/reuploading-ansatz.ts';
import { engineCircuits } from '../../src/workloads/procedures/engine-circuits.ts';
import { deployedModel, type Flowers } from '../inference/deployed-model.ts';

const BATCH_ROWS = 256;
const GRADIENT_ROWS = 100;
/** Runs that a time is the mean of. */
const REPEATS = { single: 500, batch: 10, gradient: 50 };

const { signal } = new AbortController();
const model = await deployedModel();
const { circuit, theta, shots } = model;
const flowers = model.flowers(BATCH_ROWS);
const gradientInputs = flowers.inputs.slice(0, GRADIENT_ROWS);
const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12 });
const circuits = engineCircuits(engine, signal);
const gradient = () => exactGradients(circuit, theta, gradientInputs, [OBSERVABLE], circuits);
const batch = await engine.prepare.batch(circuit.shape);
let seed = 0;

/** Draws the rows' shots, from their inputs on. */
async function infer({ rows, ...others }: Flowers): Promise<void> {
  const angles = model.anglesOf({ rows, ...others });
  await batch.run({ numCircuits: rows.length, angles, shots, seed }, signal);
  seed += rows.length;
}

const single = model.flowers(1);
const WORK = {
  single: () => infer(single),
  batch: () => infer(flowers),
  gradient,
};

function isWork(name: string): name is keyof typeof WORK {
  return name in WORK;
}

function answer(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

answer({
  numQubits: circuit.shape.numQubits,
  gates: circuit.shape.operations.flatMap((operation) =>
    operation.kind === 'gate'
      ? [[operation.gate, operation.targets, operation.controls, operation.angles.length]]
      : [],
  ),
  angles: circuit.angles,
  theta,
  shots,
  inputs: flowers.inputs,
  exact: flowers.exact,
  gradients: [...(await gradient()).gradients],
});
for await (const name of createInterface({ input: process.stdin })) {
  if (!isWork(name)) throw new Error(`there is no work ${name}`);
  const start = performance.now();
  for (let i = 0; i < REPEATS[name]; i++) await WORK[name]();
  answer({ us: (1000 * (performance.now() - start)) / REPEATS[name] });
}
await engine.close();
