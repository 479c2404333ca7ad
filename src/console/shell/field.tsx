/** A field of a form with its label, and below it what is wrong with its value. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** Attributes of the control, which bind it to its label and its faults. */
export interface Bound {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string;
}

export function Field({
  label,
  hint,
  faults = [],
  children,
}: {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly faults?: readonly string[];
  /** The control, with the given attributes. */
  readonly children: (bound: Bound) => ComponentChildren;
}) {
  const id = useId();
  const isWrong = faults.length > 0;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-invalid': isWrong, 'aria-describedby': `${id}-hint ${id}-fault` })}
      <div id={`${id}-hint`} class="hint">
        {hint}
      </div>
      <div id={`${id}-fault`} class="fault" role="alert">
        {faults.join(' ')}
      </div>
    </div>
  );
}
