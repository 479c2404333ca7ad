import { describe, expect, test } from 'vitest';
import { Arena, NARROW_MEMORY_BYTES, openSharedMemory } from '../../../../src/engine/cpu/arena.ts';
import { RandomStream } from '../../../support/random-stream.ts';

describe('the shared memory', () => {
  test('gives out blocks that never overlap, on lines of the cache, and takes all of them back', () => {
    const stream = new RandomStream(71);
    const memory = openSharedMemory(1000, NARROW_MEMORY_BYTES);
    const arena = new Arena(memory, 1000, NARROW_MEMORY_BYTES);
    const taken: { at: number; bytes: number }[] = [];
    for (let step = 0; step < 2000; step++) {
      if (taken.length > 0 && stream.uniform() < 0.5) {
        const [block] = taken.splice(stream.below(taken.length), 1);
        arena.release(block!.at);
        continue;
      }
      const bytes = 1 + stream.below(5000);
      const at = arena.allocate(bytes);
      expect(at % 64).toBe(0);
      expect(at).toBeGreaterThanOrEqual(1000);
      expect(at + bytes).toBeLessThanOrEqual(memory.buffer.byteLength);
      const overlaps = taken.some((b) => at < b.at + b.bytes && b.at < at + bytes);
      expect(overlaps).toBe(false);
      taken.push({ at, bytes });
    }
    for (const { at } of taken) arena.release(at);
    expect(arena.isEmpty).toBe(true);
  });

  test('uses again what was given back, however it was cut up', () => {
    const memory = openSharedMemory(64, NARROW_MEMORY_BYTES);
    const arena = new Arena(memory, 64, NARROW_MEMORY_BYTES);
    const whole = arena.allocate(2 ** 20);
    const size = memory.buffer.byteLength;
    arena.release(whole);
    const parts = Array.from({ length: 16 }, () => arena.allocate(2 ** 16));
    for (const part of [...parts.slice(8), ...parts.slice(0, 8)]) arena.release(part);
    arena.allocate(2 ** 20);
    expect(memory.buffer.byteLength).toBe(size);
  });

  test('says how much is missing when the system has no more', () => {
    const memory = openSharedMemory(64, NARROW_MEMORY_BYTES);
    const arena = new Arena(memory, 64, NARROW_MEMORY_BYTES);
    expect(() => arena.allocate(2 ** 33)).toThrow(
      expect.objectContaining({
        code: 'ENGINE_STATE_MEMORY',
        message: expect.stringContaining('8192 MiB'),
      }),
    );
    expect(arena.isEmpty).toBe(true);
  });
});
