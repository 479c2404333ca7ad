/** A text in Stim's format, drawn along time, with its detecting regions at one TICK. */
import { useEffect, useState } from 'preact/hooks';
import { SliceDrawing } from '../drawing/slice-drawing.tsx';
import { TimelineDrawing } from '../drawing/timeline-drawing.tsx';
import { tickAt } from '../drawing/timeline-ticks.ts';
import type { LiveStates } from '../live-state/live-state.ts';
import type { DetectingRegion, StimTimeline } from '../live-state/messages.ts';
import { grouped, numberOf } from '../numbers.ts';
import { Table } from '../shell/table.tsx';
import { messageOfAnswer } from './state-words.ts';

/** Milliseconds without a move of the slider after which regions are asked for. */
const ASK_AFTER_MS = 30;
/** Regions that are listed. */
const MAX_LISTED = 500;

export function StimView({ states, stim }: { readonly states: LiveStates; readonly stim: string }) {
  const [answer, isCurrent] = useAnswer(stim, () => states.timeline({ stim }));
  const timeline = answer?.kind === 'timeline' ? answer.timeline : undefined;
  const [chosen, setTick] = useState<number>();
  const numTicks = timeline?.numTicks ?? 0;
  const tick = Math.max(0, Math.min(numTicks - 1, chosen ?? Math.floor(numTicks / 2)));
  if (answer?.kind === 'refused') return <p class="notice bad">{messageOfAnswer(answer)}</p>;
  if (timeline === undefined) return <p class="note">The text is being drawn …</p>;
  const { numDetectors, numObservables } = timeline;
  return (
    <div class={isCurrent ? '' : 'waiting'} aria-busy={!isCurrent}>
      <p class="note">
        {numberOf(timeline.qubits.length, 'qubit')}, {numberOf(numDetectors, 'detector')},{' '}
        {numberOf(numObservables, 'observable')}, {numberOf(numTicks, 'TICK')}
      </p>
      <TimelineDrawing timeline={timeline} tick={tick} />
      {numDetectors + numObservables > 0 && (
        <section class="card slice-card" aria-labelledby="slice-title">
          <h2 id="slice-title">Detecting regions</h2>
          {numTicks === 0 ? (
            <p class="note">The text has no TICK at which they could be shown.</p>
          ) : (
            <>
              <label class="field">
                <span>
                  TICK {grouped(tick + 1)} of {grouped(numTicks)}
                  {roundsInWords(timeline, tick)}
                </span>
                <input
                  type="range"
                  min={1}
                  max={numTicks}
                  value={tick + 1}
                  onInput={({ currentTarget }) => setTick(currentTarget.valueAsNumber - 1)}
                />
              </label>
              <Slice key={stim} states={states} stim={stim} timeline={timeline} tick={tick} />
            </>
          )}
        </section>
      )}
    </div>
  );
}

function Slice({
  states,
  stim,
  timeline,
  tick,
}: {
  readonly states: LiveStates;
  readonly stim: string;
  readonly timeline: StimTimeline;
  readonly tick: number;
}) {
  const [answer, isCurrent] = useAnswer(
    String(tick),
    () => states.slice({ stim }, tick),
    ASK_AFTER_MS,
  );
  if (answer?.kind === 'refused') return <p class="notice bad">{messageOfAnswer(answer)}</p>;
  if (answer === undefined) return <p class="note">The regions are being found …</p>;
  const { regions } = answer;
  return (
    <div class={isCurrent ? '' : 'waiting'} aria-busy={!isCurrent}>
      <p class="note">
        An error flips each detector and observable whose Pauli on its qubit anticommutes with it.
        Observables are dotted.
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Regions by the places of qubits">
        <SliceDrawing timeline={timeline} regions={regions} />
      </div>
      <details>
        <summary>The regions as a table</summary>
        <Table
          label="Detecting regions"
          columns={['Region', 'Pauli string']}
          rows={regions.slice(0, MAX_LISTED).map((region) => [region.name, stringOf(region)])}
        />
        {regions.length > MAX_LISTED && (
          <p class="small">
            The first {MAX_LISTED} of {grouped(regions.length)}.
          </p>
        )}
      </details>
    </div>
  );
}

const stringOf = ({ paulis }: DetectingRegion): string =>
  paulis.map(([qubit, pauli]) => `${pauli}${qubit}`).join(' ');

/** Where in REPEAT blocks a TICK is: ", repetition 2 of 5". */
function roundsInWords({ ticks }: StimTimeline, tick: number): string {
  const at = tickAt(ticks, tick);
  const words =
    at?.tick.steps.map(({ count }, i) => `${(at.rounds[i] ?? 0) + 1} of ${count}`) ?? [];
  return words.length === 0 ? '' : `, repetition ${words.join(', ')}`;
}

/**
 * The worker's last answer, and whether it is the one to the present question; undefined before the first.
 *
 * @param key - Changes with the question.
 */
function useAnswer<Answer>(
  key: string,
  ask: () => Promise<Answer>,
  afterMs = 0,
): readonly [answer: Answer | undefined, isCurrent: boolean] {
  const [answered, setAnswered] = useState<{ readonly key: string; readonly answer: Answer }>();
  useEffect(() => {
    let isOver = false;
    const timer = setTimeout(() => {
      ask().then(
        (answer) => {
          if (!isOver) setAnswered({ key, answer });
        },
        // A worker that failed is reported with the state.
        () => {},
      );
    }, afterMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [key]);
  return [answered?.answer, answered?.key === key];
}
