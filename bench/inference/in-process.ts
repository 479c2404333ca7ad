/** The classifier over a whole fleet, in this process: the work of an HTTP request without HTTP. */

import { readMachine } from '../../src/fleet/cpu-processors.ts';
import { Fleet } from '../../src/fleet/fleet.ts';
import {
  type Classification,
  QnnHybrid,
  type Requester,
} from '../../src/workloads/models/qnn-hybrid/qnn-hybrid.ts';
import type { Measurement } from '../harness.ts';
import { interleaved, perSecond } from '../interleaved.ts';
import { checkExpectations } from './answer-checks.ts';
import type { DeployedModel } from './deployed-model.ts';

const ROUNDS = 7;
const SINGLES = 512;
const AT_ONCE = 32;
const BATCH = 256;

const REQUESTER: Requester = { keyId: 'bench', tier: 'enterprise', priority: 'normal' };
const { signal } = new AbortController();

/** One inference after the other, 32 at a time, batches of 256 rows; how they compare. */
export async function measureInProcess(model: DeployedModel): Promise<readonly Measurement[]> {
  const fleet = cpuFleet();
  await fleet.start();
  const { processors } = fleet;
  const classifier = new QnnHybrid({ artefact: model.artefact, processors, now: () => 0 });
  await classifier.start();
  try {
    return await measure(model, classifier);
  } finally {
    await classifier.close();
    await fleet.close();
  }
}

async function measure(model: DeployedModel, classifier: QnnHybrid) {
  const { rows, exact } = model.flowers(BATCH);
  let seed = 0;
  const classify = async (first: number, count: number): Promise<Classification> => {
    const request = { rows: rows.slice(first, first + count), pathOf: () => 'inputs', seed };
    seed += count;
    const answer = await classifier.classify(request, REQUESTER, signal);
    const found = answer.rows.map(({ expectation }) => expectation);
    checkExpectations(found, exact.slice(first, first + count), model.shots);
    return answer;
  };
  let place = 0;
  const one = () => classify(place++ % BATCH, 1);
  const many = () => Promise.all(Array.from({ length: AT_ONCE }, one));
  const names = ['one inference at a time', `${AT_ONCE} at a time`, `a batch of ${BATCH} rows`];
  const [alone, together, batch] = await interleaved(
    [
      { name: `in process, ${names[0]}`, perRound: SINGLES, run: one },
      { name: `in process, ${names[1]}: all of them`, perRound: SINGLES / AT_ONCE, run: many },
      { name: `in process, ${names[2]}`, perRound: 8, run: () => classify(0, BATCH) },
    ],
    ROUNDS,
  );
  return [
    alone!,
    perSecond(`in process, ${names[1]}: inferences`, together!, AT_ONCE),
    batch!,
    perSecond(`in process, ${names[2]}: rows`, batch!, BATCH),
    {
      name: `in process, ${BATCH} inferences one at a time, by ${names[2]}`,
      value: (BATCH * alone!.value) / batch!.value,
      unit: 'times as long',
    },
    {
      name: `in process, ${BATCH} inferences ${names[1]}, by ${names[2]}`,
      value: ((BATCH / AT_ONCE) * together!.value) / batch!.value,
      unit: 'times as long',
    },
  ];
}

/** A fleet as the service has it on this machine, on the CPU. */
function cpuFleet(): Fleet {
  const machine = readMachine();
  return new Fleet({
    warmsUp: true,
    machine,
    engine: 'cpu',
    numThreads: machine.numCores,
    memoryBytes: machine.memoryBytes / 4,
    maxShots: 1_000_000,
    maxGates: 100_000,
    queueLimit: 1000,
    now: () => 0,
  });
}
