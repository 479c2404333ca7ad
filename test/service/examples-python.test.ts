// @needs facilities
/** The programs of examples/ in Python, run as their readers run them. */
import { expect, test } from 'vitest';
import { openExamples } from '../support/examples.ts';
import { describeWith } from '../support/facilities/describe-with.ts';

describeWith(['Python 3'], 'in Python', () => {
  const examples = openExamples();

  test('vqe_h2.py finds the energy of full configuration interaction', async () => {
    expect(await examples.printed('python3', 'vqe_h2.py')).toMatch(/^energy -1\.137306 hartree$/m);
  });

  test('surface_code.py has its detection events', async () => {
    const printed = await examples.printed('python3', 'surface_code.py');
    expect(printed).toMatch(/^method stabilizer, 120 detectors$/m);
    // Each detector sees some ten gates and two readings with errors of 0.4 %.
    const [fired, raw] = ['detectors that fired', 'logical errors without decoding'].map((what) =>
      Number(new RegExp(`^${what} (\\S+)$`, 'm').exec(printed)?.[1]),
    );
    expect(fired).toBeCloseTo(0.038, 2);
    expect(raw).toBeCloseTo(0.14, 1);
  });

  test('threshold.py has fewer errors with longer codes, below the threshold alone', async () => {
    const printed = await examples.printed('python3', 'threshold.py', '50000');
    const ratesAt = (p: string) =>
      new RegExp(`^${p} +(\\S+) +(\\S+) +(\\S+)$`, 'm').exec(printed)?.slice(1).map(Number) ?? [];
    const [low, high] = [ratesAt('0.02'), ratesAt('0.2')];
    expect(low).toHaveLength(3);
    expect(low).toEqual(low.toSorted((a, b) => b - a));
    expect(high).toEqual(high.toSorted((a, b) => a - b));
  });

  test('low_error_rates.py finds that errors fall as the power of half the distance', async () => {
    const printed = await examples.printed('python3', 'low_error_rates.py', '50000');
    const rows = [...printed.matchAll(/^(\d) +(\S+) +(\S+) +(\S+) to (\S+) +(\d)$/gm)].map((row) =>
      row.slice(1).map(Number),
    );
    expect(rows).toHaveLength(6);
    for (const [d, p, rate, low, high, faults] of rows) {
      expect(low).toBeLessThanOrEqual(rate!);
      expect(high).toBeGreaterThanOrEqual(rate!);
      expect(faults).toBe((d! + 1) / 2);
      // A count of the sets of so many faults, times their probability.
      const sets = rate! / p! ** faults!;
      expect(sets).toBeGreaterThan(d === 3 ? 20 : 200);
      expect(sets).toBeLessThan(d === 3 ? 27 : 280);
    }
  });

  test('agent_task.py is given the one gate that is left', async () => {
    expect(JSON.parse(await examples.printed('python3', 'agent_task.py'))).toEqual([
      { gate: 'X', qubit: 1 },
    ]);
  });
});

describeWith(['httpx for Python'], 'in Python with httpx', () => {
  const examples = openExamples();

  test('rabi_httpx.py measures what theory has', async () => {
    const output = await examples.printed('python3', 'rabi_httpx.py');
    expect(Number(/^farthest from theory (\S+)$/m.exec(output)?.[1])).toBeLessThan(0.06);
  });
});
