/** The committed model and its card, as far as no training is needed to check them. */
import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { Circuit } from '../../../../../src/circuit/circuit.ts';
import { openCpuEngine } from '../../../../../src/engine/cpu/cpu-engine.ts';
import { openReferenceEngine } from '../../../../../src/engine/reference/reference-engine.ts';
import { BASELINES } from '../../../../../src/workloads/algorithms/training/baselines.ts';
import { stratifiedSplits } from '../../../../../src/workloads/algorithms/training/model-evaluation.ts';
import { readArtefact } from '../../../../../src/workloads/models/qnn-hybrid/artefact-file.ts';
import {
  fitScaler,
  scaleRow,
} from '../../../../../src/workloads/models/qnn-hybrid/feature-scaler.ts';
import { fitClassifier } from '../../../../../src/workloads/models/qnn-hybrid/fit-classifier.ts';
import { irisPair } from '../../../../../src/workloads/models/qnn-hybrid/iris-pair.ts';
import { OBSERVABLE } from '../../../../../src/workloads/models/qnn-hybrid/reuploading-ansatz.ts';
import {
  circuitOf,
  crossValidate,
} from '../../../../../src/workloads/models/qnn-hybrid/select-architecture.ts';
import { TRAINING_PLAN } from '../../../../../src/workloads/models/qnn-hybrid/train-qnn-hybrid.ts';
import { engineCircuits } from '../../../../../src/workloads/procedures/engine-circuits.ts';
import { overFolds, shareRight } from '../../../../support/accuracies.ts';
import { NEVER, runCircuit } from '../../../../support/engine-runs.ts';
import {
  plainDiscriminant,
  plainLogistic,
  plainStandardisedLogistic,
} from '../../../../support/plain-baselines.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';
import { gate } from '../../../../support/random-circuits.ts';
import {
  exactZ0,
  rangeScaler,
  writtenGhz,
  writtenRing,
} from '../../../../support/reuploading-circuits.ts';
import { TRAINING_ENGINE } from '../../../../support/training-outcomes.ts';

const { rows, labels } = irisPair();
const committed = readArtefact();
const { card, parameters } = committed;
const scaled = rangeScaler(rows);
const plan = TRAINING_PLAN;
const splits = stratifiedSplits(labels, plan.evaluation);
const reference = openReferenceEngine({ maxQubits: 4 });
afterAll(() => reference.close());

/** JSON with fields in alphabetical order and no spaces. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = new Map(Object.entries(value));
  const names = [...fields.keys()].sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(fields.get(name))}`).join()}}`;
}

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

describe('the published baselines', () => {
  const supportVectors = BASELINES.find(({ id }) => id === 'svc-rbf')!.fit;

  test.each([
    ['lda', plainDiscriminant],
    ['logistic-regression', plainLogistic],
    ['logistic-regression-standardised', plainStandardisedLogistic],
    ['svc-rbf', supportVectors],
  ])('are measured on the same splits: %s', (id, learn) => {
    const accuracies = splits.map(({ train, test }) => {
      const decide = learn(
        train.map((row) => rows[row]!),
        train.map((row) => labels[row]!),
      );
      return shareRight(
        test.map((row) => (decide(rows[row]!) > 0 ? 1 : 0)),
        test.map((row) => labels[row]!),
      );
    });
    const published = card.baselines.find((baseline) => baseline.id === id)!;
    expect(published.accuracy).toEqual(overFolds(accuracies));
  });

  test('are all four', () => {
    expect(card.baselines).toHaveLength(4);
  });

  test('have LDA at most 0.005 above the model, which reaches 0.94', () => {
    const lda = card.baselines.find(({ id }) => id === 'lda')!;
    expect(card.metrics.accuracy.mean).toBeGreaterThanOrEqual(0.94);
    expect(card.metrics.accuracy.mean).toBeGreaterThanOrEqual(lda.accuracy.mean - 0.005);
    expect(card.metrics.accuracy_at_deployed_shots.mean).toBeGreaterThanOrEqual(0.94);
  });
});

describe('the chosen circuit', () => {
  test('is the smallest within one standard error of the best', () => {
    const { candidates } = card.model_selection;
    const best = candidates.toSorted((a, b) => b.accuracy.mean - a.accuracy.mean)[0]!;
    const bar = best.accuracy.mean - best.accuracy.spread / Math.sqrt(5 * 4);
    const [smallest] = candidates
      .filter(({ accuracy }) => accuracy.mean >= bar)
      .sort((a, b) => a.parameters - b.parameters);
    expect(candidates.filter(({ chosen }) => chosen)).toEqual([smallest]);
    expect(card.circuit).toMatchObject({
      ansatz: smallest!.ansatz,
      layers: smallest!.layers,
      parameters: smallest!.parameters,
    });
  });

  test('competed with one to three layers of both families', () => {
    const found = card.model_selection.candidates.map(
      ({ ansatz, layers, parameters: count }) => `${ansatz} ${layers} ${count}`,
    );
    const wanted = [1, 2, 3].flatMap((layers) => [
      `ghz-reuploading ${layers} ${12 * layers}`,
      `ring-reuploading ${layers} ${8 * layers}`,
    ]);
    expect(found.sort()).toEqual(wanted.sort());
  });

  test.each([
    [0, 'ghz-reuploading', writtenGhz],
    [1, 'ring-reuploading', writtenRing],
  ] as const)(
    'was compared by what a slow simulation finds: candidate %i, %s',
    async (at, ansatz, write) => {
      await using service = openTestContext();
      const own = stratifiedSplits(labels, { numFolds: 5, numRepeats: 4, seed: 1 });
      const folds = await crossValidate(
        circuitOf({ ansatz, layers: 1 }),
        { rows, labels },
        own,
        plan.fit,
        service.context.circuits,
        async () => {},
      );
      const accuracies = folds.map(({ fitted: { theta, threshold } }, i) => {
        const { train, test } = own[i]!;
        const scale = rangeScaler(train.map((row) => rows[row]!));
        const values = test.map((row) => exactZ0(write(4, 1, theta, scale(rows[row]!))));
        return shareRight(
          values.map((value) => (value > threshold ? 1 : 0)),
          test.map((row) => labels[row]!),
        );
      });
      expect(card.model_selection.candidates[at]!.accuracy).toEqual(overFolds(accuracies));
      expect(card.model_selection.cross_validation).toEqual({ folds: 5, repeats: 4, seed: 1 });
    },
  );

  test('is measured on other splits than it was chosen on', () => {
    const { model_selection: selection, metrics } = card;
    expect(metrics.cross_validation.seed).not.toBe(selection.cross_validation.seed);
    const chosenOn = stratifiedSplits(labels, plan.selection).map(({ test }) => `${test}`);
    expect(splits.filter(({ test }) => chosenOn.includes(`${test}`))).toEqual([]);
  });
});

describe('what is deployed', () => {
  /** The circuit that the card draws, with a flower's scaled features put in. */
  function drawnCircuit(x: readonly number[]): Circuit {
    const operations = card.circuit.operations.map(({ gate: name, targets, controls, angle }) =>
      gate(
        name,
        targets,
        controls,
        angle && [angle.offset + (angle.factor ?? 0) * (x[angle.feature ?? 0] ?? Number.NaN)],
      ),
    );
    const qubits = [0, 1, 2, 3];
    const measure = { kind: 'measure', qubits, bits: qubits } as const;
    return { numQubits: 4, numBits: 4, operations: [...operations, measure] };
  }

  async function exactValue(circuit: Circuit): Promise<number> {
    const { expectations: values } = await runCircuit(reference, circuit, {
      observables: [OBSERVABLE],
    });
    return values![0]!;
  }

  test('is the circuit that the card draws, on all hundred flowers', async () => {
    for (const row of rows) {
      const drawn = await exactValue(drawnCircuit(scaled(row)));
      const deployed = await exactValue(writtenGhz(4, 1, parameters.theta, scaled(row)));
      expect(drawn).toBeCloseTo(deployed, 12);
    }
  });

  test('was trained on all rows, and is as right about them as the card says', () => {
    const predictions: readonly number[] = rows.map((row) =>
      exactZ0(writtenGhz(4, 1, parameters.theta, scaled(row))) > parameters.threshold ? 1 : 0,
    );
    expect(card.metrics.training_accuracy).toBeCloseTo(shareRight(predictions, labels), 6);
    expect(card.circuit.threshold).toBe(parameters.threshold);
  });

  test('has the threshold that its own training rows give', () => {
    const values = rows.map((row) => [exactZ0(writtenGhz(4, 1, parameters.theta, scaled(row)))]);
    const decide = plainLogistic(values, labels);
    const zero = -decide([0]) / (decide([1]) - decide([0]));
    expect(parameters.threshold).toBeCloseTo(zero, 6);
  });

  test('ended with the loss that the card says, before its last step', async () => {
    const steps = plan.fit.steps - 1;
    const circuit = circuitOf({ ansatz: 'ghz-reuploading', layers: 1 });
    await using service = openTestContext();
    const { theta } = await fitClassifier(
      circuit,
      { rows: rows.map(scaled), labels },
      { ...plan.fit, steps },
      service.context.circuits,
    );
    const losses = rows.map((row, i) => {
      const sign = labels[i] === 1 ? 1 : -1;
      const value = exactZ0(writtenGhz(4, 1, theta, scaled(row)));
      return Math.log(1 + Math.exp(-sign * 3 * value));
    });
    const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
    expect(card.training.final_loss).toBeCloseTo(mean, 6);
  });

  test('comes from the data and the plan alone, to the last bit', async () => {
    const engine = openCpuEngine(TRAINING_ENGINE);
    const scaler = fitScaler(rows);
    const { theta, threshold } = await fitClassifier(
      circuitOf({ ansatz: 'ghz-reuploading', layers: 1 }),
      { rows: rows.map((row) => scaleRow(scaler, row).values), labels },
      plan.fit,
      engineCircuits(engine, NEVER),
    );
    await engine.close();
    expect({ theta: [...theta], threshold }).toEqual({
      theta: parameters.theta,
      threshold: parameters.threshold,
    });
  });

  test('is known by the answers that the reference engine gives', async () => {
    for (const { input, label, expectation } of committed.known_answers) {
      const exact = await exactValue(writtenGhz(4, 1, parameters.theta, scaled(input)));
      expect(expectation).toBeCloseTo(exact, 12);
      const at = rows.findIndex((row) => `${row}` === `${input}`);
      expect(labels[at]).toBe(label);
    }
  });

  test('is known by a typical flower of each class and by the hardest of all', () => {
    const middle = (of: number) =>
      [0, 1, 2, 3].map(
        (f) => rows.reduce((s, row, i) => s + (labels[i] === of ? row[f]! : 0), 0) / 50,
      );
    const nearest = (of: number) => {
      const to = middle(of);
      return rows
        .filter((_, i) => labels[i] === of)
        .map((row) => ({ row, far: Math.hypot(...row.map((value, f) => value - to[f]!)) }))
        .sort((a, b) => a.far - b.far)[0]!.row;
    };
    const hardest = rows
      .map((row) => ({
        row,
        far: Math.abs(
          exactZ0(writtenGhz(4, 1, parameters.theta, scaled(row))) - parameters.threshold,
        ),
      }))
      .sort((a, b) => a.far - b.far)[0]!.row;
    const inputs = committed.known_answers.map(({ input }) => input);
    expect(inputs).toEqual([nearest(0), nearest(1), hardest]);
  });

  test('carries the hash of its parameters and of its data', () => {
    expect(card.parameter_hash).toBe(sha256(canonical(parameters)));
    expect(card.training.data.hash).toBe(sha256(canonical({ rows, labels })));
  });

  test('names the range and mean of each feature of the data', () => {
    for (const [f, { name, minimum, maximum, mean }] of card.features.entries()) {
      const column = rows.map((row) => row[f]!).sort((a, b) => a - b);
      expect([minimum, maximum]).toEqual([column[0], column[99]]);
      expect([parameters.minimums[f], parameters.maximums[f]]).toEqual([minimum, maximum]);
      expect(mean).toBeCloseTo(column.reduce((sum, value) => sum + value, 0) / 100, 6);
      expect(card.feature_names[f]).toBe(`${name} (cm)`);
    }
  });

  test('says with which settings it was trained', () => {
    expect(card.training).toMatchObject({
      steps: 150,
      learning_rate: 0.1,
      weight_bound: 4,
      seed: 20_261_121,
      initialisation: 'Uniform in [−0.3, 0.3]',
      loss: expect.stringContaining('ln(1 + e^(−y·3·E))'),
      data: { rows: 100, rows_per_class: [50, 50] },
    });
    expect(plan.fit).toMatchObject({
      steps: 150,
      learningRate: 0.1,
      slope: 3,
      initialSpread: 0.3,
      weightBound: 4,
    });
    expect(card.circuit.shots_per_circuit).toBe(1024);
    expect(card.limitations.join(' ')).toContain('No quantum advantage');
  });
});
