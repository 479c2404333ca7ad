/** The page's request to the service, to be copied. */

import { useSignal } from '@preact/signals';
import { type ApiCall, callText, LANGUAGES, type Language } from './api-call.ts';
import { ChoiceButtons } from './forms.tsx';

const CHOSEN = 'qcs-language';

/** Shows a call as text for curl, Python and TypeScript. It is closed at first. */
export function ApiPanel({
  call,
  title = 'The same by HTTP',
}: {
  readonly call: ApiCall;
  readonly title?: string;
}) {
  const language = useSignal<Language>(chosenLanguage());
  // The text of a large request takes longer to write than all else on a page that changes with each frame.
  const isOpen = useSignal(false);
  const text = isOpen.value ? callText(call, language.value, window.location.origin) : '';
  const choose = (next: Language) => {
    localStorage.setItem(CHOSEN, next);
    language.value = next;
  };
  return (
    <details
      class="card api-panel"
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{title}</summary>
      <div class="head">
        <ChoiceButtons
          label="Language"
          names={LANGUAGES}
          chosen={language.value}
          onChoose={choose}
        />
        <CopyButton text={text} />
      </div>
      <Listing label={`${title}: ${language.value}`} text={text} />
    </details>
  );
}

function chosenLanguage(): Language {
  const stored = localStorage.getItem(CHOSEN);
  return LANGUAGES.find((each) => each === stored) ?? 'curl';
}

const LABELS = { idle: 'Copy', copied: 'Copied', failed: 'Not copied: mark the text' } as const;

export function CopyButton({ text }: { readonly text: string }) {
  const done = useSignal<{ readonly text: string; readonly isCopied: boolean }>();
  const copy = async () => {
    // Browsers have no clipboard for pages of plain HTTP, except of this machine.
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('none'));
    const isCopied = await written.then(
      () => true,
      () => false,
    );
    done.value = { text, isCopied };
  };
  const isOfText = done.value?.text === text;
  const state = isOfText ? (done.value?.isCopied ? 'copied' : 'failed') : 'idle';
  return (
    <button type="button" onClick={() => void copy()}>
      <span aria-live="polite">{LABELS[state]}</span>
    </button>
  );
}

/** A text of several lines. Lines wider than its place can be scrolled. */
export function Listing({
  label,
  text,
  class: name = '',
  id,
}: {
  readonly label: string;
  readonly text: string;
  readonly class?: string;
  readonly id?: string;
}) {
  return (
    <pre class={`scroll listing ${name}`.trim()} tabIndex={0} role="region" aria-label={label}>
      <code id={id}>{text}</code>
    </pre>
  );
}
