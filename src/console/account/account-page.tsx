/** The visitor's key, and for administrators all keys and the audit log. */
import './account.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../client/client.ts';
import { grouped, memory, plain, timeOfDay } from '../numbers.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { TextField, useAct } from '../shell/forms.tsx';
import { Heading, messageOf, Problem } from '../shell/notice.tsx';
import { useResource } from '../shell/resource.ts';
import { hashOf, place } from '../shell/route.ts';
import {
  enterKey,
  forgetKey,
  isRemembered,
  type KeyInfo,
  key,
  keyInfo,
  mayUse,
  refusedKey,
} from '../shell/session.ts';
import { AuditView } from './audit-view.tsx';
import { SCOPE_NAMES, SCOPES, timeInWords } from './key-words.ts';
import { KeysView } from './keys-view.tsx';

const PARTS = [
  { name: '', title: 'Your key' },
  { name: 'keys', title: 'All keys' },
  { name: 'audit', title: 'Audit log' },
] as const;

export function AccountPage() {
  const [part = ''] = place.value.rest;
  const isAdmin = mayUse('admin');
  return (
    <div class="account">
      <Heading
        title="Account"
        lede="A key says who you are to the service, what you may do, and how much of it."
      >
        {isAdmin && (
          <nav aria-label="Account" class="parts">
            {PARTS.map(({ name, title }) => (
              <a
                key={name}
                class="button"
                href={hashOf(name === '' ? ['account'] : ['account', name])}
                {...(name === part && { 'aria-current': 'page' as const })}
              >
                {title}
              </a>
            ))}
          </nav>
        )}
      </Heading>
      <Part name={part} isAdmin={isAdmin} />
    </div>
  );
}

function Part({ name, isAdmin }: { readonly name: string; readonly isAdmin: boolean }) {
  if (key.value === undefined) return <EnterKey />;
  if (name === '') return <OwnKey />;
  if (!isAdmin) return <p class="notice">This needs a key with the scope admin.</p>;
  return name === 'audit' ? <AuditView /> : <KeysView />;
}

/** Each answer counts as a request of the key. */
const EVERY_MS = 15_000;

function OwnKey() {
  const { data, error } = useResource('GET /keys/info', {}, { everyMs: EVERY_MS });
  const info = data ?? keyInfo.value;
  return (
    <div class="stack">
      <Problem error={error} />
      {info === undefined ? <p class="plain">Loading …</p> : <Known info={info} />}
      <details class="card">
        <summary>Use another key</summary>
        <EnterKey title="Another key" />
      </details>
      <ApiPanel call={{ route: 'GET /keys/info' }} title="Your key by HTTP" />
    </div>
  );
}

function Known({ info }: { readonly info: KeyInfo }) {
  const { limits, usage } = info;
  return (
    <div class="pair">
      <section class="card" aria-labelledby="key-title">
        <div class="head">
          <h2 id="key-title">{info.name}</h2>
          <span class="chip">{info.tier === 'enterprise' ? 'Enterprise' : 'Standard'}</span>
        </div>
        <dl class="facts">
          <dt>Id</dt>
          <dd>
            <code>{info.id}</code>
          </dd>
          <dt>Made</dt>
          <dd>{timeInWords(info.created_at)}</dd>
          <dt>Kept</dt>
          <dd>
            {isRemembered() ? 'in this browser, until you forget it' : 'until this tab is closed'}
          </dd>
          <dt>Priority high</dt>
          <dd>{info.priority_queue ? 'has an effect' : 'has no effect with this tier'}</dd>
        </dl>
        <p class="actions">
          <button type="button" onClick={forgetKey}>
            Forget the key
          </button>
        </p>
      </section>
      <section class="card" aria-labelledby="usage-title">
        <h2 id="usage-title">Limits and usage</h2>
        <Meter
          label={`Requests in ${limits.window_s} seconds`}
          value={usage.requests}
          max={limits.requests}
          words={`${grouped(usage.requests)} of ${grouped(limits.requests)}`}
          note={`${grouped(usage.remaining)} remain until ${timeOfDay(Date.parse(usage.resets_at))}`}
        />
        <Meter
          label="Circuits waiting or running"
          value={usage.in_flight}
          max={limits.in_flight}
          words={`${grouped(usage.in_flight)} of ${grouped(limits.in_flight)}`}
          note="Inferences, tasks and TPU jobs have as many places of their own"
        />
        <Meter
          label="Stored jobs and results"
          value={info.storage_bytes}
          max={info.storage_limit_bytes}
          words={`${memory(info.storage_bytes)} of ${memory(info.storage_limit_bytes)}`}
          note="Beyond it, jobs are refused until old ones are deleted"
        />
      </section>
      <section class="card wide" aria-labelledby="scopes-title">
        <h2 id="scopes-title">What the key may do</h2>
        <ul class="scopes">
          {SCOPE_NAMES.map((scope) => {
            const has = info.scopes.includes(scope);
            return (
              <li key={scope}>
                <span class={has ? 'chip good' : 'chip'}>
                  {scope}: {has ? 'yes' : 'no'}
                </span>
                <span>{SCOPES[scope]}</span>
              </li>
            );
          })}
        </ul>
      </section>
    </div>
  );
}

function Meter(props: {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly words: string;
  readonly note: string;
}) {
  const { label, value, max, words, note } = props;
  const part = max === 0 ? 0 : Math.min(1, value / max);
  return (
    <div class="meter">
      <div class="head">
        <span>{label}</span>
        <strong>{words}</strong>
      </div>
      <div
        class="bar"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={Math.min(value, max)}
        aria-valuetext={words}
      >
        <div class={part > 0.9 ? 'full' : ''} style={{ width: `${plain(100 * part, 2)}%` }} />
      </div>
      <p class="note">{note}</p>
    </div>
  );
}

function EnterKey({ title = 'Enter your key' }: { readonly title?: string }) {
  const [text, setText] = useState('');
  const [isShown, setShown] = useState(false);
  const [isKept, setKept] = useState(false);
  const { error, isBusy, run } = useAct();
  const form = useRef<HTMLFormElement>(null);
  // A wrong key is selected, so that the next one takes its place.
  useEffect(() => {
    if (error !== undefined) form.current?.querySelector('input')?.select();
  }, [error]);
  const submit = (event: Event) => {
    event.preventDefault();
    run(async () => {
      await enterKey(text.trim(), isKept);
      setText('');
    });
  };
  return (
    <form class="card" aria-labelledby="enter-key-title" onSubmit={submit} ref={form}>
      <h2 id="enter-key-title">{title}</h2>
      {refusedKey.value !== undefined && (
        <p class="notice bad" role="alert">
          The service refuses the key {refusedKey.value}: it has expired or was revoked. The console
          has forgotten it.
        </p>
      )}
      <p class="note">
        Whoever runs this service makes keys; the first one is printed when the service starts for
        the first time.
      </p>
      <TextField
        label="API key"
        faults={error === undefined ? [] : [refusal(error)]}
        type={isShown ? 'text' : 'password'}
        value={text}
        required
        autocomplete="off"
        spellcheck={false}
        onText={setText}
      />
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
