/** Texts on keys, their scopes and the audit log; and the draft of a key that an administrator edits. */
import type { ApiKey, AuditEntry } from '../../client/api-types.ts';
import { capitalized, listed } from '../numbers.ts';

export type Scope = ApiKey['scopes'][number];

/** Description of each scope, in the order of the page. */
export const SCOPES: Readonly<Record<Scope, string>> = {
  read: 'See processors, devices, models, agents, gates and the state of the service',
  circuits: 'Compile and run circuits, batches and sweeps, and see their results',
  agents: 'Give tasks and plans to agents',
  models: 'Run inferences of models',
  tpu: 'Run jobs on the modelled TPU fleet',
  admin:
    'Make, change and revoke keys, read the audit log, take processors and devices out of service',
};
export const SCOPE_NAMES: readonly Scope[] = [
  'read',
  'circuits',
  'agents',
  'models',
  'tpu',
  'admin',
];

/** Scopes of a new key, unless others are chosen. */
const USUAL_SCOPES: readonly Scope[] = SCOPE_NAMES.filter((scope) => scope !== 'admin');

export type KeyState = 'valid' | 'expired' | 'revoked';

/** Whether the service accepts a key. @param now - Milliseconds since 1970 UTC. */
export function stateOf(key: ApiKey, now: number): KeyState {
  if (key.revoked_at !== null) return 'revoked';
  const isExpired = key.expires_at !== null && Date.parse(key.expires_at) <= now;
  return isExpired ? 'expired' : 'valid';
}

/** Keys whose name or id contains the text, in the state, if one is given. */
export function matchingKeys(
  keys: readonly ApiKey[],
  {
    text,
    state,
    now,
  }: { readonly text: string; readonly state: KeyState | ''; readonly now: number },
): readonly ApiKey[] {
  const words = text.trim().toLowerCase();
  return keys.filter(
    (key) =>
      `${key.name} ${key.id}`.toLowerCase().includes(words) &&
      (state === '' || stateOf(key, now) === state),
  );
}

/** A time of the service in the visitor's time zone: "28 Nov 2026, 07:40". */
export function timeInWords(iso: string): string {
  return TIME.format(new Date(iso));
}

const TIME = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

const ACTIONS: Readonly<Record<AuditEntry['action'], string>> = {
  'key.created': 'made the key',
  'key.changed': 'changed the key',
  'key.rotated': 'gave a new secret to the key',
  'key.revoked': 'revoked the key',
  'processor.maintenance_began': 'took out of service the processor',
  'processor.maintenance_ended': 'put back into service the processor',
  'device.maintenance_began': 'took out of service the device',
  'device.maintenance_ended': 'put back into service the device',
  'node.drain_began': 'began to drain the node',
  'node.drain_ended': 'ended the drain of the node',
  'admin.refused': 'was refused what needs the scope admin, as the key',
};

/** All actions of the log. */
export const ACTION_NAMES = Object.keys(ACTIONS).sort();

/** Sentence for an entry of the log: "key 5bc5 revoked the key 12ab". */
export function entryInWords({ actor, action, subject }: AuditEntry): {
  readonly actor: string;
  readonly did: string;
  readonly subject: string;
} {
  return { actor, did: ACTIONS[action], subject };
}

/** Details of an entry, one text for each: "scopes: from read to read and circuits". */
export function detailsInWords({ details }: AuditEntry): readonly string[] {
  return Object.entries(details).map(([name, value]) => `${name}: ${detail(value)}`);
}

function detail(value: unknown): string {
  if (value === null) return 'none';
  if (Array.isArray(value)) return listed(value.map(detail));
  if (typeof value !== 'object') return String(value);
  const fields = Object.entries(value);
  return fields.map(([name, each]) => `${name} ${detail(each)}`).join(' ');
}

/** Filters of the log. Empty texts let everything pass. */
export interface AuditFilter {
  readonly action: string;
  /** Part of an actor, a subject or a detail. */
  readonly text: string;
}

/** Entries that pass the filters. */
export function matchingEntries(
  entries: readonly AuditEntry[],
  { action, text }: AuditFilter,
): readonly AuditEntry[] {
  const words = text.trim().toLowerCase();
  return entries.filter((entry) => {
    const all = [entry.actor, entry.subject, ...detailsInWords(entry)].join(' ').toLowerCase();
    return (action === '' || entry.action === action) && all.includes(words);
  });
}

/** An action as a choice: "Key created". */
export function actionName(action: string): string {
  return capitalized(action.replaceAll(/[._]/g, ' '));
}

/** Choices of the time for which an old secret is accepted after a rotation. */
export const GRACES: readonly { readonly seconds: number; readonly label: string }[] = [
  { seconds: 0, label: 'Not at all: it has leaked' },
  { seconds: 3600, label: 'For an hour' },
  { seconds: 86_400, label: 'For a day' },
  { seconds: 7 * 86_400, label: 'For a week' },
  { seconds: 30 * 86_400, label: 'For 30 days' },
];

/** ISO time of a field of the type datetime-local, which has the visitor's time zone; undefined if it is empty. */
export function isoOfField(value: string): string | undefined {
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** The value of such a field for an ISO time, to the minute. */
export function fieldOfIso(iso: string | null): string {
  if (iso === null) return '';
  const time = new Date(iso);
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** Values of the fields. */
export interface KeyDraft {
  readonly name: string;
  readonly tier: ApiKey['tier'];
  readonly scopes: readonly Scope[];
  /** Value of the field of the expiry, in the visitor's time zone; empty if the key does not expire. */
  readonly expiry: string;
}

/** A key that is about to be made. */
export const NEW_KEY: KeyDraft = {
  name: '',
  tier: 'standard',
  scopes: USUAL_SCOPES,
  expiry: '',
};

/** The fields of a key that exists. */
export function draftOf(key: ApiKey): KeyDraft {
  const { name, tier, scopes, expires_at: expiresAt } = key;
  return { name, tier, scopes, expiry: fieldOfIso(expiresAt) };
}

/** Body of POST /admin/keys. */
export function newKeyBody({ name, tier, scopes, expiry }: KeyDraft) {
  return { name, tier, scopes, expires_at: isoOfField(expiry) };
}

/** Body of PATCH /admin/keys/{key_id}: the fields that differ from the key. */
export function keyChanges(key: ApiKey, draft: KeyDraft) {
  const before = draftOf(key);
  return {
    ...(draft.name !== before.name && { name: draft.name }),
    ...(draft.tier !== before.tier && { tier: draft.tier }),
    ...([...draft.scopes].sort().join() !== [...before.scopes].sort().join() && {
      scopes: draft.scopes,
    }),
    ...(draft.expiry !== before.expiry && { expires_at: isoOfField(draft.expiry) ?? null }),
  };
}
