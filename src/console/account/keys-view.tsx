/** All keys of the service, for administrators: made, changed, rotated, revoked. */

import { useSignal } from '@preact/signals';
import type { ApiKey } from '../../client/api-types.ts';
import { grouped, listed } from '../numbers.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { SelectField, TextField } from '../shell/forms.tsx';
import { Pending, Problem } from '../shell/notice.tsx';
import { useResource } from '../shell/resource.ts';
import { keyInfo } from '../shell/session.ts';
import { ChangeKey, MakeKey, type NewText, RevokeKey, RotateKey, ShowKey } from './key-dialogs.tsx';
import { type KeyState, matchingKeys, stateOf, timeInWords } from './key-words.ts';

const NUM_SHOWN = 100;

type Open =
  | { readonly kind: 'make' }
  | { readonly kind: 'change' | 'rotate' | 'revoke'; readonly key: ApiKey };

export function KeysView() {
  const { data, error, reload } = useResource('GET /admin/keys', {});
  const open = useSignal<Open>();
  const made = useSignal<NewText>();
  const close = () => {
    open.value = undefined;
  };
  const done = (text?: NewText) => {
    made.value = text;
    close();
    reload();
  };
  return (
    <div class="stack">
      <section class="card" aria-labelledby="keys-title">
        <div class="head">
          <h2 id="keys-title">Keys</h2>
          <button
            type="button"
            class="primary"
            onClick={() => {
              open.value = { kind: 'make' };
            }}
          >
            Make a key
          </button>
        </div>
        {data === undefined ? (
          <Pending error={error} />
        ) : (
          <>
            <Problem error={error} />
            <KeyList
              keys={data.keys}
              onOpen={(next) => {
                open.value = next;
              }}
            />
          </>
        )}
      </section>
      <ApiPanel call={{ route: 'GET /admin/keys' }} title="The keys by HTTP" />
      {open.value !== undefined && <OpenDialog open={open.value} onClose={close} onDone={done} />}
      {made.value !== undefined && (
        <ShowKey
          text={made.value}
          onClose={() => {
            made.value = undefined;
          }}
        />
      )}
    </div>
  );
}

function OpenDialog({
  open,
  onClose,
  onDone,
}: {
  readonly open: Open;
  readonly onClose: () => void;
  readonly onDone: (text?: NewText) => void;
}) {
  switch (open.kind) {
    case 'make':
      return <MakeKey onClose={onClose} onDone={onDone} />;
    case 'change':
      return <ChangeKey apiKey={open.key} onClose={onClose} onDone={onDone} />;
    case 'rotate':
      return <RotateKey apiKey={open.key} onClose={onClose} onDone={onDone} />;
    case 'revoke':
      return <RevokeKey apiKey={open.key} onClose={onClose} onDone={onDone} />;
  }
}

function KeyList({
  keys,
  onOpen,
}: {
  readonly keys: readonly ApiKey[];
  readonly onOpen: (open: Open) => void;
}) {
  const text = useSignal('');
  const state = useSignal<KeyState | ''>('valid');
  const numShown = useSignal(NUM_SHOWN);
  const now = Date.now();
  const matching = matchingKeys(keys, { text: text.value, state: state.value, now });
  return (
    <>
      <div class="filters">
        <TextField
          label="Name or id"
          type="search"
          value={text.value}
          onText={(next) => {
            text.value = next;
          }}
        />
        <SelectField
          label="State"
          value={state.value}
          options={[['', 'All'], ...STATES.map((each) => [each, each] as const)]}
          onChoose={(value) => {
            state.value = STATES.find((each) => each === value) ?? '';
          }}
        />
        <p class="note" role="status">
          {grouped(matching.length)} of {grouped(keys.length)} keys
        </p>
      </div>
      <ul class="rows">
        {matching.slice(0, numShown.value).map((key) => (
          <KeyRow key={key.id} apiKey={key} state={stateOf(key, now)} onOpen={onOpen} />
        ))}
      </ul>
      {matching.length > numShown.value && (
        <button
          type="button"
          onClick={() => {
            numShown.value += NUM_SHOWN;
          }}
        >
          More keys
        </button>
      )}
    </>
  );
}

const STATES: readonly KeyState[] = ['valid', 'expired', 'revoked'];

function KeyRow({
  apiKey,
  state,
  onOpen,
}: {
  readonly apiKey: ApiKey;
  readonly state: KeyState;
  readonly onOpen: (open: Open) => void;
}) {
  const { id, name, tier, scopes, created_at: created, expires_at: expires } = apiKey;
  const { old_secret_until: oldUntil, revoked_at: revoked } = apiKey;
  const isOwn = id === keyInfo.value?.id;
  const act = (kind: 'change' | 'rotate' | 'revoke', label: string) => (
    <button
      type="button"
      aria-label={`${label} ${name}`}
      onClick={() => onOpen({ kind, key: apiKey })}
    >
      {label}
    </button>
  );
  return (
    <li data-key={id}>
      <div>
        <p class="row-title">
          <strong>{name}</strong> <span class={`chip ${CHIPS[state]}`}>{state}</span>{' '}
          <span class="chip">{tier === 'enterprise' ? 'Enterprise' : 'Standard'}</span>{' '}
          {isOwn && <span class="chip">this console</span>}
        </p>
        <p class="note">
          <code>{id}</code> may use {listed(scopes)}. Made {timeInWords(created)}
          {revoked !== null && `, revoked ${timeInWords(revoked)}`}
          {revoked === null && expires !== null && `, expires ${timeInWords(expires)}`}.
          {oldUntil !== null &&
            Date.parse(oldUntil) > Date.now() &&
            ` Its previous secret is accepted until ${timeInWords(oldUntil)}.`}
        </p>
      </div>
      {state !== 'revoked' && (
        <div class="row-actions">
          {act('change', 'Change')}
          {act('rotate', 'Rotate')}
          {act('revoke', 'Revoke')}
        </div>
      )}
    </li>
  );
}

const CHIPS: Readonly<Record<KeyState, string>> = {
  valid: 'good',
  expired: 'warn',
  revoked: 'bad',
};
