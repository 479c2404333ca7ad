/** First page of the console: a summary of the service, a Bell pair, and links to the other pages. */

import { drawnGates } from '../composer/circuit-words.ts';
import { editedCircuit } from '../composer/edited-circuit.ts';
import { ChoiceButtons } from '../shell/forms.tsx';
import './start.css';
import { useSignal } from '@preact/signals';
import { EXAMPLES } from '../composer/examples.ts';
import { CircuitDrawing } from '../drawing/circuit-drawing.tsx';
import { layoutCircuit } from '../drawing/circuit-layout.ts';
import { percent } from '../numbers.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { messageOf } from '../shell/notice.tsx';
import { useResource } from '../shell/resource.ts';
import { hashOf } from '../shell/route.ts';
import { key, keyInfo } from '../shell/session.ts';
import { BELL_STEPS, OUTCOMES, statusInWords, troubles } from './start-words.ts';

const STATUS_MS = 10_000;

/** Examples to begin with, by their names in the composer. */
const SHOWN = ['ghz', 'teleportation', 'grover', 'fourier'];

function exampleHash(name: string): string {
  return hashOf(['composer'], { example: name });
}

export function StartPage() {
  return (
    <div class="start">
      <section class="opening">
        <div>
          <h1>Build a quantum circuit, see its state, run it on a fleet.</h1>
          <p class="lede">
            Put gates on qubits and watch the state change with each of them, computed here in your
            browser. Then run the circuit on simulators, emulated devices or hardware.
          </p>
          <p class="ways">
            <a class="button primary" href={hashOf(['composer'])}>
              Build a circuit
            </a>
            <a class="button" href={hashOf(['demo'])}>
              Look at the demo
            </a>
            <a class="button" href={hashOf(['fleet'])}>
              See the fleet
            </a>
            {key.value === undefined && (
              <a class="button" href={hashOf(['account'])}>
                Enter a key
              </a>
            )}
          </p>
          <LiveLine />
        </div>
        <BellCard />
      </section>
      <section aria-labelledby="examples">
        <h2 id="examples">Circuits to begin with</h2>
        <ul class="start-examples">
          {EXAMPLES.filter(({ name }) => SHOWN.includes(name)).map(({ name, title, says }) => (
            <li key={name}>
              <a class="card" href={exampleHash(name)}>
                <b>{title}</b>
                <span>{says}</span>
              </a>
            </li>
          ))}
        </ul>
      </section>
      <Access />
      <ApiPanel call={{ route: 'GET /', isPublic: true }} />
    </div>
  );
}

/** State of the service, for visitors with a key. */
function LiveLine() {
  const isOff = key.value === undefined;
  const { data, error } = useResource('GET /status', {}, { everyMs: STATUS_MS, isOff });
  if (isOff) return <p class="live">Enter a key to see the state of the fleet here.</p>;
  if (error !== undefined) return <p class="live">{messageOf(error)}</p>;
  if (data === undefined) return <p class="live">Loading the state of the fleet …</p>;
  return (
    <p class="live">
      <span class={`chip ${data.status === 'operational' ? 'good' : 'warn'}`}>{data.status}</span>{' '}
      {statusInWords(data)} {troubles(data)}
    </p>
  );
}

const BELL = EXAMPLES.find(({ name }) => name === 'bell');

function BellCard() {
  const step = useSignal(BELL_STEPS.length - 1);
  const { name, probabilities, words } = BELL_STEPS[step.value] ?? BELL_STEPS[0];
  // Gates that have been applied are in colour.
  const gates = drawnGates(editedCircuit(BELL?.circuit ?? []), (_, column) =>
    column < step.value ? 'encoding' : '',
  );
  const layout = layoutCircuit(2, gates, { isGrid: true });
  const [, second] = layout.columns;
  const mark = [layout.left, second && second.x - second.width / 2, layout.right][step.value];
  const shares = OUTCOMES.map(
    (label, index) => `${label} ${percent(probabilities[index] ?? 0, 0)}`,
  );
  return (
    <article class="card bell" aria-labelledby="bell">
      <div class="head">
        <h2 id="bell">A Bell pair</h2>
        <a href={exampleHash('bell')}>Open it in the composer</a>
      </div>
      <CircuitDrawing
        layout={layout}
        label="Circuit: H on qubit 0, then CX with control qubit 0 and target qubit 1"
        class="circuit bell-circuit"
        viewBox={`0 0 ${layout.width} ${layout.height}`}
      >
        <path class="step-mark" d={`M${mark} 4V${layout.height - 4}`} />
      </CircuitDrawing>
      <ChoiceButtons
        label="Show the state"
        names={BELL_STEPS.map((each) => each.name)}
        chosen={name}
        onChoose={(_, index) => {
          step.value = index;
        }}
      />
      <div class="outcomes" role="img" aria-label={`Probabilities: ${shares.join(', ')}`}>
        {OUTCOMES.map((label, index) => (
          <div key={label}>
            <span class="column">
              <i style={{ transform: `scaleY(${probabilities[index] ?? 0})` }} />
            </span>
            <b>{percent(probabilities[index] ?? 0, 0)}</b>
            <code>{label}</code>
          </div>
        ))}
      </div>
      <p class="note" aria-live="polite">
        {words}
      </p>
    </article>
  );
}

/** Features without a key, features with a key, and the version of the service. */
function Access() {
  const { data, error } = useResource('GET /', {});
  return (
    <section class="access" aria-labelledby="access">
      <div class="card">
        <h2 id="access">Without a key</h2>
        <ul>
          <li>
            <a href={hashOf(['composer'])}>The composer</a>, which computes in your browser
          </li>
          <li>
            <a href={hashOf(['demo'])}>The demo</a>, a trained classifier that runs on the service
          </li>
          <li>
            <a href="/docs/guides">Guides</a> and the <a href="/docs">reference of the API</a>
          </li>
        </ul>
      </div>
      <div class="card">
        <h2>With a key</h2>
        <p class="note">
          {key.value === undefined
            ? 'Run circuits, sweeps, experiments, agents’ tasks and TPU jobs, and see the fleet. An operator makes keys; the first start of a service prints one.'
            : `You use the key ${keyInfo.value?.name ?? ''}: run circuits, sweeps, experiments, agents’ tasks and TPU jobs, and see the fleet.`}
        </p>
        {key.value === undefined && (
          <p class="ways">
            <a class="button" href={hashOf(['account'])}>
              Enter your key
            </a>
          </p>
        )}
      </div>
      <div class="card">
        <h2>This service</h2>
        {error !== undefined && <p class="note">{messageOf(error)}</p>}
        {data !== undefined && (
          <>
            <p class="note">
              {data.name} {data.version}, API {data.api_version}
            </p>
            <details>
              <summary>{data.services.length} parts of the API</summary>
              <ul>
                {data.services.map(({ id, description, path }) => (
                  <li key={id}>
                    {description}: <code>{path}</code>
                  </li>
                ))}
              </ul>
            </details>
          </>
        )}
      </div>
    </section>
  );
}
