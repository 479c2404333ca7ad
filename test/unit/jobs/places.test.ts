/** Places of one process: what is reserved counts until it is a job. */
import { expect, test } from 'vitest';
import { LocalPlaces } from '../../../src/jobs/places.ts';

test('jobs and reservations together stay within the limit', () => {
  let numJobs = 1;
  const places = new LocalPlaces(() => numJobs);
  const reserved = places.reserve('circuit', 'key-1', 2, 4);
  expect(reserved).toBeDefined();
  expect(places.reserve('circuit', 'key-1', 2, 4)).toBeUndefined();
  numJobs += 1;
  expect(places.reserve('circuit', 'key-1', 1, 4)).toBeUndefined();
  reserved?.[Symbol.dispose]();
  expect(places.reserve('circuit', 'key-1', 2, 4)).toBeDefined();
});

test('kinds and keys have places of their own', () => {
  const places = new LocalPlaces(() => 0);
  expect(places.reserve('circuit', 'key-1', 1, 1)).toBeDefined();
  expect(places.reserve('circuit', 'key-1', 1, 1)).toBeUndefined();
  expect(places.reserve('task', 'key-1', 1, 1)).toBeDefined();
  expect(places.reserve('circuit', 'key-2', 1, 1)).toBeDefined();
});

test('what is in flight is what is counted, without reservations', () => {
  const places = new LocalPlaces((kind) => (kind === 'circuit' ? 3 : 0));
  places.reserve('circuit', 'key-1', 1, 9);
  expect(places.inFlight('circuit', 'key-1')).toBe(3);
  expect(places.inFlight('task', 'key-1')).toBe(0);
});
