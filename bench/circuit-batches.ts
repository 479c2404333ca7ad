/**
 * Batches of 4-qubit, 40-gate circuits, each with its own angles: circuits per second, results
 * included. Some circuits of each batch are first run one by one and must give the same results.
 */
import { type Circuit, type Operation, withFinalMeasurement } from '../src/circuit/circuit.ts';
import type { PauliSum } from '../src/circuit/observable.ts';
import { compile } from '../src/compiler/compile.ts';
import type { BatchExecutable, BatchRequest } from '../src/engine/batch-request.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import type { CpuEngine } from '../src/engine/cpu/hosted-engine.ts';
import { uniformDraw } from '../src/math/philox.ts';
import { type Measurement, measureMs, report } from './harness.ts';

const NUM_QUBITS = 4;
const NUM_LAYERS = 4;
const NUM_CIRCUITS = 200_000;
const NUM_VERIFIED = 10;
const REPEATS = 7;
const SHOTS = 100;
const GOAL = 300_000;
const TOLERANCE = { f32: 1e-5, f64: 1e-12 };

const { signal } = new AbortController();
const QUBITS = Array.from({ length: NUM_QUBITS }, (_, q) => q);
const Z_ON_EACH = QUBITS.map(
  (qubit): PauliSum => [{ coefficient: 1, factors: [{ pauli: 'Z', qubit }] }],
);

const rotation = (gate: string, target: number): Operation => ({
  kind: 'gate',
  gate,
  controls: [],
  targets: [target],
  angles: [0],
});
const flip = (control: number): Operation => ({
  kind: 'gate',
  gate: 'CX',
  controls: [control],
  targets: [control + 1],
  angles: [],
});

/** A layer of a variational circuit: seven rotations, three CX. */
const LAYER = [
  ...QUBITS.map((q) => rotation('RY', q)),
  ...QUBITS.slice(1).map((q) => rotation('RZ', q)),
  ...QUBITS.slice(1).map((q) => flip(q - 1)),
];
const SHAPE: Circuit = withFinalMeasurement({
  numQubits: NUM_QUBITS,
  numBits: 0,
  operations: Array.from({ length: NUM_LAYERS }, () => LAYER).flat(),
});

/** The shape with one circuit's angles. */
function circuitOf(angles: Float64Array): Circuit {
  let slot = 0;
  const operations = SHAPE.operations.map((operation) =>
    operation.kind === 'gate'
      ? { ...operation, angles: operation.angles.map(() => angles[slot++] ?? 0) }
      : operation,
  );
  return { ...SHAPE, operations };
}

/** Prints and stores circuits a second. */
export async function benchCircuitBatches(): Promise<void> {
  const measurements: Measurement[] = [];
  for (const precision of ['f32', 'f64'] as const) {
    for (const numThreads of [1, 2]) {
      const engine = openCpuEngine({ precision, numThreads, maxQubits: 12 });
      const batch = await engine.prepare.batch(SHAPE);
      const angles = Float64Array.from(
        { length: NUM_CIRCUITS * batch.numAngles },
        (_, i) => 2 * Math.PI * uniformDraw(1, i, 0, 0),
      );
      const request = { numCircuits: NUM_CIRCUITS, angles };
      const outputs = [
        { name: 'Z on each qubit', request: { ...request, observables: Z_ON_EACH } },
        { name: `${SHOTS} shots`, request: { ...request, shots: SHOTS, seed: 1 } },
      ];
      for (const { name, request } of outputs) {
        await verify(engine, batch, request, TOLERANCE[precision]);
        const { value, spread } = await measureMs(name, REPEATS, () => batch.run(request, signal));
        const perSecond = (ms: number) => (1000 * NUM_CIRCUITS) / ms;
        const [least, most] = spread ?? [value, value];
        measurements.push({
          name: `${precision}, ${numThreads} threads, ${name}`,
          value: perSecond(value),
          unit: 'circuits/s',
          spread: [perSecond(most), perSecond(least)],
          ...(numThreads === 2 && { goal: GOAL }),
        });
      }
      await engine.close();
    }
  }
  report('circuit-batches', measurements);
}

/** Runs some circuits of the batch alone. */
async function verify(
  engine: CpuEngine,
  batch: BatchExecutable,
  request: BatchRequest,
  tolerance: number,
): Promise<void> {
  const { expectations, counts } = await batch.run(request, signal);
  const { angles, numCircuits, shots = 0, observables = [] } = request;
  for (let i = 0; i < NUM_VERIFIED; i++) {
    const k = i < NUM_VERIFIED - 1 ? 97 * i : numCircuits - 1;
    const own = angles.subarray(k * batch.numAngles, (k + 1) * batch.numAngles);
    const { program } = compile(circuitOf(own), engine.target);
    await using executable = await engine.prepare.statevector(program);
    const alone = await executable.run({ shots, seed: 1 + k, observables }, signal);
    for (const [j, value] of (alone.expectations ?? []).entries()) {
      const found = expectations?.[k * observables.length + j] ?? Number.NaN;
      if (!(Math.abs(found - value) < tolerance)) throw new Error(`circuit ${k}: ⟨Z${j}⟩ ${found}`);
    }
    for (const [j, outcome] of alone.counts.outcomes.entries()) {
      const found = counts?.[k * 2 ** NUM_QUBITS + outcome];
      // In single precision a draw may occasionally fall on the other side of a boundary.
      const expected = alone.counts.occurrences[j] ?? 0;
      const isSame = Math.abs((found ?? Number.NaN) - expected) <= (tolerance > 1e-9 ? 1 : 0);
      if (shots > 0 && !isSame) throw new Error(`circuit ${k}: ${found} of outcome ${outcome}`);
    }
  }
}
