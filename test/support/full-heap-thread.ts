/** Thread that fills its heap in the way that its message names. A filled heap of the first three has ended whole processes. */
import { parentOfThread } from '../../src/processes/parent-port.ts';

/** Ways of filling a heap. */
export type Filling = keyof typeof FILLINGS;

const FILLINGS = {
  /** One scavenge moves more into the old generation than Node adds to its limit. */
  'a chain of small objects': () => {
    let chain: object = {};
    for (;;) chain = { chain, list: [1] };
  },
  /** Nothing interrupts a call. */
  'values of JSON texts': () => {
    const text = `[${'[1],'.repeat(5e5)}1]`;
    const kept: unknown[] = [];
    for (;;) kept.push(JSON.parse(text));
  },
  /** One array is larger than what Node adds. */
  'an array that doubles': () => {
    let list = [1, 2, 3];
    for (;;) list = [...list, ...list];
  },
  'many arrays': () => {
    const kept: unknown[] = [];
    for (;;) kept.push(new Array(1e6).fill(0.5));
  },
} satisfies Readonly<Record<string, () => never>>;

const port = parentOfThread<Filling, { readonly kind: 'ready' }>();
port.onMessage((filling) => FILLINGS[filling]());
port.post({ kind: 'ready' });
