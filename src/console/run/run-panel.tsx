/** Runs a circuit: choices, the job as it goes, and its result. A page that has a circuit shows it. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CircuitSubmissionInput, NamedNoiseModel } from '../../client/api-types.ts';
import { basisOf, processorsByKind } from '../fleet/processor-words.ts';
import { grouped, timeOfDay } from '../numbers.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { Field, SelectField, TextField } from '../shell/forms.tsx';
import { NeedsKey, Problem } from '../shell/notice.tsx';
import { useResource } from '../shell/resource.ts';
import { hashOf } from '../shell/route.ts';
import { key, keyInfo, mayUse } from '../shell/session.ts';
import { progressInWords } from './circuit-words.ts';
import { FittedCircuit } from './fitted-circuit.tsx';
import { RunEstimate } from './run-estimate.tsx';
import {
  type Choices,
  chosenOption,
  FIRST_CHOICES,
  faultsOf,
  hasMeasurement,
  hasOwnNoise,
  movedDefault,
  noiseInWords,
  type ProcessorOption,
  processorOptionsOf,
  requestOf,
  type Submission,
} from './run-options.ts';
import { RunResult } from './run-result.tsx';
import { type ActiveRun, useRuns } from './use-run.ts';

const EVERY_MS = 10_000;

interface RunPanelProps {
  readonly submission: Submission;
  readonly numQubits: number;
  /**
   * Asked at the start of a run: the probability of each outcome of all qubits, qubit 0 rightmost, before measurements
   * that all come last; undefined where the state is not known.
   */
  readonly exactProbabilities?: () => ReadonlyMap<string, number> | undefined;
  /** Why there is nothing to run now, in a sentence; undefined if there is. */
  readonly hindrance?: string | undefined;
  /** Shown between the form and the result. */
  readonly children?: ComponentChildren;
}

/** Lets a visitor run a circuit. Control and Enter start a run from anywhere on the page. */
export function RunPanel(props: RunPanelProps) {
  if (key.value !== undefined && (keyInfo.value === undefined || mayUse('circuits'))) {
    return <Panel {...props} />;
  }
  return (
    <>
      <section class="card run-panel" aria-label="Run">
        <h2 class="unseen">Run</h2>
        <NeedsKey to="with the scopes read and circuits to run the circuit on a processor">
          <p class="notice">
            Your key lacks the scope circuits. <a href={hashOf(['account'])}>Use another key</a>
          </p>
        </NeedsKey>
      </section>
      {props.children}
    </>
  );
}

function Panel({ submission, numQubits, exactProbabilities, hindrance, children }: RunPanelProps) {
  const [choices, setChoices] = useState(FIRST_CHOICES);
  const processors = useResource('GET /quantum/processors', {}, { everyMs: EVERY_MS });
  const models = useResource('GET /quantum/noise-models', {});
  const runs = useRuns();
  const options = processorOptionsOf(
    processors.data?.processors ?? [],
    submission,
    numQubits,
    choices,
  );
  const chosen = chosenOption(options, choices.processor);
  const moved = movedDefault(options, choices);
  const faults = faultsOf(choices);
  const hasFaults = faults.shots.length + faults.seed.length > 0;
  const request = requestOf(submission, numQubits, chosen?.processor.id ?? '', choices);
  const [last] = runs.ended;
  const canRun =
    runs.active === undefined &&
    hindrance === undefined &&
    chosen !== undefined &&
    chosen.refusal === undefined &&
    !hasFaults;
  const numStarted = useRef(0);
  const run = () => {
    if (!canRun) return;
    numStarted.current += 1;
    runs.start(request, exactProbabilities?.());
  };
  useRunKeys(run);
  const result = useRef<HTMLElement>(null);
  const shown = useRef(last);
  useEffect(() => {
    // One that was shown when the page was opened is not scrolled to.
    if (last !== shown.current && numStarted.current > 0) {
      const drawing = result.current?.querySelector('.histogram svg');
      (drawing ?? result.current)?.scrollIntoView({ block: 'nearest' });
    }
    shown.current = last;
  }, [last]);
  return (
    <>
      <section class="card run-panel" aria-label="Run">
        <h2 class="unseen">Run</h2>
        <Problem error={processors.error ?? models.error} />
        <RunForm
          choices={choices}
          options={options}
          chosen={chosen}
          models={'stim' in submission ? undefined : (models.data?.noise_models ?? [])}
          faults={faults}
          onChange={setChoices}
          onRun={run}
        >
          <div class="actions">
            <button type="submit" class="primary" disabled={!canRun}>
              {runs.ended.length === 0 ? 'Run' : 'Run again'}
            </button>
            {runs.active?.id !== undefined && (
              <button type="button" onClick={runs.cancel}>
                Cancel
              </button>
            )}
            <p class="run-state" role="status">
              {runs.active === undefined ? endInWords(runs) : activeInWords(runs.active)}
            </p>
          </div>
        </RunForm>
        <p class="notice warn" role="status" hidden={moved === undefined}>
          {moved}
        </p>
        {hindrance !== undefined && <p class="notice">{hindrance}</p>}
        {runs.active?.progress.progress !== undefined && (
          <progress
            aria-label="Progress of the run"
            value={runs.active.progress.progress}
            max={1}
          />
        )}
        {chosen?.processor.coupling_map !== undefined && hindrance === undefined && (
          <FittedCircuit request={{ ...submission, target_processor: chosen.processor.id }} />
        )}
        <Problem error={runs.error} />
        {runs.unfinished !== undefined && (
          <p>
            <a href={hashOf(['jobs', runs.unfinished.circuit_id])}>Open this job</a>
          </p>
        )}
        <div class="run-foot">
          <RunEstimate request={canRun ? request : undefined} />
          <p class="small">
            {!hasMeasurement(submission) &&
              'The circuit has no measurement, so all qubits are measured at its end. '}
            Control + Enter runs it, too.
          </p>
          {hindrance === undefined && (
            <ApiPanel
              call={{ route: 'POST /quantum/circuits', body: request }}
              title="This run by HTTP"
            />
          )}
        </div>
      </section>
      {last !== undefined && (
        <section class="card run-card" ref={result}>
          {circuitText(last.request) !== circuitText(request) && (
            <p class="notice">The circuit has been changed since this run.</p>
          )}
          <RunResult runs={runs.ended} />
        </section>
      )}
      {children}
    </>
  );
}

/** What a request runs. */
function circuitText({ circuit, qasm, stim, inputs, qubits }: CircuitSubmissionInput): string {
  return JSON.stringify([circuit, qasm, stim, inputs, qubits]);
}

function activeInWords({ id, progress, expectedStartAt }: ActiveRun): string {
  if (id === undefined) return 'Sending …';
  const start =
    progress.status === 'queued' && expectedStartAt !== undefined
      ? `, expected to start at ${timeOfDay(Date.parse(expectedStartAt))}`
      : '';
  return `${progressInWords(progress)}${start} …`;
}

function endInWords({ error, ended: [last] }: Pick<ReturnType<typeof useRuns>, 'error' | 'ended'>) {
  if (error !== undefined || last === undefined) return '';
  return `Run ${last.number} has completed.`;
}

/** Control or Command with Enter, before an editor takes it. */
function useRunKeys(run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      event.stopPropagation();
      // Keys that are held run the circuit once.
      if (!event.repeat) latest.current();
    };
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, []);
}

/** Shows the choices. Enter in a field runs the circuit. */
function RunForm({
  choices,
  options,
  chosen,
  models,
  faults,
  onChange,
  onRun,
  children,
}: {
  readonly choices: Choices;
  readonly options: readonly ProcessorOption[];
  readonly chosen: ProcessorOption | undefined;
  /** Undefined where the circuit has noise of its own. */
  readonly models: readonly NamedNoiseModel[] | undefined;
  readonly faults: { readonly shots: readonly string[]; readonly seed: readonly string[] };
  readonly onChange: (choices: Choices) => void;
  readonly onRun: () => void;
  /** Buttons of the form. */
  readonly children: ComponentChildren;
}) {
  const set = (name: keyof Choices) => (value: string) => onChange({ ...choices, [name]: value });
  const isNoisy = chosen !== undefined && hasOwnNoise(chosen.processor);
  return (
    <form
      class="run-form"
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
    >
      <Field
        label="Processor"
        hint={chosen && <ProcessorHint option={chosen} />}
        faults={chosen?.refusal === undefined ? [] : [chosen.refusal]}
      >
        {(bound) => (
          <select
            {...bound}
            value={chosen?.processor.id ?? ''}
            onChange={({ currentTarget }) => set('processor')(currentTarget.value)}
          >
            {chosen === undefined && <option value="">No processor takes the circuit</option>}
            <ProcessorOptions options={options} />
          </select>
        )}
      </Field>
      <div class="run-numbers">
        <TextField
          label="Shots"
          faults={faults.shots}
          inputMode="numeric"
          value={choices.shots}
          onText={set('shots')}
        />
        <TextField
          label="Seed"
          faults={faults.seed}
          inputMode="numeric"
          placeholder="drawn"
          value={choices.seed}
          onText={set('seed')}
        />
      </div>
      {models === undefined ? (
        <p class="note">The noise is that of the text.</p>
      ) : (
        <SelectField
          label="Noise"
          hint={noiseInWords(choices.noise, models, chosen?.processor)}
          value={choices.noise}
          options={[
            ['', isNoisy ? 'Of the device' : 'None'],
            ...(isNoisy || choices.noise === 'none' ? [['none', 'None'] as const] : []),
            ...models.map(({ id }) => [id, `Like ${id}`] as const),
          ]}
          onChoose={set('noise')}
        />
      )}
      {children}
    </form>
  );
}

function ProcessorOptions({ options }: { readonly options: readonly ProcessorOption[] }) {
  const byId = new Map(options.map((option) => [option.processor.id, option]));
  return (
    <>
      {processorsByKind(options.map(({ processor }) => processor)).map(([kind, own]) => (
        <optgroup key={kind} label={kind}>
          {own.map(({ id, name }) => {
            const refusal = byId.get(id)?.refusal;
            return (
              <option key={id} value={id} disabled={refusal !== undefined}>
                {refusal === undefined ? name : `${name} – ${refusal}`}
              </option>
            );
          })}
        </optgroup>
      ))}
    </>
  );
}

function ProcessorHint({
  option: { processor, refusal, words },
}: {
  readonly option: ProcessorOption;
}) {
  return (
    <>
      {refusal === undefined && words} At most {grouped(processor.max_shots)} shots. Results are{' '}
      {basisOf(processor)}.
    </>
  );
}
