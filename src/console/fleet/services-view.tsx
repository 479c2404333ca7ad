/** Models, agents and systems with their self-tests. */

import type { ComponentChildren } from 'preact';
import type { Agent, ModelSummary } from '../../client/api-types.ts';
import { grouped } from '../numbers.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { Ago, FactList, type Facts, StateLine } from '../shell/facts.tsx';
import { useResource } from '../shell/resource.ts';
import { keyInfo } from '../shell/session.ts';
import { Outdated } from './outdated.tsx';
import { neededScope, SYSTEM_SCOPES, withStatus } from './processor-words.ts';

const EVERY_MS = 10_000;

const MODEL_SELF_TESTS = {
  classification: 'An inference with a known answer.',
  'text-generation': 'A completion of a few tokens by the upstream; without an upstream, none.',
} as const satisfies Record<ModelSummary['task'], string>;

/** Shows all three. Descriptions are requested once, states every ten seconds. */
export function ServicesView() {
  const status = useResource('GET /status', {}, { everyMs: EVERY_MS });
  const models = useResource('GET /models', {});
  const agents = useResource('GET /agents', {});
  const systems = useResource('GET /systems', {});
  const now = status.data;
  return (
    <>
      <Outdated
        of={status.data}
        error={status.error ?? models.error ?? agents.error ?? systems.error}
      >
        <Kind title="Models" isLoading={models.isLoading}>
          {withStatus(models.data?.models ?? [], now?.models).map((model) => (
            <Service
              key={model.id}
              service={model}
              selfTest={MODEL_SELF_TESTS[model.task]}
              needs={neededScope('models', keyInfo.value)}
            />
          ))}
        </Kind>
        <Kind title="Agents" isLoading={agents.isLoading}>
          {withStatus(agents.data?.agents ?? [], now?.agents).map((agent) => (
            <AgentCard key={agent.id} agent={agent} />
          ))}
        </Kind>
        <Kind title="Systems" isLoading={systems.isLoading}>
          {withStatus(systems.data?.systems ?? [], now?.systems).map((system) => (
            <Service
              key={system.id}
              service={system}
              selfTest={system.self_test}
              needs={neededScope(SYSTEM_SCOPES[system.id], keyInfo.value)}
            />
          ))}
        </Kind>
      </Outdated>
      <ApiPanel call={{ route: 'GET /status' }} />
    </>
  );
}

function AgentCard({ agent }: { readonly agent: Agent }) {
  const measured = agent.tasks_per_sec_basis;
  const speed =
    measured === null
      ? []
      : [
          [
            'Speed',
            <>
              {grouped(agent.tasks_per_sec)} tasks a second, <Ago at={measured.measured_at} />
            </>,
            measured.basis,
          ] as const,
        ];
  return (
    <Service
      service={agent}
      selfTest={
        measured === null
          ? 'A task whose answer is known.'
          : `The task ${measured.task}, whose answer is known. Speed: ${measured.method}.`
      }
      needs={neededScope('agents', keyInfo.value)}
      facts={[...speed, ['Tasks', agent.capabilities.map((each) => each.task).join(', ')]]}
    />
  );
}

function Kind({
  title,
  isLoading,
  children,
}: {
  readonly title: string;
  readonly isLoading: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="kind" aria-label={title}>
      <h2>{title}</h2>
      {isLoading ? <p class="small">Loading …</p> : <div class="cards">{children}</div>}
    </section>
  );
}

function Service({
  service,
  selfTest,
  needs,
  facts = [],
}: {
  readonly service: {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly available: boolean;
    readonly reason?: string | undefined;
    readonly checked_at: string;
  };
  readonly selfTest: string;
  readonly needs: string;
  readonly facts?: Facts;
}) {
  const { available } = service;
  return (
    <article class="card" aria-label={service.name}>
      <div class="head">
        <h3>{service.name}</h3>
        <code class="small">{service.id}</code>
      </div>
      <StateLine
        state={available ? 'idle' : 'quarantine'}
        sign={available ? '○' : '!'}
        word={available ? 'Available' : 'Not available'}
      />
      {!available && <p>{service.reason}</p>}
      <p class="note">{service.description}</p>
      <FactList
        class="fleet-facts"
        facts={[
          ...facts,
          [
            'Self-test',
            <>
              <Ago at={service.checked_at} />. {selfTest}
            </>,
          ],
        ]}
      />
      <p class="small">{needs}</p>
    </article>
  );
}
