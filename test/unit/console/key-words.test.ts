import { describe, expect, test } from 'vitest';
import {
  ACTION_NAMES,
  detailsInWords,
  draftOf,
  fieldOfIso,
  isoOfField,
  keyChanges,
  matchingEntries,
  matchingKeys,
  newKeyBody,
  SCOPE_NAMES,
  stateOf,
} from '../../../src/console/account/key-words.ts';
import { AUDIT_ACTIONS } from '../../../src/service/audit/audit-log.ts';
import { SCOPES } from '../../../src/service/http/api-key.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const KEY = {
  id: '12ab',
  name: 'notebooks',
  tier: 'standard',
  scopes: ['read', 'circuits'],
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: null,
  revoked_at: null,
  old_secret_until: null,
} as const;
const EXPIRED = { ...KEY, id: '34cd', name: 'Old', expires_at: '2026-01-02T00:00:00.000Z' };
const REVOKED = { ...EXPIRED, id: '56ef', revoked_at: '2026-01-01T12:00:00.000Z' };
const ENTRY = {
  at: '2026-01-02T00:00:00.000Z',
  actor: 'command line',
  action: 'key.changed',
  subject: '12ab',
  details: { scopes: { from: ['read'], to: ['read', 'circuits'] }, expires_at: null },
} as const;

describe('keys in words', () => {
  test('a key is expired from its expiry on, and revoked whatever its expiry', () => {
    expect([KEY, EXPIRED, REVOKED].map((key) => stateOf(key, NOW))).toEqual([
      'valid',
      'expired',
      'revoked',
    ]);
    expect(stateOf(EXPIRED, NOW - 1)).toBe('valid');
  });

  test('keys are found by a part of the name or of the id, and by state', () => {
    const keys = [KEY, EXPIRED, REVOKED];
    expect(matchingKeys(keys, { text: ' old ', state: '', now: NOW })).toEqual([EXPIRED, REVOKED]);
    expect(matchingKeys(keys, { text: '12AB', state: 'valid', now: NOW })).toEqual([KEY]);
    expect(matchingKeys(keys, { text: '12ab', state: 'revoked', now: NOW })).toEqual([]);
  });

  test('all scopes and all actions of the service have words', () => {
    expect([...SCOPE_NAMES].sort()).toEqual([...SCOPES].sort());
    expect(ACTION_NAMES).toEqual([...AUDIT_ACTIONS].sort());
  });

  test('a time goes into its field and back, to the minute', () => {
    expect(isoOfField(fieldOfIso('2026-07-02T03:04:05.678Z'))).toBe('2026-07-02T03:04:00.000Z');
    expect(isoOfField(fieldOfIso(null))).toBeUndefined();
  });
});

describe('entries of the audit log in words', () => {
  test('details name old and new values', () => {
    expect(detailsInWords(ENTRY)).toEqual([
      'scopes: from read to read and circuits',
      'expires_at: none',
    ]);
  });

  test('entries are found by action and by part of actor, subject or details', () => {
    const found = (text: string, action = '') => matchingEntries([ENTRY], { text, action }).length;
    expect([found(''), found('COMMAND'), found('12ab'), found('to read')]).toEqual([1, 1, 1, 1]);
    expect([found('other'), found('', 'key.revoked'), found('', 'key.changed')]).toEqual([0, 0, 1]);
  });
});

describe('a draft of a key', () => {
  test('sends only what differs', () => {
    const draft = draftOf(KEY);
    expect(keyChanges(KEY, draft)).toEqual({});
    expect(keyChanges(KEY, { ...draft, scopes: ['circuits', 'read'] })).toEqual({});
    expect(keyChanges(KEY, { ...draft, name: 'n', tier: 'enterprise', scopes: ['read'] })).toEqual({
      name: 'n',
      tier: 'enterprise',
      scopes: ['read'],
    });
  });

  test('an emptied expiry becomes null, and an untouched one stays to the second', () => {
    expect(keyChanges(EXPIRED, { ...draftOf(EXPIRED), expiry: '' })).toEqual({ expires_at: null });
    const second = { ...EXPIRED, expires_at: '2026-02-02T00:00:59.000Z' };
    expect(keyChanges(second, draftOf(second))).toEqual({});
  });

  test('a new key without an expiry names none', () => {
    expect(newKeyBody({ ...draftOf(KEY), expiry: '' }).expires_at).toBeUndefined();
  });
});
