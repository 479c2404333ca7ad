/** The text of docs/tpu.md, from the fleet's own tables. */
import {
  ASSUMED_DISPATCH_MS,
  ASSUMED_UTILISATION,
  DEFAULT_SLICE_CHIPS,
} from '../src/workloads/tpu/slice-request.ts';
import { TPU_PROCEDURES } from '../src/workloads/tpu/tpu-procedures.ts';
import {
  RATING_BASIS,
  ratedTasksPerSecOfPool,
  TPU_CHIPS,
  TPU_POOLS,
} from '../src/workloads/tpu/tpu-zones.ts';
import { procedureSection } from './procedures-document.ts';

const rows = TPU_POOLS.map((pool) => {
  const { bf16Tflops, podChips } = TPU_CHIPS[pool.tpuType];
  return `| ${pool.zone} | ${pool.tpuType} | ${pool.chips} | ${bf16Tflops} | ${podChips} | ${ratedTasksPerSecOfPool(pool)} |`;
});

const HEAD = `# The TPU fleet

<!-- Generated from src/workloads/tpu by \`npm run gen\`; edit the tables there, or scripts/tpu-document.ts. -->

The TPU fleet is a model: this service has no such chips, and \`GET /api/v1/tpu/fleet\` says so (\`modelled\`). Jobs are placed on the
modelled chips, and their work then runs on the simulators of this service.

| zone | type | chips | bf16 TFLOP/s per chip | chips per pod | rated tasks per second |
|---|---|---|---|---|---|
${rows.join('\n')}

Ratings are modelled: ${RATING_BASIS.how} \`measured_tasks_per_sec\` is what TPU jobs ran on this machine within the last minute (a task
is a circuit), and \`benchmark\` the speed of the self-test. Both are 0 or null before the first measurement, and depend on the load.

## Jobs

\`\`\`
curl http://127.0.0.1:8080/api/v1/tpu/jobs \\
  -H "X-API-Key: $QCS_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"job_type":"optimization","tpu_type":"v4","zone":"us-central2-b"}'
\`\`\`

| field of the body | meaning |
|---|---|
| \`job_type\` | \`training\`, \`inference\`, \`simulation\`, \`optimization\` |
| \`tpu_type\`, \`zone\` | a type, and a zone that has chips of it; otherwise a 400 names the zones that have |
| \`chips\` | chips of the slice: a power of two, at most those of the zone; default ${DEFAULT_SLICE_CHIPS} |
| \`input\` | input of the job type, described below; every field has a default |
| \`priority\`, \`target_processor\`, \`name\`, \`tags\` | as for [tasks](agents.md) |

Each zone and type has a queue of jobs that wait for chips. Priorities, tiers and keys take turns as they do for circuits. No job
overtakes the first one of the queue, so small slices never keep a large one waiting. \`queue_position\` is the job's place, and
\`placed\` says whether it has its chips; it may then still wait for a process of this node. The chips are free again when the job
ends, however it ends.

The record of a completed job has

- \`executed_on\`: what ran it,
- \`measured\`: how long that took,
- \`modelled\`: the duration on the slice by the model. It is computed from the floating-point operations of the job (\`flops\` in the
  result), the chips' bf16 peak, an assumed utilisation of ${ASSUMED_UTILISATION}, and ${ASSUMED_DISPATCH_MS} ms to start. Nothing was timed on such a chip.

Jobs are listed, watched and cancelled like circuits: [jobs.md](jobs.md).

## Job types
`;

/** The whole document. */
export function tpuDocument(): string {
  const { tpuType: tpu_type, zone } = TPU_POOLS[2] ?? { tpuType: 'v5e', zone: 'us-central1-a' };
  const sections = TPU_PROCEDURES.map((procedure) =>
    procedureSection(procedure, '/tpu/jobs', {
      job_type: procedure.name,
      tpu_type,
      zone,
      input: procedure.example,
    }),
  );
  return [HEAD, ...sections].join('\n');
}
