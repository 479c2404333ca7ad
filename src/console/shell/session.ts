/**
 * The API key that the visitor has given, and a client that sends it. A key is kept for this tab and is gone when
 * the tab is closed, or for this browser if the visitor has asked for that.
 */
import { computed, signal } from '@preact/signals';
import type { Routes } from '../../client/api-types.ts';
import { QcsClient } from '../../client/client.ts';

/** The key in the storage of the tab or of the browser. */
export const STORED_KEY = 'qcs-key';
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
    // A proxy in front may ask for something else.
    const isOfService = answer.headers.get('content-type')?.includes('json') === true;
    const isRefused = answer.status === 401 && isOfService && !isReplacing;
    if (isRefused && one !== undefined && key.peek() === one) {
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
  return localStorage.getItem(STORED_KEY) !== null;
}

/**
 * Uses a key from now on.
 *
 * @throws {ApiError | ConnectionError} if the service refuses the key or cannot be reached; the present key stays.
 */
export async function enterKey(text: string, remember: boolean): Promise<KeyInfo> {
  const info = await clientOf(text).request('GET /keys/info');
  forgetKey();
  (remember ? localStorage : sessionStorage).setItem(STORED_KEY, text);
  key.value = text;
  keyInfo.value = info;
  refusedKey.value = undefined;
  return info;
}

/** Whether the key is about to get another secret. */
let isReplacing = false;

/**
 * Gives the console's own key another secret. Meanwhile a refusal of the old one is no reason to forget it: the page
 * that shows the new one, which the service tells once, would go with it.
 *
 * @param rotate - Returns the new text of the key.
 */
export async function replaceSecret<T extends { readonly key: string }>(
  rotate: () => Promise<T>,
): Promise<T> {
  isReplacing = true;
  try {
    const made = await rotate();
    (isRemembered() ? localStorage : sessionStorage).setItem(STORED_KEY, made.key);
    key.value = made.key;
    return made;
  } finally {
    isReplacing = false;
  }
}

/** Goes on without a key, in all tabs if it is remembered. */
export function forgetKey(): void {
  localStorage.removeItem(STORED_KEY);
  forgetKeyHere();
}

/** Goes on without a key in this tab. */
export function forgetKeyHere(): void {
  sessionStorage.removeItem(STORED_KEY);
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

/** Whether the key has a scope; false until the service has answered. */
export function mayUse(scope: KeyInfo['scopes'][number]): boolean {
  const scopes = keyInfo.value?.scopes;
  return scopes?.includes(scope) === true;
}

function storedKey(): string | undefined {
  return sessionStorage.getItem(STORED_KEY) ?? localStorage.getItem(STORED_KEY) ?? undefined;
}
