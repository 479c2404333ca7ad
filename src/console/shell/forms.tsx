/** Parts of forms: fields with the faults of their values, choices, and dialogs. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, InputHTMLAttributes, PartialInputHTMLAttributes } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Problem } from './notice.tsx';

/** Attributes of the control, which bind it to its label and its faults. */
interface Bound {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Faults of the value that the service or the page reports. */
  readonly faults?: readonly string[] | undefined;
}

/** A field with its label, and below it the faults of its value. */
export function Field({
  label,
  hint,
  faults,
  children,
}: FieldProps & {
  /** The control, with the given attributes. */
  readonly children: (bound: Bound) => ComponentChildren;
}) {
  const id = useId();
  const isWrong = faults !== undefined && faults.length > 0;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-invalid': isWrong, 'aria-describedby': `${id}-hint ${id}-fault` })}
      {hint !== undefined && (
        <div id={`${id}-hint`} class="hint">
          {hint}
        </div>
      )}
      {faults !== undefined && (
        <div id={`${id}-fault`} class="fault" role="alert">
          {faults.join(' ')}
        </div>
      )}
    </div>
  );
}

/** Attributes of a text field, without those that need a type of their own. */
type InputProps = Omit<PartialInputHTMLAttributes<HTMLInputElement>, 'role' | 'type' | 'list'> & {
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'datetime-local';
};

/** A field of one line of text. Further attributes are those of the input. */
export function TextField({
  label,
  hint,
  faults,
  onText,
  ...rest
}: FieldProps &
  InputProps & {
    readonly value: string | number;
    readonly onText: (text: string) => void;
  }) {
  return (
    <Field label={label} hint={hint} faults={faults}>
      {(bound) => (
        <input
          {...bound}
          // The cast is safe: all of these types may have the attributes that are left.
          {...(rest as InputHTMLAttributes)}
          onInput={({ currentTarget: { value } }) => onText(String(value))}
        />
      )}
    </Field>
  );
}

/** Values with their texts. */
export type Options = readonly (readonly [value: string, text: string, isOff?: boolean])[];

/** A field with a choice of a list. */
export function SelectField({
  label,
  hint,
  faults,
  value,
  options,
  onChoose,
}: FieldProps & {
  readonly value: string;
  readonly options: Options;
  readonly onChoose: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint} faults={faults}>
      {(bound) => (
        <select
          {...bound}
          value={value}
          onChange={({ currentTarget }) => onChoose(currentTarget.value)}
        >
          <OptionList options={options} />
        </select>
      )}
    </Field>
  );
}

/** The options of a list. */
export function OptionList({ options }: { readonly options: Options }) {
  return (
    <>
      {options.map(([value, text, isOff = false]) => (
        <option key={value} value={value} disabled={isOff}>
          {text}
        </option>
      ))}
    </>
  );
}

/** Buttons of which at most one is pressed. */
export function ChoiceButtons<Name extends string>({
  label,
  names,
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly names: readonly Name[];
  readonly chosen: Name | undefined;
  readonly onChoose: (name: Name, index: number) => void;
}) {
  return (
    <div class="choices" role="group" aria-label={label}>
      {names.map((name, index) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === chosen}
          onClick={() => onChoose(name, index)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** Actions of a visitor on the service: one at a time, with the error of the last one that failed. */
export function useAct() {
  const error = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const act = async (work: () => Promise<unknown>) => {
    if (isBusy.value) return;
    isBusy.value = true;
    error.value = undefined;
    try {
      await work();
    } catch (thrown) {
      error.value = thrown;
    }
    isBusy.value = false;
  };
  return {
    error: error.value,
    isBusy: isBusy.value,
    run: (work: () => Promise<unknown>) => void act(work),
  };
}

/** A dialog over the page. The browser keeps the focus in it and closes it with Escape. */
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

/** Dialog with a form and two buttons, to act and to cancel. It stays open with the error of a failed act. */
export function ActDialog({
  title,
  action,
  refusal = 'Not now',
  act,
  onClose,
  children,
}: {
  readonly title: string;
  readonly action: string;
  /** Text of the button that does not act. */
  readonly refusal?: string;
  readonly act: () => Promise<void>;
  readonly onClose: () => void;
  /** Contents below the title, given the error of the last attempt. */
  readonly children: (error: unknown) => ComponentChildren;
}) {
  const { error, isBusy, run } = useAct();
  const submit = (event: Event) => {
    event.preventDefault();
    run(act);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children(error)}
        <Problem error={error} />
        <p class="actions">
          <button type="submit" class="primary" disabled={isBusy}>
            {action}
          </button>
          <button type="button" onClick={onClose}>
            {refusal}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
