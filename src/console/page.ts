/**
 * Entry of the page at `/`: sliders for the input, a button that sends a request, and views of the
 * answer and its counts. There is one state, and every view shows all of it whenever it changes.
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

function openPage(facts: DemoFacts): void {
  let state = openingState(facts);
  byId('demo').hidden = false;
  showAbout(facts);
  const events = {
    onInput: (input: readonly number[]) => show(withInput(state, input)),
    onRun: () => void run(),
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
  const run = async () => {
    if (!mayRun(state, performance.now())) return;
    const { input } = state;
    byId('aloud').textContent = '';
    show({ ...state, phase: { kind: 'running' } });
    const outcome = await askService(input);
    show(withOutcome(state, input, outcome, performance.now()));
    byId('aloud').textContent = answerAloud(state);
    // On a phone the answer is below the button, so it is scrolled into view.
    if (outcome.kind === 'answer') byId('line').scrollIntoView({ block: 'nearest' });
  };

  show(state);
  setInterval(() => {
    if (!('until' in state.phase)) return;
    state = atTime(state, performance.now());
    showControls(state, performance.now());
  }, TICK_MS);
}

openPage(JSON.parse(byId('facts').textContent));
