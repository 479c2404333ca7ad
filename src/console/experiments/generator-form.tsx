/** Fields of the circuits that the page generates. */
import { useState } from 'preact/hooks';
import { faultsAt } from '../shell/faults.ts';
import { SelectField, TextField } from '../shell/forms.tsx';
import {
  CODES,
  ERRORS,
  FIRST_GENERATOR,
  type GeneratorDraft,
  generatedTasks,
  tasksOfCode,
  tasksText,
  withCode,
} from './generated-tasks.ts';

/** @param onText - Gets the tasks as JSON. */
export function GeneratorForm({ onText }: { readonly onText: (text: string) => void }) {
  const [draft, setDraft] = useState<GeneratorDraft>(FIRST_GENERATOR);
  const [error, setError] = useState<unknown>();
  const text = (field: 'distances' | 'rounds' | 'rates', label: string, hint?: string) => (
    <TextField
      label={label}
      hint={hint}
      faults={faultsAt(error, field)}
      value={draft[field]}
      onText={(value) => setDraft({ ...draft, [field]: value })}
    />
  );
  const write = () => {
    try {
      onText(tasksText(generatedTasks(draft)));
      setError(undefined);
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <details class="generator">
      <summary>Generate circuits of a code</summary>
      <div class="generator-fields">
        <SelectField
          label="Code"
          value={draft.code}
          options={CODES.map((code) => [code, inWords(code)])}
          onChoose={(code) => setDraft(withCode(draft, code))}
        />
        <SelectField
          label="Memory"
          value={draft.task}
          options={tasksOfCode(draft.code).map((task) => [task, inWords(task)])}
          onChoose={(task) => setDraft({ ...draft, task })}
        />
        {text('distances', 'Distances')}
        {text('rounds', 'Rounds', 'A number, or d for the distance, or 3d')}
        {text('rates', 'Error rates')}
        <fieldset>
          <legend>Errors at this rate</legend>
          {ERRORS.map(([kind, words]) => (
            <label key={kind}>
              <input
                type="checkbox"
                checked={draft.errors.includes(kind)}
                onChange={({ currentTarget: { checked } }) => {
                  const others = draft.errors.filter((each) => each !== kind);
                  setDraft({ ...draft, errors: checked ? [...others, kind] : others });
                }}
              />{' '}
              {words}
            </label>
          ))}
        </fieldset>
      </div>
      <p class="actions">
        <button type="button" onClick={write}>
          Write the circuits
        </button>
      </p>
    </details>
  );
}

const inWords = (name: string): string => name.replaceAll('_', ' ');
