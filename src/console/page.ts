/**
 * The page at `/`: sliders in, a request at the press of a button, the answer shown with the counts
 * it was made from. One state, which every view shows whole whenever it changes.
 */
import { showAbout } from './about-view.ts';
import { answerAloud, createAnswer } from './answer-view.ts';
import { askService } from './ask-service.ts';
import { createCall } from './call-view.ts';
import { createCircuit } from './circuit-view.ts';
import { createControls } from './controls-view.ts';
import type { DemoFacts } from './demo-facts.ts';
import { byId } from './dom.ts';
import { createFlower } from './flower-view.ts';
import { createHistogram } from './histogram-view.ts';
import { createLine } from './line-view.ts';
import { atTime, mayRun, type PageState, withInput, withOutcome } from './page-state.ts';

/** Between two looks at a countdown. */
const TICK_MS = 250;

function openPage(facts: DemoFacts): void {
  const { available, reason } = facts.availability;
  let state: PageState = {
    // An example is a clear call where the middle of all data is a close one.
    input: facts.examples[0]?.input ?? facts.features.map(({ typical }) => typical),
    phase: available
      ? { kind: 'ready' }
      : { kind: 'unavailable', reason: reason ?? 'The model did not pass its last self-test.' },
  };
  byId('demo').hidden = false;
  showAbout(facts);
  const events = {
    onInput: (input: readonly number[]) => show(withInput(state, input)),
    onRun: () => void run(true),
  };
  const views = [createAnswer(facts), createLine(facts), createHistogram(facts)];
  const inputViews = [createFlower(facts.features), createCircuit(facts), createCall(facts)];
  const showControls = createControls(facts, events);

  const show = (next: PageState) => {
    state = next;
    showControls(state, performance.now());
    for (const view of views) view(state);
    for (const view of inputViews) view(state.input);
  };
  const run = async (isAsked: boolean) => {
    if (!mayRun(state, performance.now())) return;
    const { input } = state;
    byId('aloud').textContent = '';
    show({ ...state, phase: { kind: 'running' } });
    const outcome = await askService(facts.endpoint, input);
    show(withOutcome(state, input, outcome, performance.now()));
    // What the page does by itself is not read aloud, and moves nothing.
    if (!isAsked) return;
    byId('aloud').textContent = answerAloud(state);
    // On a phone the answer is below the button: up to the number line it is brought into view.
    if (outcome.kind === 'answer') byId('line').scrollIntoView({ block: 'nearest' });
  };

  show(state);
  setInterval(() => {
    if (!('until' in state.phase)) return;
    state = atTime(state, performance.now());
    showControls(state, performance.now());
  }, TICK_MS);
  if (available) void run(false);
}

openPage(JSON.parse(byId('facts').textContent));
