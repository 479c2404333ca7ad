/** Live state of the composer's circuit, computed again when the circuit, an input or the step changes. */

import { computed, effect, signal } from '@preact/signals';
import type { LiveStates } from '../live-state/live-state.ts';
import type { LiveAnswer, LiveSource, ShowOptions } from '../live-state/messages.ts';
import { basisLabel } from '../numbers.ts';
import type { BlochVectors } from './circuit-words.ts';
import { columnsOf, isDisplay, objectsBefore, withoutOpenControls } from './edited-circuit.ts';
import { circuit, gateSource, shownColumns, textSource } from './editor.ts';

/** Probabilities up to this are of rounding. */
const NOTHING = 1e-12;

/** Seed of the course that is drawn of a circuit that depends on chance. */
export const seed = signal(0);
/** Qubits whose density matrix is shown. */
export const pair = signal<readonly [number, number] | undefined>(undefined);

/** The circuit as the API takes it, or the text in its place. */
export const source = computed<LiveSource>(() => textSource.value ?? gateSource.value);

/** Places of the displays: behind the gates of all columns before theirs. */
const displays = computed(() => {
  if (textSource.value !== undefined) return [];
  const columns = columnsOf(circuit.value);
  return circuit.value.steps.flatMap((step, index) => {
    const [qubit = 0] = step.targets;
    if (!isDisplay(step)) return [];
    return [{ id: step.id, qubit, step: objectsBefore(circuit.value, columns[index] ?? 0) }];
  });
});

/** What the worker is asked for. */
const question = computed(() => {
  const columns = textSource.value === undefined ? shownColumns.value : undefined;
  const options: ShowOptions = {
    ...(displays.value.length > 0 && { displays: displays.value }),
    seed: seed.value,
    ...(columns !== undefined && { step: objectsBefore(circuit.value, columns) }),
    ...(pair.value !== undefined && { pair: pair.value }),
  };
  return { source: source.value, columns, options };
});
const answered = signal<
  { readonly question: typeof question.value; readonly answer: LiveAnswer } | undefined
>(undefined);

/** The last answer; undefined before the first one. */
export const live = computed(() => answered.value?.answer);
/** Whether the last answer is that of what is shown now. */
export const isLive = computed(() => answered.value?.question === question.value);
/** Columns whose gates have been applied in the last answer; undefined for all. */
export const liveColumns = computed(() => answered.value?.question.columns);
/** Bloch vectors of the displays in the last answer, by the numbers of their steps; none where there is no state. */
export const displayed = computed<BlochVectors>(() => {
  const now = answered.value;
  const vectors = now?.answer.kind === 'state' ? now.answer.displays : undefined;
  if (now === undefined || vectors === undefined) return new Map();
  return new Map(
    (now.question.options.displays ?? []).map(({ id }, i) => {
      const [x = 0, y = 0, z = 0] = vectors.subarray(3 * i, 3 * i + 3);
      return [id, [x, y, z]];
    }),
  );
});
/** Why there is no live state in this browser; undefined while there is. */
export const liveFailure = signal<string | undefined>(undefined);
/**
 * Probability of each basis state of all qubits after all gates, by its label, where it is known: not if the circuit
 * depends on chance, nor while only a part of it is shown, nor before it is computed.
 */
export function exactProbabilities(): ReadonlyMap<string, number> | undefined {
  const answer = live.peek();
  if (!isLive.peek() || answer?.kind !== 'state' || answer.trajectory !== undefined)
    return undefined;
  if (answer.step < answer.numSteps) return undefined;
  const found = new Map<string, number>();
  for (const [index, probability] of answer.probabilities.entries()) {
    if (probability > NOTHING) found.set(basisLabel(index, answer.numQubits), probability);
  }
  return found;
}

/** Faults of gates that the service would refuse, by the number of the gate. */
export const gateFaults = computed<ReadonlyMap<number, string>>(() => {
  const answer = live.value;
  const faults = new Map<number, string>();
  if (answer?.kind !== 'refused' || textSource.value !== undefined) return faults;
  const steps = withoutOpenControls(circuit.value.steps);
  for (const { path, message } of answer.faults) {
    const step = steps[Number(/^circuit\[(\d+)\]/.exec(path)?.[1])];
    if (step === undefined) continue;
    const before = faults.get(step.id);
    faults.set(step.id, before === undefined ? message : `${before} ${message}`);
  }
  return faults;
});

/**
 * Computes live states with the worker from now on.
 *
 * @returns Ends it; the worker stays.
 */
export function followCircuit(states: LiveStates): () => void {
  return effect(() => {
    const asked = question.value;
    states.show(asked.source, asked.options).then(
      (answer) => {
        if (answer !== undefined) answered.value = { question: asked, answer };
        liveFailure.value = undefined;
      },
      (error: unknown) => {
        liveFailure.value = String(error instanceof Error ? error.message : error);
      },
    );
  });
}
