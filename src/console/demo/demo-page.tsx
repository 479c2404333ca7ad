/** Page of the public demo: sliders for the input, a button that sends a request, and views of the answer and its counts. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import './about.css';
import './answer.css';
import './circuit.css';
import './controls.css';
import { grouped } from '../numbers.ts';
import { AccuracyCard } from './accuracy-view.tsx';
import { AnswerCard, answerAloud } from './answer-view.tsx';
import { askService } from './ask-service.ts';
import { CallCard } from './call-view.tsx';
import { CircuitCard } from './circuit-view.tsx';
import { Controls } from './controls-view.tsx';
import type { DemoFacts } from './demo-facts.ts';
import {
  atTime,
  mayRun,
  openingState,
  type PageState,
  withInput,
  withOutcome,
} from './page-state.ts';

/** Milliseconds between updates of a countdown. */
const TICK_MS = 250;

/** What the service has written into the page about the model. */
function factsOfPage(): DemoFacts {
  return JSON.parse(document.getElementById('facts')?.textContent ?? 'null');
}

/** The state of the page, and what changes it. */
function useDemo(facts: DemoFacts) {
  const state = useSignal<PageState>(openingState(facts));
  /** Milliseconds of the page's clock. */
  const now = useSignal(performance.now());
  /** Text for screen readers. */
  const aloud = useSignal('');
  const show = (next: PageState) => {
    now.value = performance.now();
    state.value = next;
  };
  const run = async () => {
    if (!mayRun(state.value, performance.now())) return;
    const { input } = state.value;
    aloud.value = '';
    show({ ...state.value, phase: { kind: 'running' } });
    const outcome = await askService(input);
    show(withOutcome(state.value, input, outcome, performance.now()));
    aloud.value = answerAloud(state.value);
    // On a phone the answer is below the button, so it is scrolled into view.
    if (outcome.kind === 'answer')
      document.getElementById('line')?.scrollIntoView({ block: 'nearest' });
  };
  useEffect(() => {
    const ticks = setInterval(() => {
      if ('until' in state.value.phase) show(atTime(state.value, performance.now()));
    }, TICK_MS);
    return () => clearInterval(ticks);
  }, []);
  return { state, now, aloud, show, run };
}

export function DemoPage() {
  const facts = useMemo(factsOfPage, []);
  const { state, now, aloud, show, run } = useDemo(facts);
  const { circuit, shots, labels } = facts;
  const { input } = state.value;
  return (
    <>
      <div class="hero">
        <h1>Which iris is it? Four numbers, one quantum circuit.</h1>
        <p id="lede" class="lede">
          Set four measurements of a flower. A trained circuit of {circuit.qubits} qubits runs{' '}
          {grouped(shots)} times on this service, at your request, and what it counts decides
          between {labels[0]} and {labels[1]}.
        </p>
      </div>
      <div id="demo">
        <div class="stage">
          <Controls
            facts={facts}
            state={state.value}
            now={now.value}
            onInput={(next) => show(withInput(state.value, next))}
            onRun={() => void run()}
          />
          <AnswerCard facts={facts} state={state.value} />
        </div>
        <p id="aloud" role="status" class="unseen">
          {aloud.value}
        </p>
        <CircuitCard facts={facts} input={input} />
        <div class="pair">
          <AccuracyCard facts={facts} />
          <CallCard facts={facts} input={input} />
        </div>
      </div>
    </>
  );
}
