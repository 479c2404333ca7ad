/** The answer: the prediction in words, the counts, and the run that they come from. */

import { useMemo } from 'preact/hooks';
import { Histogram } from '../drawing/histogram.tsx';
import type { HistogramGroup } from '../drawing/histogram-data.ts';
import { duration, grouped, listed, plain, signed } from '../numbers.ts';
import { FactList, type Facts } from '../shell/facts.tsx';
import { outcomesOf, signOf, tally, verdict } from './decision.ts';
import { signInWords } from './demo-circuit.ts';
import type { DemoFacts } from './demo-facts.ts';
import { isStale, type PageState } from './demo-state.ts';
import { Line } from './line-view.tsx';

export function AnswerCard({
  facts,
  state,
}: {
  readonly facts: DemoFacts;
  readonly state: PageState;
}) {
  const { result, phase } = state;
  const isRunning = phase.kind === 'running';
  return (
    <section
      id="answer"
      class="card"
      aria-labelledby="answer-title"
      aria-busy={isRunning}
      data-stale={isStale(state)}
      data-running={isRunning}
    >
      <div class="head">
        <h2 id="answer-title">The answer</h2>
        <p id="chip">{chipOf(state, facts)}</p>
      </div>
      <Verdict state={state} />
      <Line facts={facts} result={result} />
      <h3>What was measured</h3>
      <p id="counts-note" class="note">
        {grouped(facts.shots)} runs, {2 ** facts.circuit.qubits} outcomes, qubit 0 rightmost. What
        counts +1 pulls the needle to the right, what counts −1 to the left.
      </p>
      <Counts facts={facts} counts={result?.answer.counts ?? NO_COUNTS} isStale={isStale(state)} />
      <p id="sum">{result !== undefined && <Sum result={result} facts={facts} />}</p>
      <div id="provenance">
        {result !== undefined && <FactList class="provenance" facts={provenance(result)} />}
      </div>
    </section>
  );
}

const NO_COUNTS: ReadonlyMap<string, number> = new Map();

function Verdict({ state: { result, phase } }: { readonly state: PageState }) {
  if (result === undefined) {
    const [title, sentence] = nothingYet(phase);
    return (
      <>
        <p id="verdict" class="verdict none">
          {title}
        </p>
        <p id="margin">{sentence}</p>
      </>
    );
  }
  const { title, sentence, certainty } = verdict(result.answer);
  return (
    <>
      <p
        id="verdict"
        class={`verdict class-${result.answer.prediction}`}
        data-certainty={certainty}
      >
        {title}
      </p>
      <p id="margin">{sentence}</p>
    </>
  );
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

/** Derivation of the expectation value from the counts. */
function Sum({
  result: { answer },
  facts: { circuit },
}: {
  readonly result: Result;
  readonly facts: DemoFacts;
}) {
  const { plus, minus, shots, expectation } = tally(answer.counts, circuit.observable.qubits);
  return (
    <>
      {circuit.observable.text} from the counts:{' '}
      <span class="figure">
        {`(${grouped(plus)} − ${grouped(minus)}) / ${grouped(shots)} = ${signed(expectation, 3)}`}
      </span>
      {answer.outOfRange.length > 0 &&
        ` Clipped to the range that it was trained on: ${listed(answer.outOfRange)}.`}
    </>
  );
}

/** Backend, duration and seed of a run. */
function provenance({ answer }: Result): Facts {
  return [
    ['Ran on', answer.backend],
    ['Shots', grouped(answer.shots)],
    ['Time', `${duration(answer.executionMs)}, ${duration(answer.queueMs)} waiting`],
    ['Seed', plain(answer.seed, 0)],
  ];
}

interface CountsProps {
  readonly facts: DemoFacts;
  /** Empty before the first run. */
  readonly counts: ReadonlyMap<string, number>;
  readonly isStale: boolean;
}

function Counts({ facts, counts, isStale }: CountsProps) {
  const { circuit, labelAbove } = facts;
  const groups = ([-1, 1] as const).map(
    (sign): HistogramGroup => ({
      name: signed(sign, 0),
      note: signInWords(circuit, sign),
      // The class on the sign's side of the threshold.
      style: `class-${sign === 1 ? labelAbove : 1 - labelAbove}`,
      has: (outcome) => signOf(outcome, circuit.observable.qubits) === sign,
    }),
  );
  // An outcome that never came has a place, too.
  const all = useMemo(
    () => new Map(outcomesOf(circuit.qubits).map((each) => [each, counts.get(each) ?? 0])),
    [circuit, counts],
  );
  return (
    <div id="histogram" data-stale={isStale}>
      <Histogram label="Counts" counts={all} groups={groups} />
    </div>
  );
}
