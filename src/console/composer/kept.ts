/**
 * Keeps what is edited: in the browser at each edit, and in the address soon after. An address that names another
 * circuit is opened on top of what was kept, so that Undo goes back to it.
 */
import { effect, signal } from '@preact/signals';
import { goTo, place } from '../shell/route.ts';
import { EMPTY, editedCircuit } from './edited-circuit.ts';
import { open, openText, restore, textSource, work } from './editor.ts';
import { EXAMPLES } from './examples.ts';
import { pair } from './live.ts';
import {
  keptText,
  readKept,
  readShared,
  type Shared,
  sharedGatesOf,
  writeShared,
} from './permalink.ts';
import { TEXT_EXAMPLES } from './text-examples.ts';
import type { Work } from './work.ts';

export const ALL_EXAMPLES = [...EXAMPLES, ...TEXT_EXAMPLES];

const NAME = 'qcs-circuit';
/** Milliseconds without an edit after which the address follows. A browser refuses hundreds of changes a minute. */
const MIRROR_AFTER_MS = 250;
/** Longest address that is written by itself; a longer circuit is in the browser's storage alone. */
const MAX_ADDRESS = 16_000;

/** Why something is not shown or not kept, in a sentence; undefined if all is. */
export const keepingFault = signal<string | undefined>(undefined);

/** Query of the address that names the work. */
let at = '';
/** Query that it took the place of. A reload just after may still be of this address. */
let before = '';
let isRestored = false;

/** Restores, follows and keeps the work until the returned function is called. */
export function keepWork(): () => void {
  if (!isRestored) {
    isRestored = true;
    const kept = readKept(sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? '');
    if (kept !== undefined) {
      ({ at, before } = kept);
      restore(kept.work);
      const { page, query } = place.peek();
      if (page === 'composer' && isReload() && query.toString() === before)
        goTo(addressOf(at), true);
    }
  }
  const begun = work.peek();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ends = [
    effect(() => {
      const now = work.value;
      if (now.past.length === 0 && now.present.circuit === EMPTY && now.draft === undefined) return;
      // What is said of a link stays until the next edit.
      if (now !== begun) keepingFault.value = undefined;
      save(now);
      clearTimeout(timer);
      timer = setTimeout(() => void mirror(), MIRROR_AFTER_MS);
    }),
    effect(() => {
      const { page, query } = place.value;
      if (page === 'composer') void openAddress(query.toString());
    }),
  ];
  return () => {
    clearTimeout(timer);
    for (const end of ends) end();
  };
}

/** Whether the page was loaded again, by the same tab. */
const isReload = (): boolean =>
  performance
    .getEntriesByType('navigation')
    .some((entry) => entry instanceof PerformanceNavigationTiming && entry.type === 'reload');

/** Opens what an address names, unless it is what is edited. */
async function openAddress(asked: string): Promise<void> {
  if (asked === at) return;
  const query = new URLSearchParams(asked);
  const name = query.get('example');
  const text = query.get('c');
  const example = ALL_EXAMPLES.find((each) => each.name === name);
  const shared = text === null ? undefined : await readShared(text);
  if (place.peek().query.toString() !== asked) return;
  if (example !== undefined || shared !== undefined) {
    at = before = asked;
    if (example !== undefined) openExample(example);
    else if (shared !== undefined) openShared(shared);
    return;
  }
  if (text !== null) {
    keepingFault.value =
      'The link is damaged: no circuit can be read from it. What is shown is your own last circuit.';
  } else if (name !== null) keepingFault.value = `There is no example with the name ${name}.`;
  goTo(addressOf(at), true);
}

const addressOf = (query: string): string => `#/composer${query === '' ? '' : `?${query}`}`;

function openShared(shared: Shared): void {
  pair.value = undefined;
  if ('circuit' in shared)
    open(editedCircuit(shared.circuit, shared.qubits, shared.displays), shared.inputs);
  else openText(shared);
}

/** Opens an example. It can be undone. */
export function openExample(example: (typeof ALL_EXAMPLES)[number]): void {
  openShared('stim' in example ? { stim: example.stim } : example);
}

/** Keeps the work for this tab, and for the next one that is opened: another tab may keep work of its own meanwhile. */
function save(now: Work): void {
  for (const storage of [sessionStorage, localStorage]) {
    // The circuit itself is more than those before it.
    if (store(storage, keptText(now, at, before)) || store(storage, keptText(now, at, before, 0)))
      continue;
    storage.removeItem(NAME);
    keepingFault.value =
      'The circuit is too large for the browser’s storage: a reload of this page loses it. Download it as JSON.';
  }
}

/** @returns False if the storage has no room for the text. */
function store(storage: Storage, text: string): boolean {
  try {
    storage.setItem(NAME, text);
    return true;
  } catch {
    return false;
  }
}

/** Has the address name what is drawn and computed. @returns The address of a link to it, of any length. */
export async function mirror(): Promise<string> {
  const now = work.peek();
  const c = await writeShared(textSource.peek() ?? sharedGatesOf(now.present));
  const address = addressOf(`c=${c}`);
  const { page, query } = place.peek();
  // Another address may be being read, and another page be shown.
  if (work.peek() === now && page === 'composer' && query.toString() === at) {
    const next = address.length > MAX_ADDRESS ? '' : `c=${c}`;
    if (next !== at) [before, at] = [at, next];
    save(now);
    goTo(addressOf(at), true);
  }
  return new URL(address, window.location.href).href;
}
