/** Fields of forms with what is wrong with their values, and dialogs. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

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

export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog ref={element} class="card" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
