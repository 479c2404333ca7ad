/** One device: its state, figures, history and maintenance. */

import type { RefObject } from 'preact';
import type { Device } from '../../client/api-types.ts';
import { ago, grouped, load, memory, timeOfDay } from '../numbers.ts';
import { Ago, FactList, StateLine } from '../shell/facts.tsx';
import {
  backingInWords,
  busyTime,
  deviceInWords,
  STATE_WORDS,
  silentSince,
  stateOf,
} from './device-words.ts';
import type { FleetHistory } from './fleet-history.ts';
import { MaintenanceSwitch } from './maintenance-switch.tsx';
import { Sparkline } from './sparkline.tsx';

interface DeviceDetailsProps {
  readonly device: Device;
  readonly history: FleetHistory;
  readonly heading: RefObject<HTMLHeadingElement | null>;
  readonly onClose: () => void;
  /** Asks for the devices again. */
  readonly onChanged: () => void;
}

/** Shows a device. Escape goes back to the map. */
export function DeviceDetails({
  device,
  history,
  heading,
  onClose,
  onChanged,
}: DeviceDetailsProps) {
  const state = stateOf(device);
  const { word, sign } = STATE_WORDS[state];
  const { counters, utilisation } = device;
  const now = Date.now();
  const silent = silentSince(device);
  const changes = history.changesOf(device.id);
  const onKeyDown = (event: KeyboardEvent) => {
    const isInDialog = event.target instanceof Element && event.target.closest('dialog') !== null;
    if (event.key === 'Escape' && !isInDialog) onClose();
  };
  return (
    <section class="card details" aria-label={`Device ${device.id}`} onKeyDown={onKeyDown}>
      <div class="head">
        <h2 ref={heading} tabIndex={-1}>
          {device.id}
        </h2>
        <button type="button" class="chip" onClick={onClose}>
          Close
        </button>
      </div>
      <StateLine state={state} sign={sign} word={word}>
        {device.modelled && <span class="basis">modelled</span>}
      </StateLine>
      {silent === undefined ? (
        <p>{deviceInWords(device)}</p>
      ) : (
        <p class="notice">
          {device.served_by === undefined ? 'Its node' : `Node ${device.served_by}`} was not heard
          of since <time dateTime={silent}>{timeOfDay(Date.parse(silent))}</time>,{' '}
          {ago(silent, now)}. The figures are those of that time.
        </p>
      )}
      <Sparkline label="Load" points={history.loadOf(device.id)} top={1} write={load} />
      <FactList
        class="fleet-facts"
        facts={[
          [
            'Node',
            <>
              {device.node}, place {device.slot}
              {device.served_by !== undefined && `, served by ${device.served_by}`}
            </>,
          ],
          ['Hardware', backingInWords(device)],
          [
            'Capacity',
            `circuits of up to ${device.max_qubits} qubits in ${memory(device.memory_bytes)}`,
          ],
          ['Self-test', <Ago key="ago" at={device.checked_at} />],
          ['Completed', grouped(counters.completed)],
          ['Failed or cancelled', grouped(counters.failed)],
          ['Lost with the adapter or worker', grouped(counters.lost)],
          [
            'Busy',
            `${load(utilisation.fraction)} of the time, ${busyTime(counters.busy_ms)} in all`,
            utilisation.basis,
          ],
        ]}
      />
      <p class="small">
        Counted since{' '}
        <time dateTime={utilisation.since}>
          {new Date(utilisation.since).toLocaleString('en-GB')}
        </time>
        .
      </p>
      <h3>State changes since the page was opened</h3>
      {changes.length === 0 ? (
        <p class="small">None. Changes between idle and busy are not listed.</p>
      ) : (
        <ol class="changes">
          {changes.map(({ at, from, to }) => (
            <li key={at}>
              <time>{timeOfDay(at)}</time> {STATE_WORDS[from].word} → {STATE_WORDS[to].word}
            </li>
          ))}
        </ol>
      )}
      <MaintenanceSwitch
        key={device.id}
        target={{
          kind: 'device',
          id: device.id,
          isOut: device.maintenance !== undefined,
          isBusy: device.busy,
          queueDepth: device.queue_depth,
        }}
        onDone={onChanged}
      />
    </section>
  );
}
