import { expect, test } from 'vitest';
import { ProgressBar } from '../../../src/cli/progress-bar.ts';

function barOn(isTTY: boolean, doneBefore?: number) {
  const written: string[] = [];
  let clock = 0;
  const bar = new ProgressBar(
    { isTTY, columns: 60, write: (text) => written.push(text) },
    'running',
    () => clock,
    doneBefore,
  );
  return {
    written,
    updateAt(timeMs: number, fraction: number, message?: string) {
      clock = timeMs;
      bar.update(fraction, message);
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

test('reckons the time left from what was done while it looked on', () => {
  const { written, updateAt } = barOn(true, 0.5);
  updateAt(2000, 0.5);
  expect(written[0]).not.toContain('left');
  // An eighth in three seconds, and three to go.
  updateAt(3000, 0.625);
  expect(written[1]).toContain(' 62%  9 s left');
});

test('shows what is being done, as far as the line goes', () => {
  const { written, updateAt } = barOn(true);
  updateAt(2000, 0.25, 'folding');
  expect(written[0]).toMatch(/running █+░+ {2}25% {2}6 s left {2}folding$/);
  updateAt(3000, 0.25, 'x'.repeat(200));
  for (const line of written) expect(line.length - '\r\u001b[2K'.length).toBeLessThan(60);
  expect(written[1]).toContain(' █');
});
