/** The fleet: devices, processors, TPU zones, and what else the service offers, each as it stands now. */
import { useRef } from 'preact/hooks';
import { NeedsKey } from '../shell/notice.tsx';
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
    lede: 'Each of the 48 devices with what is behind it and what it does now.',
  },
  {
    name: 'processors',
    title: 'Processors',
    lede: 'What circuits can be sent to, and what would happen to one sent now.',
  },
  {
    name: 'tpu',
    title: 'TPU zones',
    lede: 'A model of six zones of TPU chips. Jobs get modelled chips and run on the simulators here.',
  },
  {
    name: 'models',
    title: 'Models and agents',
    lede: 'Models, agents and systems, each with the self-test that decides whether it is available.',
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
      <div class="hero">
        <h1>The fleet</h1>
        <p class="lede">{part.lede}</p>
      </div>
      <nav class="parts" aria-label="Parts of the fleet">
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
