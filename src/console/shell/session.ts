/**
 * The API key that the visitor has given, and a client that sends it. A key is kept for this tab and is gone when
 * the tab is closed, or for this browser if the visitor has asked for that.
 */
import { computed, signal } from '@preact/signals';
import type { Routes } from '../../client/api-types.ts';
import { QcsClient } from '../../client/client.ts';

const NAME = 'qcs-key';
/** The last run of the tab in its storage. It goes with the key. */
export const LAST_RUN = 'qcs-run';

/** The service's record of the key. */
export type KeyInfo = Routes['GET /keys/info']['data'];

/** The key; undefined without one. */
export const key = signal<string | undefined>(storedKey());

/** The service's record of the key; undefined without a key, before the answer, and if the key is refused. */
export const keyInfo = signal<KeyInfo | undefined>(undefined);

/** Name of the last key, or its id, if the service has refused it; undefined once another one is entered. */
export const refusedKey = signal<string | undefined>(undefined);

/**
 * Client of this service with a key. A request is not repeated if it is refused: the visitor decides. A key that the
 * service refuses is forgotten, so that nothing of it is shown any more.
 */
function clientOf(one: string | undefined): QcsClient {
  const send: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (answer.status === 401 && one !== undefined && key.peek() === one) {
      const name = keyInfo.peek()?.name ?? one.split('_', 2).join('_');
      forgetKey();
      refusedKey.value = name;
    }
    return answer;
  };
  const options = { baseUrl: '', retry: { maxRetries: 0 }, fetch: send };
  return new QcsClient({ ...options, ...(one !== undefined && { key: one }) });
}

/** Client with the visitor's key. */
export const client = computed(() => clientOf(key.value));

/** True if the key is in the browser's storage. */
export function isRemembered(): boolean {
  return localStorage.getItem(NAME) !== null;
}

/**
 * Uses a key from now on.
 *
 * @throws {ApiError | ConnectionError} if the service refuses the key or cannot be reached; the present key stays.
 */
export async function enterKey(text: string, remember: boolean): Promise<KeyInfo> {
  const info = await clientOf(text).request('GET /keys/info');
  forgetKey();
  (remember ? localStorage : sessionStorage).setItem(NAME, text);
  key.value = text;
  keyInfo.value = info;
  refusedKey.value = undefined;
  return info;
}

/** Goes on without a key, in all tabs if it is remembered. */
export function forgetKey(): void {
  localStorage.removeItem(NAME);
  forgetKeyHere();
}

function forgetKeyHere(): void {
  sessionStorage.removeItem(NAME);
  sessionStorage.removeItem(LAST_RUN);
  key.value = undefined;
  keyInfo.value = undefined;
}

/** Asks the service about the key again. */
export async function renewKeyInfo(): Promise<void> {
  const asked = key.value;
  if (asked === undefined) return;
  try {
    const info = await client.value.request('GET /keys/info');
    if (key.value === asked) keyInfo.value = info;
  } catch {
    // A key that is refused has been forgotten. Without an answer nothing is known of the key.
  }
}

/** Follows the other tabs of this browser: a remembered key that one of them forgets or replaces, this one does, too. */
export function followOtherTabs(): void {
  window.addEventListener('storage', ({ key: name, oldValue, newValue, storageArea }) => {
    // Without a name, all of the storage was cleared.
    if (storageArea !== localStorage || (name !== null && name !== NAME)) return;
    // This tab has a key of its own.
    if (sessionStorage.getItem(NAME) !== null) return;
    if (name !== null && oldValue !== null && key.value !== oldValue) return;
    if (newValue === key.value) return;
    forgetKeyHere();
    key.value = newValue ?? undefined;
    void renewKeyInfo();
  });
}

/** Whether the key has a scope; false until the service has answered. */
export function mayUse(scope: KeyInfo['scopes'][number]): boolean {
  const scopes = keyInfo.value?.scopes;
  return scopes?.includes(scope) === true;
}

function storedKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? undefined;
}
