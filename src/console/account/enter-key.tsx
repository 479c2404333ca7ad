/** Form for a key. The service is asked about the key before it is used. */
import { useState } from 'preact/hooks';
import { ApiError } from '../../client/client.ts';
import { Field } from '../shell/field.tsx';
import { messageOf } from '../shell/notice.tsx';
import { enterKey } from '../shell/session.ts';

export function EnterKey({ title = 'Enter your key' }: { readonly title?: string }) {
  const [text, setText] = useState('');
  const [isShown, setShown] = useState(false);
  const [isKept, setKept] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setFault(undefined);
    try {
      await enterKey(text.trim(), isKept);
      setText('');
    } catch (error) {
      setFault(refusal(error));
    }
    setBusy(false);
  };
  return (
    <form class="card" aria-labelledby="enter-key-title" onSubmit={(event) => void submit(event)}>
      <h2 id="enter-key-title">{title}</h2>
      <p class="note">
        Whoever runs this service makes keys; the first one is printed when the service starts for
        the first time.
      </p>
      <Field label="API key" faults={fault === undefined ? [] : [fault]}>
        {(bound) => (
          <input
            {...bound}
            {...(isShown ? { type: 'text' as const } : { type: 'password' as const })}
            value={text}
            required
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="ticks">
        <label>
          <input
            type="checkbox"
            checked={isShown}
            onChange={(event) => setShown(event.currentTarget.checked)}
          />{' '}
          Show the key
        </label>
        <label>
          <input
            type="checkbox"
            checked={isKept}
            onChange={(event) => setKept(event.currentTarget.checked)}
          />{' '}
          Remember it in this browser
        </label>
      </div>
      <p class="small">
        Without that, the key is forgotten when the tab is closed. It is sent to this service only.
      </p>
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Asking the service …' : 'Use this key'}
        </button>
      </p>
    </form>
  );
}

function refusal(error: unknown): string {
  const status = error instanceof ApiError ? error.status : undefined;
  if (status === 401)
    return 'The service does not know this key, or it has expired or was revoked.';
  if (status === 403) return 'The console needs a key with the scope read, which this one lacks.';
  return messageOf(error);
}
