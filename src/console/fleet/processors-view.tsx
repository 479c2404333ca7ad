/** Processors as cards: simulators, emulated devices, hardware. */

import type { Processor } from '../../client/api-types.ts';
import { grouped } from '../numbers.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { Ago, FactList, StateLine } from '../shell/facts.tsx';
import { Pending } from '../shell/notice.tsx';
import { useResource } from '../shell/resource.ts';
import { MaintenanceSwitch } from './maintenance-switch.tsx';
import { Outdated } from './outdated.tsx';
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
  if (data === undefined) return <Pending what="the processors" error={error} />;
  return (
    <>
      <Outdated of={data} error={error}>
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
      </Outdated>
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
  return (
    <article class="card" aria-label={name}>
      <div class="head">
        <h3>{name}</h3>
        <span class="basis">{basisOf(processor)}</span>
      </div>
      <p class="small">
        <code>{id}</code>
      </p>
      <StateLine {...processorState(processor)} />
      <p>{availabilityInWords(processor)}</p>
      <FactList
        class="fleet-facts"
        facts={[
          ['Runs on', executionInWords(processor)],
          [
            'Methods',
            methods?.map((method) => (
              <span key={method.method} class="line">
                {methodInWords(method)}
              </span>
            )),
          ],
          [
            'At most',
            processor.max_shots > 0
              ? `${grouped(processor.max_shots)} shots, ${grouped(processor.max_gates)} gates`
              : undefined,
          ],
          ...deviceFacts(processor),
          ['Self-test', <Ago key="ago" at={processor.checked_at} />],
        ]}
      />
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
