/** One device: its state, figures, history and maintenance. */
import type { RefObject } from 'preact';
import type { Device } from '../../client/api-types.ts';
import { ago, grouped, load, memory, timeOfDay } from '../numbers.ts';
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
      <p class="state" data-state={state}>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>
        <b>{word}</b>
        {device.modelled && <span class="basis">modelled</span>}
      </p>
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
      <dl class="fleet-facts">
        <div>
          <dt>Node</dt>
          <dd>
            {device.node}, place {device.slot}
            {device.served_by !== undefined && `, served by ${device.served_by}`}
          </dd>
        </div>
        <div>
          <dt>Hardware</dt>
          <dd>{backingInWords(device)}</dd>
        </div>
        <div>
          <dt>Capacity</dt>
          <dd>
            circuits of up to {device.max_qubits} qubits in {memory(device.memory_bytes)}
          </dd>
        </div>
        <div>
          <dt>Self-test</dt>
          <dd>
            <time dateTime={device.checked_at}>{ago(device.checked_at, now)}</time>
          </dd>
        </div>
        <div>
          <dt>Completed</dt>
          <dd>{grouped(counters.completed)}</dd>
        </div>
        <div>
          <dt>Failed or cancelled</dt>
          <dd>{grouped(counters.failed)}</dd>
        </div>
        <div>
          <dt>Lost with the adapter or worker</dt>
          <dd>{grouped(counters.lost)}</dd>
        </div>
        <div>
          <dt>
            Busy <span class="basis">{utilisation.basis}</span>
          </dt>
          <dd>
            {load(utilisation.fraction)} of the time, {busyTime(counters.busy_ms)} in all
          </dd>
        </div>
      </dl>
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
