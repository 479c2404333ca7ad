/** Fields of a key that administrators set: name, tier, scopes and expiry. */
import { faultsAt } from '../shell/faults.ts';
import { Field } from '../shell/field.tsx';
import type { KeyDraft } from './key-draft.ts';
import { SCOPE_NAMES, SCOPES, type Scope } from './key-words.ts';

export function KeyFields({
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
