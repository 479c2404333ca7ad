/**
 * Page of the public demo: sliders for the input, a button that sends a request, and views of the answer and its counts.
 * There is one state, and every view shows all of it whenever it changes.
 */
import { useLayoutEffect } from 'preact/hooks';
import './about.css';
import './answer.css';
import './circuit.css';
import './controls.css';
import { byId } from '../dom.ts';
import { showAbout } from './about-view.ts';
import { answerAloud, createAnswer } from './answer-view.ts';
import { askService } from './ask-service.ts';
import { createCall } from './call-view.ts';
import { createCircuit } from './circuit-view.ts';
import { createControls } from './controls-view.ts';
import type { DemoFacts } from './demo-facts.ts';
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

/** Fills the markup. @returns Ends it. */
function openDemo(facts: DemoFacts): () => void {
  let state = openingState(facts);
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
  const ticks = setInterval(() => {
    if (!('until' in state.phase)) return;
    state = atTime(state, performance.now());
    showControls(state, performance.now());
  }, TICK_MS);
  return () => clearInterval(ticks);
}

export function DemoPage() {
  // Before the page is painted, so that nothing moves afterwards.
  useLayoutEffect(() => openDemo(JSON.parse(byId('facts').textContent)), []);
  return <Markup />;
}

/** The places that the views fill. */
function Markup() {
  return (
    <>
      <div class="hero">
        <h1>Which iris is it? Four numbers, one quantum circuit.</h1>
        <p id="lede" class="lede">
          A service that runs quantum circuits for whoever asks by HTTP.
        </p>
      </div>
      <div id="demo">
        <div class="stage">
          <form id="controls" class="card" aria-labelledby="controls-title">
            <h2 id="controls-title">The flower</h2>
            <div class="choose">
              <div id="flower"></div>
              <div class="examples">
                <p id="examples-title">From the data set</p>
                <div id="examples" role="group" aria-labelledby="examples-title"></div>
              </div>
            </div>
            <div id="sliders"></div>
            <button id="run" type="submit">
              Run the circuit
            </button>
            <p id="message"></p>
          </form>
          <section id="answer" class="card" aria-labelledby="answer-title">
            <div class="head">
              <h2 id="answer-title">The answer</h2>
              <p id="chip"></p>
            </div>
            <p id="verdict" class="verdict"></p>
            <p id="margin"></p>
            <div id="line"></div>
            <h3>What was measured</h3>
            <p id="counts-note" class="note"></p>
            <div id="histogram"></div>
            <p id="sum"></p>
            <dl id="provenance"></dl>
            <details>
              <summary>The counts as a table</summary>
              <table>
                <thead>
                  <tr>
                    <th scope="col">Outcome</th>
                    <th scope="col">Counts as</th>
                    <th scope="col">Times</th>
                  </tr>
                </thead>
                <tbody id="counts-rows"></tbody>
              </table>
            </details>
          </section>
        </div>
        <p id="aloud" role="status" class="unseen"></p>
        <section class="card" aria-labelledby="circuit-title">
          <h2 id="circuit-title">The circuit that runs</h2>
          <p id="circuit-note" class="note"></p>
          <div
            id="circuit-drawing"
            class="scroll"
            tabIndex={0}
            role="region"
            aria-label="Drawing of the circuit"
          ></div>
          <details>
            <summary>The circuit as a list</summary>
            <ol id="circuit-list"></ol>
          </details>
        </section>
        <div class="pair">
          <section class="card" aria-labelledby="accuracy-title">
            <h2 id="accuracy-title">How often is it right?</h2>
            <p id="model-description" class="note"></p>
            <div id="accuracy-figure"></div>
            <p id="accuracy-basis" class="small"></p>
            <p class="small">
              Shot noise says how sure one measurement is, not how often the model is right.
            </p>
          </section>
          <section class="card" aria-labelledby="call-title">
            <div class="head">
              <h2 id="call-title">Ask it yourself</h2>
              <button id="copy" type="button">
                Copy
              </button>
            </div>
            <p class="note">The page sends nothing else than this. It needs no key.</p>
            <pre class="scroll" tabIndex={0} role="region" aria-label="The request">
              <code id="call-code"></code>
            </pre>
            <p class="small">
              With a key, the service runs any circuit of yours: see the{' '}
              <a href="/docs">API reference</a> and the <a href="/docs/guides">guides</a>.
            </p>
          </section>
        </div>
      </div>
    </>
  );
}
