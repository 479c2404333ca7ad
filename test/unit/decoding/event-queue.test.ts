/** The queue of events by time. */
import { expect } from 'vitest';
import { EventQueue, NOTHING } from '../../../src/decoding/event-queue.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { seeds, testSeeds } from '../../support/seeds.ts';

testSeeds('gives events by time, each once, while others are added', seeds(20), (seed) => {
  const stream = new RandomStream(seed);
  const queue = new EventQueue();
  for (const longest of [3, 1000, 2 ** 24]) {
    const waiting = new Map<number, number>();
    let numAdded = 0;
    const add = () => {
      const time = queue.now + stream.below(longest);
      waiting.set(numAdded, time);
      queue.push(time, numAdded++);
    };
    for (let i = 0; i < 1500; i++) add();
    for (let before = 0; waiting.size > 0; before = queue.now) {
      const event = queue.pop();
      if (waiting.get(event) !== queue.now || queue.now < before) {
        expect.fail(
          `Event ${event} of ${waiting.get(event)} came at ${queue.now}, after ${before}`,
        );
      }
      waiting.delete(event);
      if (numAdded < 2000 && stream.uniform() < 0.5) add();
    }
    expect(queue.pop()).toBe(NOTHING);
    queue.clear();
    expect(queue.now).toBe(0);
  }
});
