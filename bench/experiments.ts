/**
 * Experiments over HTTP beside `sinter.collect` with PyMatching and two workers, where SINTER_PYTHON names an interpreter
 * that has them: from the request to the counts. Circuits are those of `qcs gen`, which are Stim's: memory experiments of
 * the rotated surface code with noise of one strength everywhere, d rounds at distance d.
 *
 * Both take turns with the same circuits. Numbers of errors are compared within five standard deviations. Beside the time
 * stands that of the processor, which other work on the machine changes less: in the service's process, and in Sinter's
 * and its workers. Bodies are read in the service's main process or another one, which is not counted.
 *
 * `PLOT_SHOTS=100000 npm run bench -- threshold-plot` takes a threshold plot once, with so many shots of each task.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
} from '../test/support/service-process.ts';
import { type Measurement, median, report } from './harness.ts';
import { type PythonPeer, pythonPeer } from './peers/python-peer.ts';
import { surfaceCodeText } from './surface-code-text.ts';
import { threadTimes } from './thread-times.ts';

const ROUNDS = 3;
/** Shots of each task of a threshold plot, unless PLOT_SHOTS says otherwise. */
const PLOT_SHOTS = 1_000_000;
/** Time between two looks at a record: a part of the time so far, as a look costs the service something. */
const LOOK_AFTER = 0.02;
/** Least times Sinter's rate. */
const GOAL = 1;

const RATES = [0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.008, 0.01] as const;

/** Tasks of equal numbers of shots. */
interface Case {
  readonly name: string;
  readonly tasks: readonly string[];
  readonly shots: number;
}

const CASES: readonly Case[] = [
  ...(
    [
      [5, 0.003, 400_000],
      [9, 0.003, 60_000],
      [11, 0.003, 40_000],
      [5, 0.001, 400_000],
    ] as const
  ).map(([distance, probability, shots]) => ({
    name: `distance ${distance}, ${100 * probability} %, ${shots.toLocaleString('en')} shots`,
    tasks: [surfaceCodeText(distance, probability)],
    shots,
  })),
  thresholdPlot(20_000),
];

function thresholdPlot(shots: number): Case {
  return {
    name: `distances 3, 5, 7 and 9 at 8 rates, ${shots.toLocaleString('en')} shots each`,
    tasks: [3, 5, 7, 9].flatMap((distance) => RATES.map((rate) => surfaceCodeText(distance, rate))),
    shots,
  };
}

/** A run of a case: seconds until the counts are known, and of the processor. */
interface Run {
  readonly seconds: number;
  readonly processor: number;
  readonly errors: readonly number[];
}

/** Runs a case in the service. */
async function ofService(
  service: ServiceProcess,
  { tasks, shots }: Case,
  seed: number,
): Promise<Run> {
  const url = `${service.origin}/api/v1/quantum/experiments`;
  const headers = { 'X-API-Key': service.key ?? '', 'Content-Type': 'application/json' };
  const body = JSON.stringify({ tasks: tasks.map((stim) => ({ stim })), max_shots: shots, seed });
  const processor = () => {
    const { main = 0, workers = 0, helpers = 0 } = threadTimes(service.process.pid ?? 0) ?? {};
    return main + workers + helpers;
  };
  const [before, started] = [processor(), performance.now()];
  let { data } = (await (await fetch(url, { method: 'POST', headers, body })).json()) as {
    data: {
      experiment_id: string;
      status: string;
      tasks?: readonly { shots: number; errors: number }[];
    };
  };
  const { experiment_id: id } = data;
  while (data.status !== 'completed') {
    if (data.status === 'failed') throw new Error(JSON.stringify(data));
    await sleep(LOOK_AFTER * (performance.now() - started));
    ({ data } = (await (await fetch(`${url}/${id}`, { headers })).json()) as { data: typeof data });
  }
  const seconds = (performance.now() - started) / 1000;
  const counted = data.tasks ?? [];
  if (counted.length !== tasks.length || counted.some((task) => task.shots !== shots)) {
    throw new Error(`${id} has other shots than it was asked for`);
  }
  return { seconds, processor: processor() - before, errors: counted.map(({ errors }) => errors) };
}

/** Throws if numbers of errors differ by more than chance. */
function compare(own: Run, theirs: Run, { name, shots }: Case): void {
  for (const [i, errors] of own.errors.entries()) {
    const other = theirs.errors[i]!;
    const rate = (errors + other) / (2 * shots);
    if (Math.abs(errors - other) > 5 * Math.sqrt(2 * shots * rate * (1 - rate))) {
      throw new Error(`${name}, task ${i}: ${errors} errors, and ${other} by Sinter`);
    }
  }
}

async function measureCase(
  service: ServiceProcess,
  one: Case,
  sinter: PythonPeer | undefined,
  rounds: number,
): Promise<readonly Measurement[]> {
  const [own, theirs]: [Run[], Run[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    own.push(await ofService(service, one, round));
    if (sinter === undefined) continue;
    theirs.push(await sinter.ask({ tasks: one.tasks, max_shots: one.shots }));
    compare(own.at(-1)!, theirs.at(-1)!, one);
  }
  const rows = (of: string, runs: readonly Run[]) => [
    measured(
      `${one.name}: ${of}`,
      's',
      runs.map(({ seconds }) => seconds),
    ),
    measured(
      `${one.name}: ${of}, processor`,
      's',
      runs.map(({ processor }) => processor),
    ),
  ];
  if (sinter === undefined) return rows('the service', own);
  const ratio = (of: 'seconds' | 'processor') => own.map((run, i) => theirs[i]![of] / run[of]);
  return [
    ...rows('the service', own),
    ...rows(sinter.name, theirs),
    { ...measured(`${one.name}: times Sinter's rate`, '×', ratio('seconds')), goal: GOAL },
    measured(`${one.name}: times Sinter's rate, by processor time`, '×', ratio('processor')),
  ];
}

const measured = (name: string, unit: string, values: readonly number[]): Measurement => ({
  name,
  unit,
  value: median(values),
  spread: [Math.min(...values), Math.max(...values)],
});

/** Writes `bench/results/experiments.json`. */
export const benchExperiments = (): Promise<void> => measure('experiments', CASES, ROUNDS);

/** Writes `bench/results/threshold-plot.json`. */
export function benchThresholdPlot(): Promise<void> {
  const shots = Number(process.env['PLOT_SHOTS'] ?? PLOT_SHOTS);
  if (!Number.isSafeInteger(shots) || shots < 1)
    throw new Error('PLOT_SHOTS is no number of shots');
  return measure('threshold-plot', [thresholdPlot(shots)], 1);
}

async function measure(name: string, cases: readonly Case[], rounds: number): Promise<void> {
  using folder = temporaryFolder();
  const python = process.env['SINTER_PYTHON'];
  await using sinter =
    python === undefined ? undefined : await pythonPeer(python, 'sinter-peer.py');
  const service = await startServiceProcess(folder.path, {
    QCS_RATE_LIMIT_STANDARD: '1000000000',
    QCS_LOG_LEVEL: 'warn',
  });
  try {
    const measurements: Measurement[] = [];
    for (const one of cases) {
      measurements.push(...(await measureCase(service, one, sinter, rounds)));
    }
    report(name, measurements);
  } finally {
    await service.stop('SIGTERM');
  }
}
