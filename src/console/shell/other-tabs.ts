/** Other tabs of the browser in which the console is open. */
import { forgetKeyHere, key, renewKeyInfo, STORED_KEY } from './session.ts';

/** Follows the other tabs of this browser: a remembered key that one of them forgets or replaces, this one does, too. */
export function followOtherTabs(): void {
  window.addEventListener('storage', ({ key: name, oldValue, newValue, storageArea }) => {
    // Without a name, all of the storage was cleared.
    if (storageArea !== localStorage || (name !== null && name !== STORED_KEY)) return;
    // This tab has a key of its own.
    if (sessionStorage.getItem(STORED_KEY) !== null) return;
    if (name !== null && oldValue !== null && key.value !== oldValue) return;
    if (newValue === key.value) return;
    forgetKeyHere();
    key.value = newValue ?? undefined;
    void renewKeyInfo();
  });
}
