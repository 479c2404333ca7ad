/** A button that copies a text, and says so. */
import { useSignal } from '@preact/signals';

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
