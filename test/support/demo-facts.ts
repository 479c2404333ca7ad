/** Facts and answers for the page at `/`: of a circuit of the model's shape, with angles of its own. */
import type { DemoFacts, DemoOperation } from '../../src/console/demo/demo-facts.ts';

const ENDPOINT = '/api/v1/demo/qnn-hybrid';
const NUM_QUBITS = 4;
const LAYERS = 2;

/** Radians, each another. */
const theta = (index: number): number => Math.round(300 * Math.sin(1.7 * index + 0.4)) / 100;

function layer(index: number): readonly DemoOperation[] {
  const qubits = [...Array(NUM_QUBITS).keys()];
  const first = index * 2 * NUM_QUBITS;
  const encoding = qubits.map((qubit) => ({
    gate: 'RY',
    controls: [],
    targets: [qubit],
    angle: { feature: qubit, factor: Math.PI / 2, offset: theta(first + qubit) },
  }));
  const turning = qubits.map((qubit) => ({
    gate: 'RZ',
    controls: [],
    targets: [qubit],
    angle: { factor: 0, offset: theta(first + NUM_QUBITS + qubit) },
  }));
  const ring = qubits.map((qubit) => ({
    gate: 'CX',
    controls: [qubit],
    targets: [(qubit + 1) % NUM_QUBITS],
  }));
  return [...encoding, ...turning, ...ring];
}

/** Facts without the service's self-test. */
const FACTS = {
  model: {
    id: 'qnn-hybrid',
    name: 'qnn-hybrid',
    description:
      'A variational quantum classifier of two kinds of iris, versicolor and virginica, the pair that no straight line separates.',
  },
  endpoint: ENDPOINT,
  features: [
    { name: 'sepal length', unit: 'cm', minimum: 4.9, maximum: 7.9, typical: 6.3 },
    { name: 'sepal width', unit: 'cm', minimum: 2.0, maximum: 3.8, typical: 2.9 },
    { name: 'petal length', unit: 'cm', minimum: 3.0, maximum: 6.9, typical: 5.6 },
    { name: 'petal width', unit: 'cm', minimum: 1.0, maximum: 2.5, typical: 2.0 },
  ],
  labels: ['versicolor', 'virginica'],
  labelAbove: 1,
  circuit: {
    qubits: NUM_QUBITS,
    layers: LAYERS,
    parameters: 16,
    observable: { text: '⟨Z₀⟩', qubits: [0] },
    operations: [...Array(LAYERS).keys()].flatMap(layer),
  },
  threshold: 0.062,
  shots: 1024,
  accuracy: {
    mean: 0.94,
    spread: 0.054,
    basis:
      'Both by 5-fold cross-validation, 20 times over. Each prediction of the circuit rests on 1,024 shots; the classical model has none',
    baseline: { name: 'Linear discriminant analysis', mean: 0.962, spread: 0.041 },
  },
  requestsPerMinute: 10,
  availability: { available: true },
  examples: [
    { name: 'A typical versicolor', input: [5.8, 2.7, 4.1, 1.3] },
    { name: 'A typical virginica', input: [6.5, 3.0, 5.8, 2.2] },
    { name: 'A borderline one', input: [6.0, 2.7, 5.1, 1.6] },
  ],
} satisfies DemoFacts;

/** Counts of all outcomes by basis index, which make 1,024 shots. */
const COUNTS = {
  virginica: [214, 31, 96, 18, 142, 22, 71, 9, 88, 25, 57, 12, 119, 30, 74, 16],
  versicolor: [22, 171, 14, 83, 31, 118, 9, 62, 18, 140, 12, 77, 25, 134, 6, 102],
  close: [97, 82, 64, 40, 84, 61, 38, 55, 86, 56, 56, 43, 84, 60, 73, 45],
  lopsided: [20, 1004, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  borderline: [91, 82, 64, 40, 77, 61, 38, 55, 70, 66, 49, 58, 84, 71, 63, 55],
};

/** A body as the service answers with. */
export function demoBody(kind: keyof typeof COUNTS): object {
  const counts = Object.fromEntries(
    COUNTS[kind].map((count, index) => [index.toString(2).padStart(NUM_QUBITS, '0'), count]),
  );
  const minus = COUNTS[kind].reduce((sum, count, index) => sum + (index % 2) * count, 0);
  const { shots, threshold, labels } = FACTS;
  const expectation = 1 - (2 * minus) / shots;
  const prediction = expectation > threshold ? 1 : 0;
  return {
    success: true,
    data: {
      model_id: 'qnn-hybrid',
      mode: 'trained',
      prediction,
      prediction_label: labels[prediction],
      expectation,
      threshold,
      margin_in_shot_noise:
        Math.abs(expectation - threshold) / Math.sqrt((1 - expectation ** 2) / shots),
      backend: 'statevector-sim (cpu, f64)',
      qubits: NUM_QUBITS,
      layers: LAYERS,
      parameters: 16,
      shots_per_circuit: shots,
      seed: 8123440713,
      out_of_range: [],
      counts,
      bit_order: 'little-endian',
      timing: { queue_ms: 0.21, execution_ms: 1.84 },
    },
    meta: { version: '0.1.0', timestamp: '2026-01-02T03:04:05.678Z', request_id: 'test' },
  };
}

/** Facts that the page receives. */
export const DEMO_FACTS: DemoFacts = { ...FACTS, selfTest: demoBody('virginica') };

/** A body of an error. */
export function demoErrorBody(code: string, status: number, message: string): object {
  return { success: false, error: { code, message, status, details: [] }, meta: {} };
}
