/** The request as a command line, for the measurements that are set. */
import type { DemoFacts } from './demo-facts.ts';
import { byId } from './dom.ts';

/** How long the button says what came of copying. */
const SAID_MS = 2000;

/** Gives what shows an input. */
export function createCall({ endpoint }: DemoFacts): (input: readonly number[]) => void {
  const code = byId('call-code');
  const copy = byId('copy');
  // Only where the page came by https or from this machine.
  copy.hidden = navigator.clipboard === undefined;
  copy.addEventListener('click', () => {
    // A browser may refuse it: by its settings, or where the page is not in front.
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
