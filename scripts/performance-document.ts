/** The tables of docs/performance.md and docs/capacity.md, from the recorded runs in bench/results. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { tableOf, withSections } from './document-sections.ts';

const figure = z.looseObject({ name: z.string(), value: z.number() });
const cpuRun = z.looseObject({
  circuit: z.string(),
  numQubits: z.number(),
  precision: z.enum(['f32', 'f64']),
  threads: z.number(),
  evolutionMs: z.number(),
  qsimMs: z.number().optional(),
  timesFasterThanQsim: z.number().optional(),
});
const gpuRun = z.looseObject({
  circuit: z.string(),
  numQubits: z.number(),
  evolutionMs: z.number(),
  sweeps: z.number(),
  asWrittenMs: z.number(),
  gateByGateMs: z.number(),
  gateByGateSweeps: z.number(),
  timesFasterThanGateByGate: z.number(),
  plainMs: z.number().optional(),
  timesFasterThanPlain: z.number().optional(),
});
const gradientRun = z.looseObject({
  circuit: z.string(),
  numQubits: z.number(),
  angles: z.number(),
  precision: z.enum(['f32', 'f64']),
  gradientMs: z.number(),
  ratio: z.number(),
  lightningMs: z.number(),
  timesFasterThanLightning: z.number(),
});
const qsimRun = z.looseObject({
  circuit: z.string(),
  numQubits: z.number(),
  maxFused: z.number(),
  evolutionMs: z.number(),
});
const wideRun = z.looseObject({
  circuit: z.string(),
  numQubits: z.number(),
  outcome: z.literal('right'),
  evolutionMs: z.number(),
});
const freshRun = z.looseObject({
  circuit: z.string(),
  numQubits: z.number(),
  gates: z.number(),
  stages: z.record(z.string(), z.number()).optional(),
  http: z.looseObject({ totalMs: z.number() }).optional(),
  httpNewShape: z.looseObject({ totalMs: z.number() }).optional(),
  aerMs: z.number().optional(),
  qsimMs: z.number().optional(),
});
const placementRun = z.looseObject({
  trace: z.string(),
  sigma: z.number(),
  lowerBoundMs: z.number(),
  earliestFinishMs: z.number(),
  learningMs: z.number(),
  leastLoadedMs: z.number(),
  roundRobinMs: z.number(),
});
const results = z.looseObject({
  date: z.string(),
  machine: z.object({ cpu: z.string(), cores: z.number(), node: z.string() }),
  adapter: z.object({ driver: z.string() }).optional(),
  measurements: z.array(z.unknown()),
});

/** docs/performance.md with its tables made anew. */
export function performanceDocument(): string {
  return withSections('docs/performance.md', {
    'CPU engine': cpuEngine(),
    gradients: gradients(),
    'WebGPU engine on cards': webgpuOnCards(),
    'WebGPU engine': webgpuEngine(),
    'fresh circuits': freshCircuits(),
    'circuits over HTTP': circuitsOverHttp(),
    'batches over HTTP': batchesOverHttp(),
  });
}

/** docs/capacity.md with the tables of its placements made anew. */
export function capacityDocument(): string {
  return withSections('docs/capacity.md', { placement: placement() });
}

function cpuEngine(): string {
  const recorded = recordedRun('cpu-engine');
  const figures = matching(figure, recorded.measurements);
  const runs = matching(cpuRun, recorded.measurements);
  const widths = [...new Set(runs.map((run) => run.numQubits))].sort((a, b) => a - b);
  const widest = widths.at(-1) ?? 0;
  const threads = Math.max(...runs.map((run) => run.threads));
  const single = runs.filter((run) => run.precision === 'f32' && run.threads === threads);
  const rows = distinct(single.map((run) => run.circuit)).map((circuit) => {
    const own = widths.map((n) =>
      single.find((run) => run.circuit === circuit && run.numQubits === n),
    );
    return [
      circuit,
      ...own.map((run) => digits(run?.evolutionMs)),
      digits(own.at(-1)?.qsimMs),
      own.map((run) => digits(run?.timesFasterThanQsim)).join(' / '),
    ];
  });
  const slowdowns = runs
    .filter((run) => run.precision === 'f64')
    .map(
      (run) =>
        run.evolutionMs /
        (single.find((each) => each.circuit === run.circuit && each.numQubits === run.numQubits)
          ?.evolutionMs ?? Number.NaN),
    );
  const shortest = figures.find(({ name }) => name.startsWith('Bell, 1,000 shots, f32'));
  const sampling = figures.find(({ name }) => /^1,000,000 shots from .*f32$/.test(name));
  return [
    provenance('cpu-engine', recorded),
    tableOf(
      [
        `circuit, ${threads} threads`,
        ...widths.map((n) => `n = ${n}, ms`),
        `qsim at ${widest}, ms`,
        `times faster than qsim at ${widths.join(' / ')}`,
      ],
      rows,
    ),
    `Double precision takes ${digits(Math.min(...slowdowns))} to ${digits(Math.max(...slowdowns))} times as long as single precision. A Bell circuit with 1,000 shots takes
${digits(shortest?.value)} µs in the engine. A million shots from 24 qubits take ${digits(sampling?.value)} ms.`,
  ].join('\n\n');
}

function gradients(): string {
  const recorded = recordedRun('gradients');
  const runs = matching(gradientRun, recorded.measurements);
  const rows = distinct(runs.map((run) => run.circuit)).map((circuit) => {
    const [double, single] = (['f64', 'f32'] as const).map((precision) =>
      runs.find((run) => run.circuit === circuit && run.precision === precision),
    );
    return [
      circuit,
      `${double?.angles}`,
      digits(double?.gradientMs),
      digits(single?.gradientMs),
      `${digits(double?.ratio)} / ${digits(single?.ratio)}`,
      digits(double?.lightningMs),
      digits(double?.timesFasterThanLightning),
    ];
  });
  return [
    provenance('gradients', recorded),
    tableOf(
      [
        `circuit, n = ${runs[0]?.numQubits}`,
        'angles',
        'gradient in double precision, ms',
        'in single, ms',
        'forward runs that it takes as long as, double / single',
        'Lightning in double precision, ms',
        'times faster',
      ],
      rows,
    ),
  ].join('\n\n');
}

function webgpuOnCards(): string {
  const name = 'nvidia-h100/webgpu-engine-30';
  const [own, qsim] = [recordedRun(name), recordedRun('nvidia-h100/qsim-cuda')];
  const runsOf = (run: string) => matching(gpuRun, recordedRun(run).measurements);
  const larger = runsOf('nvidia-h200/webgpu-engine-30');
  const rivals = matching(qsimRun, qsim.measurements).filter(({ numQubits }) => numQubits === 30);
  const rows = matching(gpuRun, own.measurements).map((run) => {
    const best = rivals
      .filter(({ circuit }) => circuit === run.circuit)
      .toSorted((a, b) => a.evolutionMs - b.evolutionMs)[0];
    return [
      run.circuit,
      `${digits(run.evolutionMs)} in ${run.sweeps} sweeps`,
      digits(run.asWrittenMs),
      best === undefined ? '' : `${digits(best.evolutionMs)} with f = ${best.maxFused}`,
      digits((best?.evolutionMs ?? Number.NaN) / run.evolutionMs),
      digits(larger.find(({ circuit }) => circuit === run.circuit)?.evolutionMs),
    ];
  });
  const wide = [
    ['NVIDIA H100, 80 GB', 'nvidia-h100/webgpu-wide-33'],
    ['NVIDIA H200, 141 GB', 'nvidia-h200/webgpu-wide-34'],
  ].map(([card = '', run = '']) => {
    const attempts = matching(wideRun, recordedRun(run).measurements);
    const of = (family: string) =>
      digits(attempts.find(({ circuit }) => circuit === family)?.evolutionMs);
    return [card, `${attempts[0]?.numQubits}`, of('ghz'), of('qft'), of('rqc')];
  });
  const copy = matching(figure, own.measurements).find((each) => each.name.startsWith('copy rate'));
  const sweep = matching(figure, own.measurements).find((each) => each.name.startsWith('its rate'));
  return [
    `${provenance(name, own)} The driver was ${own.adapter?.driver ?? 'not recorded'}.`,
    tableOf(
      [
        'circuit, n = 30',
        'engine on an H100, ms',
        'without compiler passes, ms',
        'qsim CUDA on the same card, ms',
        'times faster',
        'engine on an H200, ms',
      ],
      rows,
    ),
    tableOf(['card', 'qubits', 'ghz, ms', 'qft, ms', 'rqc, ms'], wide),
    `On the H100 a kernel that only copies moves ${digits(copy?.value)} GB/s, a sweep with one gate ${digits(sweep?.value)} GB/s.`,
  ].join('\n\n');
}

function webgpuEngine(): string {
  const recorded = recordedRun('webgpu-engine');
  const runs = matching(gpuRun, recorded.measurements);
  const widest = Math.max(
    ...runs.filter((run) => run.plainMs !== undefined).map((run) => run.numQubits),
  );
  return [
    `${provenance('webgpu-engine', recorded)} The adapter was ${recorded.adapter?.driver ?? 'not recorded'}.`,
    tableOf(
      [
        `circuit, n = ${widest}`,
        'engine, ms',
        'without compiler passes, ms',
        'one gate per sweep, ms',
        'times faster',
        'one plain kernel per gate, ms',
        'times faster',
      ],
      runs
        .filter((run) => run.numQubits === widest)
        .map((run) => [
          run.circuit,
          `${digits(run.evolutionMs)} in ${run.sweeps} sweeps`,
          digits(run.asWrittenMs),
          `${digits(run.gateByGateMs)} in ${run.gateByGateSweeps}`,
          digits(run.timesFasterThanGateByGate),
          digits(run.plainMs),
          digits(run.timesFasterThanPlain),
        ]),
    ),
  ].join('\n\n');
}

/** Stages of a circuit, in their order, as bench/fresh.ts names them. */
const STAGES = [
  ['read', 'readMs'],
  ['compile', 'compileMs'],
  ['prepare', 'prepareMs'],
  ['evolve', 'evolutionMs'],
  ['sample', 'samplingMs'],
  ['rest', 'restMs'],
] as const;
/** Width of the circuits whose stages are listed. */
const STAGES_QUBITS = 16;

function freshCircuits(): string {
  const recorded = recordedRun('fresh');
  const runs = matching(freshRun, recorded.measurements);
  const widths = [...new Set(runs.map((run) => run.numQubits))].sort((a, b) => a - b);
  const circuits = distinct(runs.map((run) => run.circuit));
  const at = (circuit: string, numQubits: number) =>
    runs.find((run) => run.circuit === circuit && run.numQubits === numQubits);
  const list = (circuit: string, value: (run: z.output<typeof freshRun>) => number | undefined) =>
    widths
      .map((numQubits) => at(circuit, numQubits))
      .map((run) => digits(run && value(run)))
      .join(' / ');
  const quotient = (a: number | undefined, b: number | undefined) =>
    a === undefined || b === undefined ? undefined : a / b;
  const columns = widths.join(' / ');
  const whole = circuits.map((circuit) => [
    circuit,
    list(circuit, (run) => run.http?.totalMs),
    list(circuit, (run) => run.httpNewShape?.totalMs),
    list(circuit, (run) => quotient(run.aerMs, run.http?.totalMs)),
    list(circuit, (run) => quotient(run.qsimMs, run.stages?.['evolutionMs'])),
  ]);
  const stages = circuits.map((circuit) => {
    const run = at(circuit, STAGES_QUBITS);
    return [
      circuit,
      `${run?.gates ?? ''}`,
      ...STAGES.map(([, stage]) => digits(run?.stages?.[stage])),
      digits(run?.stages?.['totalMs']),
      digits(run?.stages?.['knownShapeMs']),
    ];
  });
  return [
    provenance('fresh', recorded),
    tableOf(
      [
        `circuit at ${columns} qubits`,
        'request to answer, ms',
        'with a new shape, ms',
        "times faster than Aer's whole call",
        'evolution, times faster than qsim',
      ],
      whole,
    ),
    'Stages of one circuit in one warm process, ms:',
    tableOf(
      [
        `circuit, n = ${STAGES_QUBITS}`,
        'gates',
        ...STAGES.map(([name]) => name),
        'all',
        'compile and prepare, shape known',
      ],
      stages,
    ),
  ].join('\n\n');
}

function circuitsOverHttp(): string {
  const recorded = recordedRun('http-circuits');
  const figures = matching(figure, recorded.measurements);
  const loads = distinct(
    figures.map(({ name }) => name.slice(0, name.indexOf(':'))).filter((name) => name !== ''),
  );
  const rows = loads.map((load) => {
    const of = (part: string) =>
      digits(figures.find(({ name }) => name.startsWith(`${load}:`) && name.includes(part))?.value);
    return [
      load,
      of('100 shots'),
      of('latency p50'),
      of('latency p99'),
      of('main thread'),
      of('its workers'),
    ];
  });
  return [
    provenance('http-circuits', recorded),
    tableOf(
      [
        'load',
        'circuits per second',
        'p50, ms',
        'p99, ms',
        'main thread, µs of CPU time per circuit',
        'workers, µs',
      ],
      rows,
    ),
  ].join('\n\n');
}

function batchesOverHttp(): string {
  const recorded = recordedRun('batches');
  const figures = matching(figure, recorded.measurements);
  const sweeps = distinct(figures.map(({ name }) => name.slice(0, name.indexOf(':'))));
  const rows = sweeps.map((sweep) => {
    const of = (part: string) =>
      digits(figures.find(({ name }) => name === `${sweep}: ${part}`)?.value);
    return [sweep, of('batch'), of('single requests, one after the other')];
  });
  return [
    provenance('batches', recorded),
    tableOf(['points of', 'points per second in a batch', 'as single requests'], rows),
  ].join('\n\n');
}

function placement(): string {
  const recorded = recordedRun('placement');
  const runs = matching(placementRun, recorded.measurements);
  const tables = distinct(runs.map((run) => run.sigma)).map((sigma) =>
    tableOf(
      [`σ = ${sigma}`, 'ours', 'learning', 'least-loaded', 'round-robin'],
      runs
        .filter((run) => run.sigma === sigma)
        .map((run) => [
          run.trace,
          ...[run.earliestFinishMs, run.learningMs, run.leastLoadedMs, run.roundRobinMs].map((ms) =>
            (ms / run.lowerBoundMs).toFixed(3),
          ),
        ]),
    ),
  );
  return [
    `Run of ${recorded.date.slice(0, 10)} (\`bench/results/placement.json\`):`,
    ...tables,
  ].join('\n\n');
}

function recordedRun(name: string): z.output<typeof results> {
  const url = new URL(`../bench/results/${name}.json`, import.meta.url);
  return results.parse(JSON.parse(readFileSync(url, 'utf8')));
}

/** The measurements that have the form of a schema. */
function matching<T extends z.ZodType>(
  schema: T,
  measurements: readonly unknown[],
): readonly z.output<T>[] {
  return measurements.flatMap((each) => {
    const { data, success } = schema.safeParse(each);
    return success ? [data] : [];
  });
}

function provenance(name: string, { date, machine }: z.output<typeof results>): string {
  return `Measured on ${date.slice(0, 10)} on ${machine.cores} cores of an ${machine.cpu} with Node ${machine.node.replace(/^v/, '')} (\`bench/results/${name}.json\`).`;
}

/** Two digits, or all those of a larger whole number. */
function digits(value: number | undefined): string {
  if (value === undefined) return '';
  if (value >= 10) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(2);
}

const distinct = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];
