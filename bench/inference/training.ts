/** Times a whole training, and one gradient of the deployed circuit over all flowers, on the engine of the training. */
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { exactGradients } from '../../src/workloads/algorithms/training/gradients.ts';
import { OBSERVABLE } from '../../src/workloads/models/qnn-hybrid/reuploading-ansatz.ts';
import { trainQnnHybrid } from '../../src/workloads/models/qnn-hybrid/train-qnn-hybrid.ts';
import { engineCircuits } from '../../src/workloads/procedures/engine-circuits.ts';
import type { Measurement } from '../harness.ts';
import { interleaved } from '../interleaved.ts';
import type { DeployedModel } from './deployed-model.ts';

const NUM_ROWS = 100;
const ROUNDS = 9;
const PER_ROUND = 20;
const TOLERANCE = 1e-9;
const US_PER_MS = 1000;

const { signal } = new AbortController();

/** Seconds of a training, and milliseconds of a gradient. */
export async function measureTraining(model: DeployedModel): Promise<readonly Measurement[]> {
  const options = { precision: 'f64', numThreads: 1, maxQubits: 12 } as const;
  const engine = openCpuEngine({ ...options, isReproducible: true });
  const fused = openCpuEngine(options);
  const { circuit, theta } = model;
  const { inputs } = model.flowers(NUM_ROWS);
  const gradientOn = (on: Engine) => {
    const circuits = engineCircuits(on, signal);
    return () => exactGradients(circuit, theta, inputs, [OBSERVABLE], circuits);
  };
  const [reproducible, usual] = [gradientOn(engine), gradientOn(fused)];
  const expected = await gradientOn(openReferenceEngine({ maxQubits: 12 }))();
  for (const found of [await reproducible(), await usual()]) {
    checkSame(found.gradients, expected.gradients);
  }
  const what = `gradient of the deployed circuit, ${NUM_ROWS} rows, f64, 1 thread`;
  const times = await interleaved(
    [
      { name: what, perRound: PER_ROUND, run: usual },
      { name: `${what}, reproducible`, perRound: PER_ROUND, run: reproducible },
    ],
    ROUNDS,
  );
  const start = performance.now();
  const outcome = await trainQnnHybrid(engine, () => {}, signal);
  const seconds = (performance.now() - start) / 1000;
  checkSame(outcome.deployed.fitted.theta, theta);
  await engine.close();
  await fused.close();
  return [
    ...times.map(inMs),
    { name: 'training from the data to the deployed parameters', value: seconds, unit: 's' },
  ];
}

function inMs({ name, value, spread }: Measurement): Measurement {
  return {
    name,
    value: value / US_PER_MS,
    unit: 'ms',
    ...(spread && { spread: [spread[0] / US_PER_MS, spread[1] / US_PER_MS] as const }),
  };
}

function checkSame(found: ArrayLike<number>, expected: ArrayLike<number>): void {
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(found[i]! - expected[i]!);
    if (!(difference < TOLERANCE)) throw new Error(`number ${i} is off by ${difference}`);
  }
}
