/** Dialogs that make, change, rotate and revoke keys, and the fields of a key. Each says what follows before anything happens. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ApiKey } from '../../client/api-types.ts';
import { CopyButton } from '../shell/api-panel.tsx';
import { faultsAt } from '../shell/faults.ts';
import { Dialog, Field } from '../shell/forms.tsx';
import { Problem } from '../shell/notice.tsx';
import { client, enterKey, forgetKey, isRemembered, keyInfo } from '../shell/session.ts';
import {
  draftOf,
  GRACES,
  type KeyDraft,
  keyChanges,
  NEW_KEY,
  newKeyBody,
  SCOPE_NAMES,
  SCOPES,
  type Scope,
} from './key-words.ts';

/** The text of a key that was made or rotated. */
export interface NewText {
  readonly name: string;
  readonly key: string;
}

interface DialogProps {
  readonly onClose: () => void;
  /** Called once the service has done it. */
  readonly onDone: (text?: NewText) => void;
}

type KeyDialogProps = DialogProps & { readonly apiKey: ApiKey };

export function MakeKey({ onClose, onDone }: DialogProps) {
  const draft = useSignal<KeyDraft>(NEW_KEY);
  const make = async () => {
    const body = newKeyBody(draft.value);
    const { name, key } = await client.value.request('POST /admin/keys', { body });
    onDone({ name, key });
  };
  return (
    <Asked title="Make a key" action="Make the key" onClose={onClose} act={make}>
      {(error) => (
        <KeyFields
          draft={draft.value}
          error={error}
          onChange={(next) => {
            draft.value = next;
          }}
        />
      )}
    </Asked>
  );
}

export function ChangeKey({ apiKey, onClose, onDone }: KeyDialogProps) {
  const draft = useSignal<KeyDraft>(draftOf(apiKey));
  const change = async () => {
    const body = keyChanges(apiKey, draft.value);
    if (Object.keys(body).length > 0) {
      const path = { key_id: apiKey.id };
      await client.value.request('PATCH /admin/keys/{key_id}', { path, body });
    }
    onDone();
  };
  return (
    <Asked title={`Change ${apiKey.name}`} action="Save the changes" onClose={onClose} act={change}>
      {(error) => (
        <>
          <p class="note">
            Changes hold from the next request of the key. Open event streams end if the key may no
            longer read them.
          </p>
          <KeyFields
            draft={draft.value}
            error={error}
            onChange={(next) => {
              draft.value = next;
            }}
          />
        </>
      )}
    </Asked>
  );
}

export function RotateKey({ apiKey, onClose, onDone }: KeyDialogProps) {
  const grace = useSignal(86_400);
  const isOwn = isOfConsole(apiKey);
  const rotate = async () => {
    const { name, key } = await client.value.request('POST /admin/keys/{key_id}/rotate', {
      path: { key_id: apiKey.id },
      body: { grace_s: grace.value },
    });
    onDone({ name, key });
    if (isOwn) await enterKey(key, isRemembered());
  };
  return (
    <Asked
      title={`Rotate ${apiKey.name}`}
      action="Make a new secret"
      onClose={onClose}
      act={rotate}
    >
      {() => (
        <>
          <p class="note">
            The key gets a new secret, which is shown once. Its id, limits and jobs stay.
            {isOwn && ' The console uses the new secret from then on.'}
          </p>
          <fieldset>
            <legend>How long the present secret is accepted beside the new one</legend>
            {GRACES.map(({ seconds, label }) => (
              <label key={seconds}>
                <input
                  type="radio"
                  name="grace"
                  checked={grace.value === seconds}
                  onChange={() => {
                    grace.value = seconds;
                  }}
                />{' '}
                {label}
              </label>
            ))}
          </fieldset>
        </>
      )}
    </Asked>
  );
}

export function RevokeKey({ apiKey, onClose, onDone }: KeyDialogProps) {
  const isOwn = isOfConsole(apiKey);
  const revoke = async () => {
    await client.value.request('DELETE /admin/keys/{key_id}', { path: { key_id: apiKey.id } });
    if (isOwn) forgetKey();
    onDone();
  };
  return (
    <Asked title={`Revoke ${apiKey.name}`} action="Revoke for good" onClose={onClose} act={revoke}>
      {() => (
        <p class="note">
          The service refuses the key from the next request on, and its event streams end. This
          cannot be undone. Its running jobs finish; its waiting jobs run, too, unless the service
          is set to cancel them.
          {isOwn && ' The console uses this key, and has none afterwards.'}
        </p>
      )}
    </Asked>
  );
}

/** The new key, which nobody can show again. */
export function ShowKey({
  text,
  onClose,
}: {
  readonly text: NewText;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={`The key ${text.name}`} onClose={onClose}>
      <p class="note">Store it now: it is shown this once. The service keeps only a hash of it.</p>
      <p class="new-key">
        <code>{text.key}</code>
      </p>
      <p class="actions">
        <CopyButton text={text.key} />
        <button type="button" class="primary" onClick={onClose}>
          I have stored it
        </button>
      </p>
    </Dialog>
  );
}

/** A dialog with a form, a button that acts, and one that does not. */
function Asked({
  title,
  action,
  act,
  onClose,
  children,
}: {
  readonly title: string;
  readonly action: string;
  readonly act: () => Promise<void>;
  readonly onClose: () => void;
  /** Contents below the title, given the error of the last attempt. */
  readonly children: (error: unknown) => ComponentChildren;
}) {
  const error = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    error.value = undefined;
    try {
      await act();
    } catch (thrown) {
      error.value = thrown;
    }
    isBusy.value = false;
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        {children(error.value)}
        <Problem error={error.value} />
        <p class="actions">
          <button type="button" onClick={onClose}>
            Not now
          </button>
          <button type="submit" class="primary" disabled={isBusy.value}>
            {action}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

/** Whether it is the key that the console uses. */
function isOfConsole({ id }: ApiKey): boolean {
  return id === keyInfo.value?.id;
}

function KeyFields({
  draft,
  error,
  onChange,
}: {
  readonly draft: KeyDraft;
  /** Answer to the last attempt. */
  readonly error: unknown;
  readonly onChange: (draft: KeyDraft) => void;
}) {
  const toggle = (scope: Scope) => {
    const has = draft.scopes.includes(scope);
    const scopes = SCOPE_NAMES.filter((each) =>
      each === scope ? !has : draft.scopes.includes(each),
    );
    onChange({ ...draft, scopes });
  };
  const scopeFaults = faultsAt(error, 'scopes');
  return (
    <div class="key-fields">
      <Field label="Name" hint="What the key is for" faults={faultsAt(error, 'name')}>
        {(bound) => (
          <input
            {...bound}
            required
            maxLength={100}
            value={draft.name}
            onInput={(event) => onChange({ ...draft, name: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Tier" hint="Enterprise has higher limits" faults={faultsAt(error, 'tier')}>
        {(bound) => (
          <select
            {...bound}
            value={draft.tier}
            onChange={({ currentTarget: { value } }) =>
              onChange({ ...draft, tier: value === 'enterprise' ? value : 'standard' })
            }
          >
            <option value="standard">Standard</option>
            <option value="enterprise">Enterprise</option>
          </select>
        )}
      </Field>
      <Field
        label="Expires"
        hint="In your time zone; empty if it does not expire"
        faults={faultsAt(error, 'expires_at')}
      >
        {(bound) => (
          <input
            {...bound}
            type="datetime-local"
            value={draft.expiry}
            onInput={(event) => onChange({ ...draft, expiry: event.currentTarget.value })}
          />
        )}
      </Field>
      <fieldset>
        <legend>Scopes</legend>
        {SCOPE_NAMES.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={draft.scopes.includes(scope)}
              onChange={() => toggle(scope)}
            />{' '}
            <strong>{scope}</strong> <span class="hint">{SCOPES[scope]}</span>
          </label>
        ))}
        <div class="fault" role="alert">
          {draft.scopes.length === 0 ? 'Choose one at least.' : scopeFaults.join(' ')}
        </div>
      </fieldset>
    </div>
  );
}
