/** The controls: sliders, examples and the run button. */

import { byId, html } from '../dom.ts';
import { capitalized, grouped } from '../numbers.ts';
import type { DemoFacts, DemoFeature } from './demo-facts.ts';
import { type PageState, secondsLeft } from './page-state.ts';

/** Step of a slider: the data set's resolution, one tenth of a centimetre. */
const STEP = 0.1;

/** Callbacks of the controls. */
export interface ControlEvents {
  onInput(input: readonly number[]): void;
  onRun(): void;
}

/**
 * Creates the controls.
 *
 * @returns A function that shows a state.
 */
export function createControls(
  facts: DemoFacts,
  events: ControlEvents,
): (state: PageState, now: number) => void {
  const form = byId('controls');
  const sliders = facts.features.map((feature, index) => createSlider(feature, index));
  byId('sliders').append(...sliders.map(({ row }) => row));
  const readInput = () => sliders.map(({ input }) => input.valueAsNumber);
  for (const { input } of sliders) {
    input.addEventListener('input', () => events.onInput(readInput()));
    input.addEventListener('keydown', (event) => {
      // Not every browser submits a form when Enter is pressed on a slider.
      if (event.key !== 'Enter') return;
      event.preventDefault();
      events.onRun();
    });
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    events.onRun();
  });

  const examples = facts.examples.map(({ name, input }) => {
    const button = html('button', { type: 'button', class: 'example' }, name);
    button.addEventListener('click', () => {
      events.onInput(input);
      events.onRun();
    });
    return { button, input };
  });
  byId('examples').append(...examples.map(({ button }) => button));

  const run = byId('run');
  const message = byId('message');
  return (state, now) => {
    for (const [index, slider] of sliders.entries()) slider.show(state.input[index] ?? 0);
    for (const { button, input } of examples) {
      const isSet = input.every((value, index) => value === state.input[index]);
      button.setAttribute('aria-pressed', String(isSet));
    }
    const { label, isBusy } = buttonOf(state, now);
    setText(run, label);
    run.setAttribute('aria-disabled', String(isBusy));
    setText(message, messageOf(state, facts));
    message.dataset['kind'] = state.phase.kind;
  };
}

function createSlider({ name, unit, minimum, maximum }: DemoFeature, index: number) {
  const id = `feature-${index}`;
  const input = html('input', { type: 'range', id, min: minimum, max: maximum, step: STEP });
  // Hidden from screen readers, which read the slider's own value.
  const reading = html('span', { class: 'reading', 'aria-hidden': 'true' });
  const part = name.split(' ')[0] ?? '';
  const row = html(
    'div',
    { class: 'slider' },
    html(
      'label',
      { for: id },
      html('span', { class: 'swatch', 'data-part': part }),
      capitalized(name),
    ),
    reading,
    input,
    html(
      'div',
      { class: 'ends', 'aria-hidden': 'true' },
      html('span', {}, minimum.toFixed(1)),
      html('span', {}, maximum.toFixed(1)),
    ),
  );
  const show = (value: number) => {
    const text = `${value.toFixed(1)} ${unit}`;
    if (reading.textContent === text) return;
    input.value = String(value);
    reading.textContent = text;
    input.setAttribute('aria-valuetext', text);
    const filled = ((value - minimum) / (maximum - minimum)) * 100;
    input.style.setProperty('--filled', `${filled.toFixed(1)}%`);
  };
  return { row, input, show };
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

/** Sets a text only if it changes, so that screen readers do not repeat it. */
function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
