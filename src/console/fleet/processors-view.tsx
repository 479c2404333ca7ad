/** Processors as cards: simulators, emulated devices, hardware. */
import type { Processor } from '../../client/api-types.ts';
import { ago, grouped } from '../numbers.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { Problem } from '../shell/notice.tsx';
import { useResource } from '../shell/resource.ts';
import { MaintenanceSwitch } from './maintenance-switch.tsx';
import {
  availabilityInWords,
  basisOf,
  deviceFacts,
  executionInWords,
  maintenanceReason,
  methodInWords,
  processorState,
  processorsByKind,
} from './processor-words.ts';

const EVERY_MS = 5000;

/** Shows all processors. */
export function ProcessorsView() {
  const { data, error, reload } = useResource('GET /quantum/processors', {}, { everyMs: EVERY_MS });
  if (data === undefined) {
    return error === undefined ? (
      <p class="plain">Loading the processors …</p>
    ) : (
      <Problem error={error} />
    );
  }
  return (
    <>
      <Problem error={error} />
      {processorsByKind(data.processors).map(([kind, own]) => (
        <section key={kind} class="kind" aria-label={kind}>
          <h2>{kind}</h2>
          <ul class="cards">
            {own.map((processor) => (
              <li key={processor.id}>
                <ProcessorCard processor={processor} onChanged={reload} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      <ApiPanel call={{ route: 'GET /quantum/processors' }} />
    </>
  );
}

function ProcessorCard({
  processor,
  onChanged,
}: {
  readonly processor: Processor;
  readonly onChanged: () => void;
}) {
  const { id, name, methods } = processor;
  const { word, sign, state } = processorState(processor);
  return (
    <article class="card" aria-label={name}>
      <div class="head">
        <h3>{name}</h3>
        <span class="basis">{basisOf(processor)}</span>
      </div>
      <p class="small">
        <code>{id}</code>
      </p>
      <p class="state" data-state={state}>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>
        <b>{word}</b>
      </p>
      <p>{availabilityInWords(processor)}</p>
      <dl class="fleet-facts">
        <div>
          <dt>Runs on</dt>
          <dd>{executionInWords(processor)}</dd>
        </div>
        {methods !== undefined && (
          <div>
            <dt>Methods</dt>
            <dd>
              {methods.map((method) => (
                <span key={method.method} class="line">
                  {methodInWords(method)}
                </span>
              ))}
            </dd>
          </div>
        )}
        {processor.max_shots > 0 && (
          <div>
            <dt>At most</dt>
            <dd>
              {grouped(processor.max_shots)} shots, {grouped(processor.max_gates)} gates
            </dd>
          </div>
        )}
        {deviceFacts(processor).map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>Self-test</dt>
          <dd>
            <time dateTime={processor.checked_at}>{ago(processor.checked_at, Date.now())}</time>
          </dd>
        </div>
      </dl>
      {processor.source !== undefined && (
        <details>
          <summary>Where the figures come from</summary>
          <p class="small">{processor.source}</p>
        </details>
      )}
      <MaintenanceSwitch
        target={{
          kind: 'processor',
          id,
          isOut: maintenanceReason(processor) !== undefined,
          queueDepth: processor.queue_depth,
        }}
        onDone={onChanged}
      />
    </article>
  );
}
