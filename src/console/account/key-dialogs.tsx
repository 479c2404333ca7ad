/** Dialogs that make, change, rotate and revoke keys, and say the consequences first. The fields of a key. */
import { useSignal } from '@preact/signals';
import type { ApiKey } from '../../client/api-types.ts';
import { CopyButton } from '../shell/api-panel.tsx';
import { faultsAt } from '../shell/faults.ts';
import { ActDialog, Dialog, SelectField, TextField } from '../shell/forms.tsx';
import { client, forgetKey, keyInfo, replaceSecret } from '../shell/session.ts';
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
    <ActDialog title="Make a key" action="Make the key" onClose={onClose} act={make}>
      {(error) => (
        <KeyFields
          draft={draft.value}
          error={error}
          onChange={(next) => {
            draft.value = next;
          }}
        />
      )}
    </ActDialog>
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
    <ActDialog
      title={`Change ${apiKey.name}`}
      action="Save the changes"
      onClose={onClose}
      act={change}
    >
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
    </ActDialog>
  );
}

export function RotateKey({ apiKey, onClose, onDone }: KeyDialogProps) {
  const grace = useSignal(86_400);
  const isOwn = isOfConsole(apiKey);
  const rotate = async (): Promise<NewText> => {
    const { name, key } = await client.value.request('POST /admin/keys/{key_id}/rotate', {
      path: { key_id: apiKey.id },
      body: { grace_s: grace.value },
    });
    return { name, key };
  };
  const act = async () => onDone(await (isOwn ? replaceSecret(rotate) : rotate()));
  return (
    <ActDialog
      title={`Rotate ${apiKey.name}`}
      action="Make a new secret"
      onClose={onClose}
      act={act}
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
    </ActDialog>
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
    <ActDialog
      title={`Revoke ${apiKey.name}`}
      action="Revoke for good"
      onClose={onClose}
      act={revoke}
    >
      {() => (
        <p class="note">
          The service refuses the key from the next request on, and its event streams end. This
          cannot be undone. Its running jobs finish; its waiting jobs run, too, unless the service
          is set to cancel them.
          {isOwn && ' The console uses this key, and has none afterwards.'}
        </p>
      )}
    </ActDialog>
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

/** Whether it is the key that the console uses. */
function isOfConsole({ id }: ApiKey): boolean {
  return id === keyInfo.value?.id;
}

const TIERS = [
  ['standard', 'Standard'],
  ['enterprise', 'Enterprise'],
] as const;

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
      <TextField
        label="Name"
        hint="What the key is for"
        faults={faultsAt(error, 'name')}
        required
        maxLength={100}
        value={draft.name}
        onText={(name) => onChange({ ...draft, name })}
      />
      <SelectField
        label="Tier"
        hint="Enterprise has higher limits"
        faults={faultsAt(error, 'tier')}
        value={draft.tier}
        options={TIERS}
        onChoose={(tier) => onChange({ ...draft, tier: tier === 'enterprise' ? tier : 'standard' })}
      />
      <TextField
        label="Expires"
        hint="In your time zone; empty if it does not expire"
        faults={faultsAt(error, 'expires_at')}
        type="datetime-local"
        value={draft.expiry}
        onText={(expiry) => onChange({ ...draft, expiry })}
      />
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
