/** Shows the prediction in words, and the run that it comes from. */

import { byId, html } from '../dom.ts';
import { duration, grouped, listed, plain, signed } from '../numbers.ts';
import { tally } from './decision.ts';
import type { DemoFacts } from './demo-facts.ts';
import { isStale, type PageState } from './page-state.ts';
import { verdict } from './verdict.ts';

/**
 * Creates the view.
 *
 * @returns A function that shows a state.
 */
export function createAnswer(facts: DemoFacts): (state: PageState) => void {
  const card = byId('answer');
  return (state) => {
    const { result } = state;
    card.dataset['stale'] = String(isStale(state));
    card.dataset['running'] = String(state.phase.kind === 'running');
    card.setAttribute('aria-busy', String(state.phase.kind === 'running'));
    byId('chip').textContent = chipOf(state, facts);
    if (result === undefined) return showNothing(state);
    const { answer } = result;
    const { title, sentence, certainty } = verdict(answer);
    byId('verdict').textContent = title;
    byId('verdict').className = `verdict class-${answer.prediction}`;
    byId('verdict').dataset['certainty'] = certainty;
    byId('margin').textContent = sentence;
    byId('sum').replaceChildren(...sumOf(result, facts));
    byId('provenance').replaceChildren(...provenanceOf(result));
  };
}

/** Text for screen readers when a requested run has ended. */
export function answerAloud({ result, phase }: PageState): string {
  if (phase.kind === 'limited') return 'The limit of runs a minute is reached.';
  if (phase.kind === 'unavailable') return `Unavailable right now. ${phase.reason}`;
  if (phase.kind === 'failed') return phase.message;
  if (result === undefined) return '';
  const { title, sentence } = verdict(result.answer);
  return `${title}: ${sentence}`;
}

function showNothing({ phase }: PageState): void {
  const [title, sentence] = nothingYet(phase);
  byId('verdict').textContent = title;
  byId('verdict').className = 'verdict none';
  byId('margin').textContent = sentence;
  byId('sum').replaceChildren();
  byId('provenance').replaceChildren();
}

function nothingYet(phase: PageState['phase']): readonly [title: string, sentence: string] {
  switch (phase.kind) {
    case 'running':
      return ['Running…', 'The circuit is being run.'];
    case 'unavailable':
      return ['Unavailable', phase.reason];
    case 'limited':
      return ['No answer yet', 'The limit of runs is reached; the button counts down to the next.'];
    case 'ready':
    case 'failed':
      return ['No answer yet', 'Run the circuit to see what it says.'];
  }
}

function chipOf(state: PageState, { features }: DemoFacts): string {
  const { result } = state;
  if (result === undefined) return '';
  if (isStale(state)) return 'For earlier measurements: run again';
  const unit = features[0]?.unit ?? '';
  const measured = `${result.input.map((value) => value.toFixed(1)).join(' · ')} ${unit}`;
  return result.isSelfTest === true ? `Self-test: ${measured}` : `For ${measured}`;
}

type Result = NonNullable<PageState['result']>;

/** Explains how the expectation follows from the counts. */
function sumOf({ answer }: Result, { circuit }: DemoFacts): readonly (Node | string)[] {
  const { plus, minus, shots, expectation } = tally(answer.counts, circuit.observable.qubits);
  const sum = `(${grouped(plus)} − ${grouped(minus)}) / ${grouped(shots)} = ${signed(expectation, 3)}`;
  const clipped =
    answer.outOfRange.length === 0
      ? []
      : [` Clipped to the range that it was trained on: ${listed(answer.outOfRange)}.`];
  return [
    `${circuit.observable.text} from the counts: `,
    html('span', { class: 'figure' }, sum),
    ...clipped,
  ];
}

/** Backend, duration and seed of a run. */
function provenanceOf({ answer }: Result): readonly Node[] {
  const facts = [
    ['Ran on', answer.backend],
    ['Shots', grouped(answer.shots)],
    ['Time', `${duration(answer.executionMs)}, ${duration(answer.queueMs)} waiting`],
    ['Seed', plain(answer.seed, 0)],
  ];
  return facts.map(([name = '', value = '']) =>
    html('div', {}, html('dt', {}, name), html('dd', {}, value)),
  );
}
