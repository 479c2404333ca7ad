/**
 * Page of the public demo: sliders for the input, a button that sends a request, the answer with its counts, the
 * circuit, the accuracy of the model, and the request as a command line.
 */
import { CopyButton, Listing } from '../shell/api-panel.tsx';
import './demo.css';
import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { CircuitDrawing } from '../drawing/circuit-drawing.tsx';
import { layoutCircuit } from '../drawing/circuit-layout.ts';
import { useWidth } from '../drawing/use-width.ts';
import { grouped, numberOf, percent } from '../numbers.ts';
import { AnswerCard, answerAloud } from './answer-view.tsx';
import { Controls } from './controls-view.tsx';
import { circuitInWords, drawnGates, operationInWords } from './demo-circuit.ts';
import type { DemoFacts } from './demo-facts.ts';
import { layoutAccuracy } from './demo-shapes.ts';
import {
  askService,
  atTime,
  mayRun,
  openingState,
  type PageState,
  withInput,
  withOutcome,
} from './demo-state.ts';

/** Milliseconds between updates of a countdown. */
const TICK_MS = 250;

/** Facts on the model that the service has written into the page. */
function factsOfPage(): DemoFacts {
  return JSON.parse(document.getElementById('facts')?.textContent ?? 'null');
}

/** The state of the page, and the functions that change it. */
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

/** Room at the end of the wires. */
const END = 12;

function CircuitCard({
  facts,
  input,
}: {
  readonly facts: DemoFacts;
  readonly input: readonly number[];
}) {
  const { circuit, features, shots } = facts;
  const figure = useRef<HTMLDivElement>(null);
  const width = useWidth(figure);
  return (
    <section class="card" aria-labelledby="circuit-title">
      <h2 id="circuit-title">The circuit that runs</h2>
      <p id="circuit-note" class="note">
        {numberOf(circuit.layers, 'layer')} on {circuit.qubits} qubits. Gates that bear the name of
        a measurement turn with it as you move its slider; how far they do, and all other angles,
        was set by training: {circuit.parameters} numbers. Angles are radians.
      </p>
      <div
        id="circuit-drawing"
        class="scroll"
        tabIndex={0}
        role="region"
        aria-label="Drawing of the circuit"
        ref={figure}
      >
        <CircuitDrawing
          layout={layoutCircuit(circuit.qubits, drawnGates(circuit, features, input), {
            room: width - END,
          })}
          label={`${circuitInWords(circuit, shots)} The list below names each gate.`}
        />
      </div>
      <details>
        <summary>The circuit as a list</summary>
        <ol id="circuit-list">
          {circuit.operations.map((operation, index) => (
            <li key={index}>{operationInWords(operation, features, input)}</li>
          ))}
        </ol>
      </details>
    </section>
  );
}

const ROW = 52;

function AccuracyCard({ facts }: { readonly facts: DemoFacts }) {
  const figure = useRef<HTMLDivElement>(null);
  const width = useWidth(figure);
  return (
    <section class="card" aria-labelledby="accuracy-title">
      <h2 id="accuracy-title">How often is it right?</h2>
      <p id="model-description" class="note">
        {facts.model.description}
      </p>
      <div id="accuracy-figure" ref={figure}>
        {width > 0 && <Drawing facts={facts} width={width} />}
      </div>
      <p id="accuracy-basis" class="small">
        {facts.accuracy.basis}. Mean ± spread.
      </p>
      <p class="small">
        Shot noise says how sure one measurement is, not how often the model is right.
      </p>
    </section>
  );
}

function Drawing({
  facts: { accuracy, model },
  width,
}: {
  readonly facts: DemoFacts;
  readonly width: number;
}) {
  const rows = [
    { name: model.id, mean: accuracy.mean, spread: accuracy.spread, own: true },
    { ...accuracy.baseline, spread: accuracy.baseline.spread ?? 0, own: false },
  ];
  const layout = layoutAccuracy(rows, width);
  const words = rows.map(({ name, mean, spread }) => `${name}: ${figureOf(mean, spread)}`);
  return (
    <svg width={width} height={ROW * rows.length} role="img" aria-label={words.join('. ')}>
      {rows.map(({ name, mean, spread, own }, index) => {
        const y = index * ROW;
        const { from, to, at } = layout[index] ?? { from: 0, to: 0, at: 0 };
        const ownClass = own ? ' own' : '';
        return (
          <Fragment key={name}>
            <text x="0" y={y + 14} class={`name${ownClass}`}>
              {name}
            </text>
            <text x={width} y={y + 14} text-anchor="end" class={`figure${ownClass}`}>
              {figureOf(mean, spread)}
            </text>
            <line x1="0" x2={width} y1={y + 32} y2={y + 32} class="track" />
            <line x1={from} x2={to} y1={y + 32} y2={y + 32} class={`range${ownClass}`} />
            <circle cx={at} cy={y + 32} r="5" class={`mean${ownClass}`} />
          </Fragment>
        );
      })}
    </svg>
  );
}

const figureOf = (mean: number, spread: number): string =>
  spread === 0 ? percent(mean) : `${percent(mean)} ± ${percent(spread)}`;

function CallCard({
  facts: { endpoint },
  input,
}: {
  readonly facts: DemoFacts;
  readonly input: readonly number[];
}) {
  const text = [
    `curl ${location.origin}${endpoint} \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify({ input })}'`,
  ].join('\n');
  return (
    <section class="card" aria-labelledby="call-title">
      <div class="head">
        <h2 id="call-title">Ask it yourself</h2>
        <CopyButton text={text} />
      </div>
      <p class="note">The page sends nothing else than this. It needs no key.</p>
      <Listing label="The request" text={text} id="call-code" />
      <p class="small">
        With a key, the service runs any circuit of yours: see the <a href="/docs">API reference</a>{' '}
        and the <a href="/docs/guides">guides</a>.
      </p>
    </section>
  );
}
