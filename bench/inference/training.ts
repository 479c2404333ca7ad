/**
 * Times a whole training, and one gradient of the deployed circuit over all flowers, by both
 * methods.
 */
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { engineExpectations } from '../../src/workloads/algorithms/training/engine-expectations.ts';
import { prepareAdjoint } from '../../src/workloads/algorithms/training/gradients/adjoint.ts';
import { parameterShift } from '../../src/workloads/algorithms/training/gradients/parameter-shift.ts';
import { OBSERVABLE } from '../../src/workloads/models/qnn-hybrid/reuploading-ansatz.ts';
import { trainQnnHybrid } from '../../src/workloads/models/qnn-hybrid/train-qnn-hybrid.ts';
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
  const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12 });
  await using prepared = engineExpectations(engine);
  const { circuit, theta } = model;
  const { inputs } = model.flowers(NUM_ROWS);
  const gradientsOf = prepareAdjoint(circuit);
  const adjoint = () => gradientsOf(theta, inputs, [OBSERVABLE]);
  const shift = () => parameterShift(circuit, theta, inputs, [OBSERVABLE], prepared.expectations);
  checkSame(adjoint().gradients, (await shift()).gradients);
  const what = `gradient of the deployed circuit, ${NUM_ROWS} rows`;
  const [byAdjoint, byShift] = await interleaved(
    [
      { name: `${what}: adjoint`, perRound: PER_ROUND, run: adjoint },
      {
        name: `${what}: parameter shift in one batch, f64, 1 thread`,
        perRound: PER_ROUND,
        run: shift,
      },
    ],
    ROUNDS,
  );
  const start = performance.now();
  const outcome = await trainQnnHybrid(engine, () => {}, signal);
  const seconds = (performance.now() - start) / 1000;
  checkSame(outcome.deployed.fitted.theta, theta);
  await engine.close();
  return [
    inMs(byAdjoint!),
    inMs(byShift!),
    {
      name: `${what}: parameter shift by adjoint`,
      value: byShift!.value / byAdjoint!.value,
      unit: 'times as long',
    },
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
