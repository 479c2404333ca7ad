/**
 * The deployed circuit on the CPU engine, double precision, one thread: batches of one row and of many,
 * without shots, with those of an inference, and with the most that a caller may ask for.
 *
 * Runs without shots give the exact ⟨Z₀⟩ instead; what the others take more is the drawing.
 */
import type { BatchExecutable, BatchRequest } from '../../src/engine/batch-request.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { INFERENCE_LIMITS } from '../../src/workloads/models/qnn-hybrid/classification-request.ts';
import { OBSERVABLE } from '../../src/workloads/models/qnn-hybrid/reuploading-ansatz.ts';
import {
  sampledExpectation,
  timesBitZeroClear,
} from '../../src/workloads/models/qnn-hybrid/sampled-expectations.ts';
import type { Measurement } from '../harness.ts';
import { interleaved, perSecond, type Variant } from '../interleaved.ts';
import { checkExpectations } from './answer-checks.ts';
import type { DeployedModel, Flowers } from './deployed-model.ts';

const ROWS = [1, 16, 256] as const;
const ROUNDS = 7;
/** Rows of one round of each way. */
const ROWS_PER_ROUND = 1024;
const TOLERANCE = 1e-12;

const { signal } = new AbortController();

/** A batch of so many rows with so many shots each. */
interface Case {
  readonly numRows: number;
  readonly shots: number;
  readonly name: string;
}

/** Microseconds of a batch, rows a second, and shots drawn a second. */
export async function measureAtEngine(model: DeployedModel): Promise<readonly Measurement[]> {
  const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12 });
  await using batch = await engine.prepare.batch(model.circuit.shape);
  const shotCounts = [0, model.shots, INFERENCE_LIMITS.maxShots];
  const cases = ROWS.flatMap((numRows) =>
    shotCounts.map((shots): Case => {
      const rows = numRows === 1 ? '1 row' : `${numRows} rows`;
      return { numRows, shots, name: `engine, f64, 1 thread, ${rows}, ${shots} shots` };
    }),
  );
  const variants: Variant[] = [];
  for (const { numRows, shots, name } of cases) {
    const flowers = model.flowers(numRows);
    const request = requestOf(model, flowers, shots);
    await verify(batch, request, flowers);
    const perRound = Math.max(1, ROWS_PER_ROUND / numRows);
    variants.push({ name, perRound, run: () => batch.run(request, signal) });
  }
  const times = await interleaved(variants, ROUNDS);
  await engine.close();
  return [
    ...times,
    ...cases.flatMap(({ numRows, shots, name }, i) =>
      numRows === 1 || shots === 0 ? [] : [perSecond(`${name}: rows`, times[i]!, numRows)],
    ),
    drawingRate(cases, times),
  ];
}

/** From two runs that differ in their shots alone. */
function drawingRate(cases: readonly Case[], times: readonly Measurement[]): Measurement {
  const most = Math.max(...ROWS);
  const [, few, many] = cases.flatMap(({ numRows, shots }, i) =>
    numRows === most ? [{ shots, us: times[i]!.value }] : [],
  );
  const [drawn, us] = [most * (many!.shots - few!.shots), many!.us - few!.us];
  return {
    name: 'engine, f64, 1 thread: shots drawn',
    value: drawn / us,
    unit: 'million a second',
  };
}

function requestOf(model: DeployedModel, flowers: Flowers, shots: number): BatchRequest {
  const request = { numCircuits: flowers.rows.length, angles: model.anglesOf(flowers) };
  return shots === 0
    ? { ...request, observables: [OBSERVABLE] }
    : { ...request, shots, seeds: flowers.rows.map((_, k) => k) };
}

async function verify(
  batch: BatchExecutable,
  request: BatchRequest,
  { exact }: Flowers,
): Promise<void> {
  const { expectations, counts = new Uint32Array() } = await batch.run(request, signal);
  const { shots = 0 } = request;
  if (shots === 0) {
    const isRight = exact.every((value, k) => Math.abs(value - expectations![k]!) < TOLERANCE);
    if (!isRight)
      throw new Error('the engine has other expectation values than the reference engine');
    return;
  }
  const size = counts.length / exact.length;
  const found = exact.map((_, k) =>
    sampledExpectation(timesBitZeroClear(counts.subarray(k * size, (k + 1) * size)), shots),
  );
  checkExpectations(found, exact, shots);
}
