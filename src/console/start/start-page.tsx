/** First page of the console: a summary of the service, a Bell pair, and links to the other pages. */
import { useSignal } from '@preact/signals';
import { percent } from '../numbers.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { messageOf } from '../shell/notice.tsx';
import { useResource } from '../shell/resource.ts';
import { hashOf } from '../shell/route.ts';
import { key, keyInfo } from '../shell/session.ts';
import { BELL_GATES, OUTCOMES, probabilitiesAfter, STEP_WORDS } from './bell-pair.ts';
import './start.css';
import { statusInWords, troubles } from './start-words.ts';

const STATUS_MS = 10_000;

/** Examples of the composer, by their names there. */
const EXAMPLES = [
  {
    name: 'ghz',
    title: 'GHZ state',
    about: 'Three qubits and more that agree when they are measured.',
  },
  {
    name: 'teleportation',
    title: 'Teleportation',
    about: 'A state goes from one qubit to another by two bits.',
  },
  {
    name: 'grover',
    title: 'Grover’s search',
    about: 'Finds a marked item with fewer questions than guessing.',
  },
  {
    name: 'fourier',
    title: 'Fourier transform',
    about: 'Turns a period into a peak: the core of Shor’s algorithm.',
  },
] as const;

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
          {EXAMPLES.map(({ name, title, about }) => (
            <li key={name}>
              <a class="card" href={exampleHash(name)}>
                <b>{title}</b>
                <span>{about}</span>
              </a>
            </li>
          ))}
        </ul>
      </section>
      <Offer />
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

function BellCard() {
  const step = useSignal(BELL_GATES.length);
  const probabilities = probabilitiesAfter(BELL_GATES.slice(0, step.value));
  const words = OUTCOMES.map((label, index) => `${label} ${percent(probabilities[index] ?? 0, 0)}`);
  return (
    <article class="card bell" aria-labelledby="bell">
      <div class="head">
        <h2 id="bell">A Bell pair</h2>
        <a href={exampleHash('bell')}>Open it in the composer</a>
      </div>
      <svg
        class="bell-circuit"
        viewBox="0 0 300 118"
        role="img"
        aria-label="Circuit: H on qubit 0, then CX with control qubit 0 and target qubit 1"
      >
        <path class="bell-wire" d="M34 32H290M34 88H290" />
        <text x="4" y="37">
          q0
        </text>
        <text x="4" y="93">
          q1
        </text>
        <g class="bell-gate" data-is-on={step.value > 0}>
          <rect x="82" y="12" width="40" height="40" rx="8" />
          <text x="102" y="38" text-anchor="middle">
            H
          </text>
        </g>
        <g class="bell-gate" data-is-on={step.value > 1}>
          <path d="M206 32V104" />
          <circle class="dot" cx="206" cy="32" r="6" />
          <circle cx="206" cy="88" r="16" />
          <path d="M190 88H222M206 72V104" />
        </g>
        <path class="step-mark" d={`M${[58, 154, 252][step.value]} 4V114`} />
      </svg>
      <div class="choices" role="group" aria-label="Show the state">
        {['At the start', 'After H', 'After CX'].map((label, index) => (
          <button
            key={label}
            type="button"
            aria-pressed={step.value === index}
            onClick={() => {
              step.value = index;
            }}
          >
            {label}
          </button>
        ))}
      </div>
      <div class="outcomes" role="img" aria-label={`Probabilities: ${words.join(', ')}`}>
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
        {STEP_WORDS[step.value]}
      </p>
    </article>
  );
}

/** Features without a key, features with a key, and the version of the service. */
function Offer() {
  const { data, error } = useResource('GET /', {});
  return (
    <section class="offer" aria-labelledby="offer">
      <div class="card">
        <h2 id="offer">Without a key</h2>
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
            ? 'Run circuits, sweeps, agents’ tasks and TPU jobs, and see the fleet. An operator makes keys; the first start of a service prints one.'
            : `You use the key ${keyInfo.value?.name ?? ''}: run circuits, sweeps, agents’ tasks and TPU jobs, and see the fleet.`}
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
