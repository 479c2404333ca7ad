/** The fleet: its load, devices, processors, TPU zones, models, agents and systems. */
import { useRef } from 'preact/hooks';
import { Heading, NeedsKey } from '../shell/notice.tsx';
import { hashOf, place } from '../shell/route.ts';
import { key } from '../shell/session.ts';
import { DevicesView } from './devices-view.tsx';
import './fleet.css';
import { FleetHistory } from './fleet-history.ts';
import { LoadView } from './load-view.tsx';
import { ProcessorsView } from './processors-view.tsx';
import { ServicesView } from './services-view.tsx';
import { TpuView } from './tpu-view.tsx';

const PARTS = [
  {
    name: '',
    title: 'Load',
    lede: 'What runs the circuits here: how busy it is, and was over the last hour.',
  },
  {
    name: 'devices',
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
  // A device has an address of its own.
  const shown = first === 'device' ? 'devices' : first;
  const part = PARTS.find(({ name }) => name === shown) ?? PARTS[0];
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
        {part.name === '' && <LoadView />}
        {part.name === 'devices' && <DevicesView history={history.current.kept} />}
        {part.name === 'processors' && <ProcessorsView />}
        {part.name === 'tpu' && <TpuView />}
        {part.name === 'models' && <ServicesView />}
      </NeedsKey>
    </div>
  );
}
