/** The devices as tiles, by node. Arrow keys go from tile to tile and select. */

import { useRef } from 'preact/hooks';
import type { Device } from '../../client/api-types.ts';
import { load } from '../numbers.ts';
import { goTo, hashOf } from '../shell/route.ts';
import { Table } from '../shell/table.tsx';
import {
  backingWord,
  countStates,
  DEVICE_STATES,
  deviceLabel,
  STATE_WORDS,
  stateOf,
} from './device-words.ts';
import type { FleetHistory } from './fleet-history.ts';
import { tileAfterKey } from './map-moves.ts';

/** Address of a device as a map or table; of all devices without an id. */
export function fleetHash(id: string | undefined, form: 'map' | 'table'): string {
  const path = id === undefined ? ['fleet', 'devices'] : ['fleet', 'device', id];
  return hashOf(path, { view: form === 'table' ? form : undefined });
}

interface DeviceMapProps {
  readonly devices: readonly Device[];
  readonly history: FleetHistory;
  /** Id of the device whose details are shown. */
  readonly selected: string | undefined;
  /** Called when a visitor opens the details of a device, not when the arrow keys pass it. */
  readonly onOpen: (id: string) => void;
}

/** Draws the map. */
export function DeviceMap({ devices, history, selected, onOpen }: DeviceMapProps) {
  const map = useRef<HTMLDivElement>(null);
  const known = devices.some(({ id }) => id === selected);
  // One tile is a stop of the Tab key.
  const stop = known ? selected : devices[0]?.id;
  const move = (event: KeyboardEvent) => {
    if (map.current === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const tiles = [...map.current.querySelectorAll<HTMLElement>('.device')];
    const places = tiles.map((tile) => {
      const { left: x, top: y } = tile.getBoundingClientRect();
      return { id: tile.dataset['id'] ?? '', x, y };
    });
    const from = tiles.find((tile) => tile === event.target)?.dataset['id'];
    const next = from === undefined ? undefined : tileAfterKey(places, from, event.key);
    if (next === undefined) return;
    event.preventDefault();
    goTo(fleetHash(next, 'map'), true);
    tiles.find((tile) => tile.dataset['id'] === next)?.focus();
  };
  return (
    <div
      class="map"
      ref={map}
      role="group"
      aria-label="Devices by node. Arrow keys go from device to device."
      onKeyDown={move}
    >
      {[...Map.groupBy(devices, ({ node }) => node)].map(([node, own]) => (
        <section class="node" key={node} aria-label={nodeLabel(node, own)}>
          <div class="head">
            <h2>{node}</h2>
            <span class="small">{nodeInWords(own, history)}</span>
          </div>
          <ul class="tiles">
            {own.map((device) => (
              <li key={device.id}>
                <Tile
                  device={device}
                  recentLoad={history.recentLoad(device.id)}
                  isSelected={device.id === selected}
                  isStop={device.id === stop}
                  onOpen={onOpen}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Tile({
  device,
  recentLoad,
  isSelected,
  isStop,
  onOpen,
}: {
  readonly device: Device;
  readonly recentLoad: number | undefined;
  readonly isSelected: boolean;
  readonly isStop: boolean;
  readonly onOpen: (id: string) => void;
}) {
  const state = stateOf(device);
  const { short, sign } = STATE_WORDS[state];
  return (
    <a
      class="device"
      href={fleetHash(device.id, 'map')}
      data-id={device.id}
      data-state={state}
      tabIndex={isStop ? 0 : -1}
      {...(isSelected && { 'aria-current': 'true' as const })}
      onClick={() => onOpen(device.id)}
    >
      <span class="unseen">{deviceLabel(device, recentLoad)}</span>
      <span class="device-head" aria-hidden="true">
        <b>{device.id.replace(/^gpu-/, '')}</b>
        <span class="sign">{sign}</span>
      </span>
      <span class="device-word" aria-hidden="true">
        {short}
      </span>
      <span class="device-foot" aria-hidden="true">
        <span>{backingWord(device)}</span>
        <span>{device.queue_depth > 0 ? `+${device.queue_depth}` : ''}</span>
      </span>
      <span class="load-bar">
        <i style={{ transform: `scaleX(${recentLoad ?? 0})` }} />
      </span>
    </a>
  );
}

function nodeLabel(node: string, devices: readonly Device[]): string {
  const counts = countStates(devices).map(
    ([state, count]) => `${count} ${STATE_WORDS[state].word.toLowerCase()}`,
  );
  return `${node}: ${counts.join(', ')}`;
}

function nodeInWords(devices: readonly Device[], history: FleetHistory): string {
  const names = [...new Set(devices.flatMap(({ served_by: name }) => name ?? []))];
  const mean = history.recentMean(devices.map(({ id }) => id));
  return [
    ...(names.length === 0 ? [] : [`served by ${names.join(', ')}`]),
    ...(mean === undefined ? [] : [`load ${load(mean)}`]),
  ].join(' · ');
}

/** Meanings of the signs on the map. States of no device are left out. */
export function Legend({ devices }: { readonly devices: readonly Device[] }) {
  const counts = new Map(countStates(devices));
  return (
    <ul class="map-legend">
      {DEVICE_STATES.filter((state) => counts.has(state) || state === 'busy').map((state) => (
        <li key={state} data-state={state}>
          <span class="sign" aria-hidden="true">
            {STATE_WORDS[state].sign}
          </span>
          <b>
            {counts.get(state) ?? 0} {STATE_WORDS[state].word.toLowerCase()}
          </b>{' '}
          {STATE_WORDS[state].meaning}
        </li>
      ))}
      <li>
        <span class="load-bar" aria-hidden="true">
          <i style={{ transform: 'scaleX(0.4)' }} />
        </span>
        load since the last answer
      </li>
      <li>
        <b>+3</b> circuits that wait for the device
      </li>
    </ul>
  );
}

/** The same as a table. */
export function DeviceTable({ devices, history, selected, onOpen }: DeviceMapProps) {
  return (
    <Table
      label="Devices as a table"
      class="devices"
      columns={[
        ...['Device', 'Node', 'State', 'Load now', 'Waiting', 'Backing'],
        ...['Kind', 'Qubits', 'Completed', 'Failed', 'Lost'],
      ]}
      current={devices.findIndex(({ id }) => id === selected)}
      rows={devices.map((device) => {
        const { id, counters } = device;
        const recent = history.recentLoad(id);
        const { word, sign } = STATE_WORDS[stateOf(device)];
        return [
          <a key="id" href={fleetHash(id, 'table')} data-id={id} onClick={() => onOpen(id)}>
            {id}
          </a>,
          device.node,
          <>
            <span aria-hidden="true">{sign}</span> {word}
          </>,
          recent === undefined ? '–' : load(recent),
          device.queue_depth,
          backingWord(device),
          device.modelled ? 'modelled' : 'a GPU of its own',
          device.max_qubits,
          counters.completed,
          counters.failed,
          counters.lost,
        ];
      })}
    />
  );
}
