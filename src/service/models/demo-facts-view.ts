/** Facts of the classifier for the page at `/`: its card and its present state. */
import type { DemoFacts } from '../../console/demo/demo-facts.ts';
import type { ModelDirectory } from '../directories.ts';
import { viewDemoRun } from './classification-view.ts';

/** Public reason for an unavailable processor; the operator's own reason is not shown to everybody. */
const OUT_OF_SERVICE = 'The model is out of service; try again later.';

/** Present facts of the model. */
export function demoFactsOf(
  classifier: ModelDirectory['classifier'],
  requestsPerMinute: number,
): DemoFacts {
  const { card, knownAnswers } = classifier;
  const { circuit, metrics, baselines, labels } = card;
  const [best] = [...baselines].sort((a, b) => b.accuracy.mean - a.accuracy.mean);
  if (best === undefined) throw new Error('unreachable: a card without a baseline');
  const { folds, repeats } = metrics.cross_validation;
  const { shots, mean, spread } = metrics.accuracy_at_deployed_shots;
  const { available } = classifier.availability();
  const lastSelfTest = classifier.lastSelfTest();
  return {
    model: { id: card.model_id, name: card.name, description: card.description },
    endpoint: `/api/v1/demo/${card.model_id}`,
    features: card.features.map(({ name, unit, minimum, maximum, mean: typical }) => ({
      name,
      unit,
      minimum,
      maximum,
      typical: Math.round(typical * 10) / 10,
    })),
    labels: [labels[0] ?? '0', labels[1] ?? '1'],
    labelAbove: 1,
    circuit: {
      qubits: circuit.qubits,
      layers: circuit.layers,
      parameters: circuit.parameters,
      observable: { text: '⟨Z₀⟩', qubits: [0] },
      operations: circuit.operations.map(({ gate, controls = [], targets, angle }) => ({
        gate,
        controls,
        targets,
        ...(angle && {
          angle: {
            offset: angle.offset,
            factor: angle.factor ?? 0,
            ...(angle.feature !== undefined && { feature: angle.feature }),
          },
        }),
      })),
    },
    threshold: circuit.threshold,
    shots: circuit.shots_per_circuit,
    accuracy: {
      mean,
      spread,
      basis:
        `Both by ${folds}-fold cross-validation, ${repeats} times over. Each prediction of the circuit ` +
        `rests on ${shots.toLocaleString('en')} shots; the classical model has none`,
      baseline: { name: best.name, ...best.accuracy },
    },
    requestsPerMinute,
    availability: available ? { available } : { available, reason: OUT_OF_SERVICE },
    examples: knownAnswers.map(({ name, input }) => ({
      name: name.charAt(0).toUpperCase() + name.slice(1),
      input,
    })),
    // A self-test runs the examples in their order.
    ...(lastSelfTest && { selfTest: { data: viewDemoRun(card.model_id, lastSelfTest) } }),
  };
}
