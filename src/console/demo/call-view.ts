/** Shows the request for the current measurements as a command line. */

import { byId } from '../dom.ts';
import type { DemoFacts } from './demo-facts.ts';

/** Milliseconds for which the button reports the result of copying. */
const SAID_MS = 2000;

/**
 * Creates the view.
 *
 * @returns A function that shows an input.
 */
export function createCall({ endpoint }: DemoFacts): (input: readonly number[]) => void {
  const code = byId('call-code');
  const copy = byId('copy');
  // The clipboard exists only if the page came by https or from this machine.
  copy.hidden = navigator.clipboard === undefined;
  copy.addEventListener('click', () => {
    // A browser may refuse, by its settings or because the page is not in front.
    void navigator.clipboard.writeText(code.textContent).then(
      () => say('Copied'),
      () => say('Not copied'),
    );
  });
  const say = (outcome: string) => {
    copy.textContent = outcome;
    setTimeout(() => {
      copy.textContent = 'Copy';
    }, SAID_MS);
  };
  return (input) => {
    code.textContent = [
      `curl ${location.origin}${endpoint} \\`,
      `  -H 'content-type: application/json' \\`,
      `  -d '${JSON.stringify({ input })}'`,
    ].join('\n');
  };
}
