/** Card of a setup in which a circuit is written, or begun with an example. */
import type { ComponentChildren } from 'preact';
import { Field } from '../shell/forms.tsx';

/** A draft to begin with. */
interface Example<Draft> {
  readonly name: string;
  readonly about: string;
  readonly draft: Draft;
}

interface CircuitCardProps<Draft> {
  readonly id: string;
  readonly title: string;
  readonly examples: readonly Example<Draft>[];
  readonly text: string;
  /** Stands below the examples where the text is none of them. */
  readonly own: string;
  readonly label: string;
  readonly hint: ComponentChildren;
  readonly faults: readonly string[];
  readonly rows: number;
  readonly onExample: (draft: Draft) => void;
  readonly onText: (text: string) => void;
  /** Stands above the text. */
  readonly children?: ComponentChildren;
}

export function CircuitCard<Draft extends { readonly text: string }>({
  id,
  title,
  examples,
  text,
  own,
  label,
  hint,
  faults,
  rows,
  onExample,
  onText,
  children,
}: CircuitCardProps<Draft>) {
  const chosen = examples.find((example) => example.draft.text === text);
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <div class="choices examples" role="group" aria-label="Examples">
        {examples.map((example) => (
          <button
            key={example.name}
            type="button"
            class="chip"
            aria-pressed={example === chosen}
            onClick={() => onExample(example.draft)}
          >
            {example.name}
          </button>
        ))}
      </div>
      <p class="note">{chosen?.about ?? own}</p>
      {children}
      <Field label={label} hint={hint} faults={faults}>
        {(bound) => (
          <textarea
            {...bound}
            rows={rows}
            spellcheck={false}
            value={text}
            onInput={(event) => onText(event.currentTarget.value)}
          />
        )}
      </Field>
    </section>
  );
}
