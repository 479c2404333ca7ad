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
