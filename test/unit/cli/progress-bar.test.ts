import { expect, test } from 'vitest';
import { ProgressBar } from '../../../src/cli/progress-bar.ts';

function barOn(isTTY: boolean) {
  const written: string[] = [];
  let clock = 0;
  const bar = new ProgressBar(
    { isTTY, columns: 60, write: (text) => written.push(text) },
    'running',
    () => clock,
  );
  return {
    written,
    updateAt(timeMs: number, fraction: number) {
      clock = timeMs;
      bar.update(fraction);
    },
    end: () => bar[Symbol.dispose](),
  };
}

test('stays out of sight during the first second', () => {
  const { written, updateAt, end } = barOn(true);
  updateAt(900, 0.9);
  end();
  expect(written).toEqual([]);
});

test('shows the share done and the time left after a second, and erases itself', () => {
  const { written, updateAt, end } = barOn(true);
  updateAt(2000, 0.25);
  expect(written[0]).toContain(' 25%');
  expect(written[0]).toContain('6 s left');
  end();
  expect(written.at(-1)).toBe('\r\u001b[2K');
});

test('redraws at most ten times a second', () => {
  const { written, updateAt } = barOn(true);
  for (let timeMs = 2000; timeMs < 3000; timeMs += 10) updateAt(timeMs, 0.5);
  expect(written).toHaveLength(10);
});

test('writes nothing where the stream is no terminal', () => {
  const { written, updateAt, end } = barOn(false);
  updateAt(5000, 0.5);
  end();
  expect(written).toEqual([]);
});
