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

/** Client of this service with a key. A request is not repeated if it is refused: the visitor decides. */
function clientOf(one: string | undefined): QcsClient {
  const options = { baseUrl: '', retry: { maxRetries: 0 } };
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
  return info;
}

/** Goes on without a key. */
export function forgetKey(): void {
  localStorage.removeItem(NAME);
  sessionStorage.removeItem(NAME);
  sessionStorage.removeItem(LAST_RUN);
  key.value = undefined;
  keyInfo.value = undefined;
}

/** Asks the service about the key again; a key that it refuses is forgotten. */
export async function renewKeyInfo(): Promise<void> {
  const asked = key.value;
  if (asked === undefined) return;
  try {
    const info = await client.value.request('GET /keys/info');
    if (key.value === asked) keyInfo.value = info;
  } catch (error) {
    if (key.value === asked && Reflect.get(Object(error), 'status') === 401) forgetKey();
  }
}

/** Whether the key has a scope; false until the service has answered. */
export function mayUse(scope: KeyInfo['scopes'][number]): boolean {
  const scopes = keyInfo.value?.scopes;
  return scopes?.includes(scope) === true;
}

function storedKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? undefined;
}
