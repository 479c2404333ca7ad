/** The request for the current measurements as a command line. */
import { useSignal } from '@preact/signals';
import type { DemoFacts } from './demo-facts.ts';

/** Milliseconds for which the button reports the result of copying. */
const SAID_MS = 2000;

export function CallCard({
  facts: { endpoint },
  input,
}: {
  readonly facts: DemoFacts;
  readonly input: readonly number[];
}) {
  const label = useSignal('Copy');
  const text = [
    `curl ${location.origin}${endpoint} \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify({ input })}'`,
  ].join('\n');
  const say = (outcome: string) => {
    label.value = outcome;
    setTimeout(() => {
      label.value = 'Copy';
    }, SAID_MS);
  };
  const copy = () => {
    // A browser may refuse, by its settings or because the page is not in front.
    void navigator.clipboard.writeText(text).then(
      () => say('Copied'),
      () => say('Not copied'),
    );
  };
  return (
    <section class="card" aria-labelledby="call-title">
      <div class="head">
        <h2 id="call-title">Ask it yourself</h2>
        {/* The clipboard exists only if the page came by https or from this machine. */}
        {navigator.clipboard !== undefined && (
          <button id="copy" type="button" onClick={copy}>
            {label.value}
          </button>
        )}
      </div>
      <p class="note">The page sends nothing else than this. It needs no key.</p>
      <pre class="scroll" tabIndex={0} role="region" aria-label="The request">
        <code id="call-code">{text}</code>
      </pre>
      <p class="small">
        With a key, the service runs any circuit of yours: see the <a href="/docs">API reference</a>{' '}
        and the <a href="/docs/guides">guides</a>.
      </p>
    </section>
  );
}
