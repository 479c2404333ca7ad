/** Threads run circuits of their own before the first caller's circuit comes. */
import { BroadcastChannel } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.ts';
import { compileGradient } from '../../../src/compiler/gradient/compile-gradient.ts';
import { compileShape } from '../../../src/compiler/shape.ts';
import { createFleet } from '../../../src/compose-fleet.ts';
import { loadConfig } from '../../../src/config.ts';
import { openCpuEngine } from '../../../src/engine/cpu/cpu-engine.ts';
import { KEPT_ON_CPU } from '../../../src/fleet/workers/prepared-circuits.ts';
import { ServedEngine } from '../../../src/fleet/workers/served-engine.ts';
import { warmUpSteps } from '../../../src/fleet/workers/warm-up.ts';
import type { SentRun } from '../../../src/fleet/workers/worker-messages.ts';
import { eventually } from '../../support/eventually.ts';

describe('the warm-up of a thread', () => {
  test('runs every shape twice with other angles, and ends', async () => {
    const engine = openCpuEngine({ precision: 'f32', numThreads: 1, maxQubits: 12 });
    const served = new ServedEngine(
      engine,
      { compile, compileGradient, compileShape },
      KEPT_ON_CPU,
    );
    const runs: SentRun[] = [];
    const run = served.run.bind(served);
    served.run = (each, ...others) => {
      runs.push(each);
      return run(each, ...others);
    };
    for (const step of warmUpSteps(served)) await step();
    await engine.close();
    const written = runs.map(({ circuit }) => {
      if (!('shape' in circuit)) throw new Error('a circuit that is not written');
      return circuit;
    });
    expect(written.length).toBe(120);
    for (let i = 0; i < written.length; i += 2) {
      expect(written[i + 1]!.shape).toBe(written[i]!.shape);
      expect(written[i + 1]!.angles).not.toEqual(written[i]!.angles);
    }
    expect(new Set(written.slice(0, 6).map(({ shape }) => shape)).size).toBe(3);
  });

  test('ends on an engine that fails', async () => {
    const fail = () => {
      throw new Error('no compiler');
    };
    const failing = new ServedEngine(
      openCpuEngine({ precision: 'f32', numThreads: 1, maxQubits: 12 }),
      { compile: fail, compileGradient: fail, compileShape: fail },
      KEPT_ON_CPU,
    );
    let numSteps = 0;
    let numFailed = 0;
    for (const step of warmUpSteps(failing)) {
      numSteps++;
      await step().catch(() => numFailed++);
    }
    expect(numFailed).toBe(numSteps);
    expect(numFailed).toBeGreaterThan(0);
  });
});

/** A thread that does nothing but tell what it was given. */
const TELLING = `
  import { BroadcastChannel, workerData } from 'node:worker_threads';
  new BroadcastChannel('setups of the warm-up test').postMessage(workerData);`;

test.each([
  ['0', false],
  ['1', true],
  [undefined, true],
])('QCS_WARM_UP=%s reaches each thread', async (setting, warmsUp) => {
  const config = loadConfig({ QCS_THREADS: '1', ...(setting && { QCS_WARM_UP: setting }) });
  const heard = new BroadcastChannel('setups of the warm-up test');
  const setups: unknown[] = [];
  heard.onmessage = (event) => setups.push((event as MessageEvent).data);
  const fleet = await createFleet(config, () => 0, {
    workerEntry: new URL(`data:text/javascript,${encodeURIComponent(TELLING)}`),
  });
  void fleet.startStatevector().catch(() => {});
  await eventually(() => expect(setups.length).toBeGreaterThanOrEqual(2));
  await fleet.close();
  heard.close();
  expect(setups).toMatchObject(setups.map(() => ({ warmsUp })));
});
