/** Setup of an experiment: its circuits, the decoder, and when a task ends. */
import type { Processor } from '../../client/api-types.ts';
import { processorsByKind } from '../fleet/processor-words.ts';
import { CircuitCard } from '../setup/circuit-card.tsx';
import { faultsAt } from '../shell/faults.ts';
import { SelectField, TextField } from '../shell/forms.tsx';
import { useResource } from '../shell/resource.ts';
import { key } from '../shell/session.ts';
import { DECODERS, type Decoder, type ExperimentDraft, taskFaults } from './draft.ts';
import { EXAMPLES } from './examples.ts';
import { GeneratorForm } from './generator-form.tsx';

interface SetupProps {
  readonly draft: ExperimentDraft;
  /** Why the last attempt was not sent. */
  readonly error: unknown;
  readonly onChange: (draft: ExperimentDraft) => void;
}

/** The circuits of an experiment, and examples. */
export function TasksCard({ draft, error, onChange }: SetupProps) {
  return (
    <CircuitCard
      id="experiment-tasks"
      title="The circuits"
      examples={EXAMPLES}
      text={draft.text}
      own="Circuits of your own."
      label="A circuit in Stim’s format, or tasks as JSON"
      hint={
        <>
          A task has a circuit and metadata:{' '}
          <code>{'{"stim": "…", "metadata": {"d": 3, "p": 0.01}}'}</code>
        </>
      }
      faults={taskFaults(error)}
      rows={18}
      onExample={(example) => onChange({ ...example, processor: draft.processor })}
      onText={(text) => onChange({ ...draft, text })}
    >
      <GeneratorForm onText={(text) => onChange({ ...draft, text, name: '' })} />
    </CircuitCard>
  );
}

/** Decoder, limits and name of an experiment. */
export function LimitsCard({ draft, error, onChange }: SetupProps) {
  const { data } = useResource('GET /quantum/processors', {}, { isOff: key.value === undefined });
  const text = (
    field: 'maxShots' | 'maxErrors' | 'relativeError' | 'seed' | 'name',
    path: string,
    label: string,
    rest: { readonly hint?: string; readonly placeholder?: string } = {},
  ) => (
    <TextField
      label={label}
      {...rest}
      faults={faultsAt(error, path)}
      value={draft[field]}
      {...(field !== 'name' && { inputMode: field === 'relativeError' ? 'decimal' : 'numeric' })}
      onText={(value) => onChange({ ...draft, [field]: value })}
    />
  );
  return (
    <section class="card" aria-labelledby="experiment-limits">
      <h2 id="experiment-limits">Decoding and limits</h2>
      <SelectField
        label="Decoder"
        hint="For the tasks that name none"
        faults={faultsAt(error, 'decoder')}
        value={draft.decoder}
        options={DECODERS}
        // The options are the decoders.
        onChoose={(decoder) => onChange({ ...draft, decoder: decoder as Decoder })}
      />
      {text('maxShots', 'max_shots', 'Shots of each task, at most')}
      {text('maxErrors', 'max_errors', 'Errors of each task, about at most', {
        placeholder: 'no limit',
      })}
      {text('relativeError', 'relative_error', 'Relative error of the rate', {
        hint: 'A task ends once half its interval is at most this part of its rate',
        placeholder: 'no limit',
      })}
      {text('seed', 'seed', 'Seed', { placeholder: 'drawn' })}
      <SelectField
        label="Processor"
        faults={faultsAt(error, 'target_processor')}
        value={draft.processor}
        options={simulators(data?.processors ?? [], draft.processor)}
        onChoose={(processor) => onChange({ ...draft, processor })}
      />
      {text('name', 'name', 'Name')}
    </section>
  );
}

/** Simulators of the service with the chosen one, which may be none of them. */
function simulators(processors: readonly Processor[], chosen: string) {
  const own = new Map(processorsByKind(processors)).get('Simulators') ?? [];
  const options = own.map(({ id, available }): [string, string] => [
    id,
    available ? id : `${id} (not available)`,
  ]);
  return own.some(({ id }) => id === chosen) ? options : [[chosen, chosen] as const, ...options];
}
