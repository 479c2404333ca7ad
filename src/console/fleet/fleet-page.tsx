/** The fleet now: devices, processors, TPU zones, models, agents and systems. */
import { useRef } from 'preact/hooks';
import { Heading, NeedsKey } from '../shell/notice.tsx';
import { hashOf, place } from '../shell/route.ts';
import { key } from '../shell/session.ts';
import { DevicesView } from './devices-view.tsx';
import './fleet.css';
import { FleetHistory } from './fleet-history.ts';
import { ProcessorsView } from './processors-view.tsx';
import { ServicesView } from './services-view.tsx';
import { TpuView } from './tpu-view.tsx';

const PARTS = [
  {
    name: '',
    title: 'Devices',
    lede: 'The 48 devices of the fleet: their hardware, state and load.',
  },
  {
    name: 'processors',
    title: 'Processors',
    lede: 'Simulators, emulated devices and hardware: their state, queues and limits.',
  },
  {
    name: 'tpu',
    title: 'TPU zones',
    lede: 'Six zones of modelled TPU chips. Jobs reserve chips of the model and run on the simulators.',
  },
  {
    name: 'models',
    title: 'Models and agents',
    lede: 'Models, agents and systems, and the self-tests that decide whether they are available.',
  },
] as const;

/** Shows one part of the fleet. */
export function FleetPage() {
  const [first = ''] = place.value.rest;
  const part = PARTS.find(({ name }) => name === first) ?? PARTS[0];
  // Another key may see another history.
  const history = useRef({ key: key.value, kept: new FleetHistory() });
  if (history.current.key !== key.value)
    history.current = { key: key.value, kept: new FleetHistory() };
  return (
    <div class="fleet">
      <Heading title="The fleet" lede={part.lede} />
      <nav class="fleet-parts" aria-label="Parts of the fleet">
        {PARTS.map((each) => (
          <a
            key={each.name}
            href={hashOf(each.name === '' ? ['fleet'] : ['fleet', each.name])}
            {...(each === part && { 'aria-current': 'page' as const })}
          >
            {each.title}
          </a>
        ))}
      </nav>
      <NeedsKey to="with the scope read to see the fleet">
        {part.name === '' && <DevicesView history={history.current.kept} />}
        {part.name === 'processors' && <ProcessorsView />}
        {part.name === 'tpu' && <TpuView />}
        {part.name === 'models' && <ServicesView />}
      </NeedsKey>
    </div>
  );
}
