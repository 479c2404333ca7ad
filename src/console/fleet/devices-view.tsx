/** The 48 devices: a map or a table, curves of the last minutes, and the details of one. */

import { useEffect, useRef } from 'preact/hooks';
import type { Device } from '../../client/api-types.ts';
import { load } from '../numbers.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { ChoiceButtons } from '../shell/forms.tsx';
import { Pending } from '../shell/notice.tsx';
import { useResource } from '../shell/resource.ts';
import { goTo, place } from '../shell/route.ts';
import { keyInfo } from '../shell/session.ts';
import { DeviceDetails } from './device-details.tsx';
import { DeviceMap, DeviceTable, fleetHash, Legend } from './device-map.tsx';
import { FLEET, fleetInWords, outOfServiceInWords } from './device-words.ts';
import { type FleetHistory, pollMs } from './fleet-history.ts';
import { Outdated } from './outdated.tsx';
import { Sparkline } from './sparkline.tsx';

/** Shows the devices, and adds each answer to the history. */
export function DevicesView({ history }: { readonly history: FleetHistory }) {
  const { data, error, reload } = useResource(
    'GET /quantum/processors/{processor_id}/devices',
    { path: { processor_id: FLEET } },
    { everyMs: pollMs(keyInfo.value?.limits) },
  );
  const seen = useRef<typeof data>(undefined);
  if (data !== undefined && data !== seen.current) {
    seen.current = data;
    history.add(data.devices, Date.now());
  }
  const heading = useRef<HTMLHeadingElement>(null);
  const isOpening = useRef(false);
  const { rest, query } = place.value;
  const selected = rest[0] === 'device' ? rest[1] : undefined;
  const device = data?.devices.find(({ id }) => id === selected);
  const isTable = query.get('view') === 'table';

  const onOpen = (id: string) => {
    // The address of a device that is shown already does not change.
    if (id === device?.id) goToDetails(heading.current);
    else isOpening.current = true;
  };
  useEffect(() => {
    if (!isOpening.current) return;
    isOpening.current = false;
    goToDetails(heading.current);
  }, [selected]);
  const form = isTable ? 'table' : 'map';
  const onClose = () => {
    const id = CSS.escape(device?.id ?? '');
    document.querySelector<HTMLElement>(`.floor-map [data-id="${id}"]`)?.focus();
    goTo(fleetHash(undefined, form));
  };

  if (data === undefined) return <Pending what="the devices" error={error} />;
  const { devices, summary } = data;
  const shown = { devices, history, selected, onOpen };
  const ids = devices.map(({ id }) => id);
  return (
    <>
      <p class="unseen" role="status">
        {outOfServiceInWords(devices)}
      </p>
      <Outdated of={data} error={error}>
        <Totals devices={devices} />
        <div class="head">
          <p class="note">
            {fleetInWords(devices, summary)}{' '}
            {devices.some(({ modelled }) => modelled) && <span class="basis">modelled</span>}
          </p>
          <ChoiceButtons
            label="Form"
            names={['Map', 'Table']}
            chosen={isTable ? 'Table' : 'Map'}
            onChoose={(name) => goTo(fleetHash(selected, name === 'Table' ? 'table' : 'map'))}
          />
        </div>
        {selected !== undefined && device === undefined && (
          <p class="notice">There is no device {selected}.</p>
        )}
        <div class={device === undefined ? 'floor' : 'floor with-details'}>
          <div class="floor-map">
            {isTable ? <DeviceTable {...shown} /> : <DeviceMap {...shown} />}
            {!isTable && <Legend devices={devices} />}
            <div class="curves">
              <Sparkline
                label="Mean load of all devices"
                points={history.meanLoad(ids)}
                top={0.01}
                write={load}
              />
              <Sparkline
                label="Circuits completed a second"
                points={history.throughput()}
                top={1}
                write={(value) => value.toFixed(value < 9.95 ? 1 : 0)}
              />
            </div>
          </div>
          {device !== undefined && (
            <DeviceDetails
              device={device}
              history={history}
              heading={heading}
              onClose={onClose}
              onChanged={reload}
            />
          )}
        </div>
      </Outdated>
      <ApiPanel
        call={
          device === undefined
            ? {
                route: 'GET /quantum/processors/{processor_id}/devices',
                path: { processor_id: FLEET },
              }
            : {
                route: 'GET /quantum/processors/{processor_id}/devices/{device_id}',
                path: { processor_id: FLEET, device_id: device.id },
              }
        }
      />
    </>
  );
}

function Totals({ devices }: { readonly devices: readonly Device[] }) {
  const inService = devices.filter(({ available }) => available).length;
  const busy = devices.filter(({ busy: isBusy }) => isBusy).length;
  const waiting = devices.reduce((sum, { queue_depth: depth }) => sum + depth, 0);
  return (
    <p class="totals">
      <span>
        <b>{inService}</b> of {devices.length} in service
      </span>
      <span>
        <b>{busy}</b> busy
      </span>
      <span>
        <b>{waiting}</b> {waiting === 1 ? 'circuit waits' : 'circuits wait'}
      </span>
    </p>
  );
}

/** Focuses the details. If they are below the map, it scrolls them to the top of the window. */
function goToDetails(heading: HTMLElement | null): void {
  heading?.focus({ preventScroll: true });
  const isBeside = window.matchMedia('(min-width: 1000px)').matches;
  heading?.closest('section')?.scrollIntoView({ block: isBeside ? 'nearest' : 'start' });
}
