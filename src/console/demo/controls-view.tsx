/** The controls: sliders, examples and the run button. */
import { capitalized, grouped } from '../numbers.ts';
import type { DemoFacts, DemoFeature } from './demo-facts.ts';
import { flowerLeaves } from './demo-shapes.ts';
import { type PageState, secondsLeft } from './demo-state.ts';

/** Step of a slider: the data set's resolution, one tenth of a centimetre. */
const STEP = 0.1;

export function Controls({
  facts,
  state,
  now,
  onInput,
  onRun,
}: {
  readonly facts: DemoFacts;
  readonly state: PageState;
  /** Milliseconds of the page's clock. */
  readonly now: number;
  readonly onInput: (input: readonly number[]) => void;
  readonly onRun: () => void;
}) {
  const { input } = state;
  const { label, isBusy } = buttonOf(state, now);
  const submit = (event: Event) => {
    event.preventDefault();
    onRun();
  };
  return (
    <form id="controls" class="card" aria-labelledby="controls-title" onSubmit={submit}>
      <h2 id="controls-title">The flower</h2>
      <div class="choose">
        <Flower features={facts.features} input={input} />
        <div class="examples">
          <p id="examples-title">From the data set</p>
          <div id="examples" role="group" aria-labelledby="examples-title">
            {facts.examples.map((example) => (
              <button
                key={example.name}
                type="button"
                class="example"
                aria-pressed={example.input.every((value, index) => value === input[index])}
                onClick={() => {
                  onInput(example.input);
                  onRun();
                }}
              >
                {example.name}
              </button>
            ))}
          </div>
        </div>
      </div>
      <div id="sliders">
        {facts.features.map((feature, index) => (
          <Slider
            key={feature.name}
            id={`feature-${index}`}
            feature={feature}
            value={input[index] ?? 0}
            onInput={(value) => onInput(input.with(index, value))}
            onRun={onRun}
          />
        ))}
      </div>
      <button id="run" type="submit" class="primary" aria-disabled={isBusy}>
        {label}
      </button>
      <p id="message" data-kind={state.phase.kind}>
        {messageOf(state, facts)}
      </p>
    </form>
  );
}

function Slider({
  id,
  feature: { name, unit, minimum, maximum },
  value,
  onInput,
  onRun,
}: {
  readonly id: string;
  readonly feature: DemoFeature;
  readonly value: number;
  readonly onInput: (value: number) => void;
  readonly onRun: () => void;
}) {
  const text = `${value.toFixed(1)} ${unit}`;
  const filled = ((value - minimum) / (maximum - minimum)) * 100;
  // Not every browser submits a form when Enter is pressed on a slider.
  const runOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    onRun();
  };
  return (
    <div class="slider">
      <label for={id}>
        <span class="swatch" data-part={name.split(' ')[0] ?? ''} />
        {capitalized(name)}
      </label>
      {/* Hidden from screen readers, which read the slider's own value. */}
      <span class="reading" aria-hidden="true">
        {text}
      </span>
      <input
        type="range"
        id={id}
        min={minimum}
        max={maximum}
        step={STEP}
        value={value}
        aria-valuetext={text}
        style={{ '--filled': `${filled.toFixed(1)}%` }}
        onInput={(event) => onInput(event.currentTarget.valueAsNumber)}
        onKeyDown={runOnEnter}
      />
      <div class="ends" aria-hidden="true">
        <span>{minimum.toFixed(1)}</span>
        <span>{maximum.toFixed(1)}</span>
      </div>
    </div>
  );
}

/** Label of the button, and whether pressing it does nothing. */
function buttonOf(state: PageState, now: number): { label: string; isBusy: boolean } {
  const left = secondsLeft(state.phase, now);
  if (state.phase.kind === 'running') return { label: 'Running…', isBusy: true };
  if (left > 0) return { label: `Again in ${left} s`, isBusy: true };
  if (state.phase.kind === 'ready') return { label: 'Run the circuit', isBusy: false };
  return { label: 'Try again', isBusy: false };
}

function messageOf({ phase }: PageState, { requestsPerMinute }: DemoFacts): string {
  const limit = `${grouped(requestsPerMinute)} runs a minute`;
  switch (phase.kind) {
    case 'ready':
    case 'running':
      return `No key needed. Up to ${limit} from one address.`;
    case 'limited':
      return `That was the limit of ${limit} from one address. The next one is free when the countdown ends.`;
    case 'unavailable':
      return `Unavailable right now. ${phase.reason}`;
    case 'failed':
      return phase.message;
  }
}

const RADIUS = 100;

/** The flower of the current measurements. */
function Flower({
  features,
  input,
}: {
  readonly features: readonly DemoFeature[];
  readonly input: readonly number[];
}) {
  const leaves = flowerLeaves(features, input, RADIUS);
  return (
    <div id="flower" hidden={leaves === undefined}>
      {/* The sliders beside it give the same information. */}
      <svg viewBox={`${-RADIUS} ${-RADIUS} ${2 * RADIUS} ${2 * RADIUS}`} aria-hidden="true">
        {leaves?.flatMap(({ part, path, rib, turns }) =>
          turns.map((turn) => (
            <g key={`${part} ${turn}`} class={part} transform={`rotate(${turn})`}>
              <path d={path} />
              <path d={`M 0 0 V ${-rib}`} class="rib" />
            </g>
          )),
        )}
        <circle r="6" class="heart" />
      </svg>
    </div>
  );
}
