/** The text of docs/tpu.md, from the fleet's own tables. */
import {
  ASSUMED_DISPATCH_MS,
  ASSUMED_UTILISATION,
} from '../src/workloads/tpu/modelled-duration.ts';
import { DEFAULT_SLICE_CHIPS } from '../src/workloads/tpu/slice-request.ts';
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

The fleet is a model: no such chip is behind this service, and \`GET /api/v1/tpu/fleet\` says so (\`modelled\`). Jobs are placed on
its chips as they would be, and their work then really runs, on the simulators of this service.

| zone | type | chips | bf16 TFLOP/s a chip | chips of a pod | rated tasks a second |
|---|---|---|---|---|---|
${rows.join('\n')}

Ratings are modelled: ${RATING_BASIS.how} Beside them, \`measured_tasks_per_sec\` is what TPU jobs really ran here within the last
minute (a task is a circuit), and \`benchmark\` how fast the self-test ran; both are 0 or null before there was anything to
measure, and move with the load.

## Jobs

\`\`\`
curl http://127.0.0.1:8080/api/v1/tpu/jobs \\
  -H "X-API-Key: $QCS_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"job_type":"optimization","tpu_type":"v4","zone":"us-central2-b"}'
\`\`\`

| field of the body | meaning |
|---|---|
| \`job_type\` | \`training\`, \`inference\`, \`simulation\`, \`optimization\` |
| \`tpu_type\`, \`zone\` | a type, and a zone that has it; else a 400 names the zones that do |
| \`chips\` | of the slice: a power of two up to what the zone has of the type; ${DEFAULT_SLICE_CHIPS} by default |
| \`input\` | what the job type takes, below; every field has a default |
| \`priority\`, \`target_processor\`, \`name\`, \`tags\` | as of [tasks](agents.md) |

A job waits for its chips in the line of its zone and type: priorities, tiers and keys take turns as circuits do, and nothing
overtakes the first of the line, so that a large slice is never kept waiting by small ones. \`queue_position\` tells its place,
\`placed\` whether it has its chips; it may then still wait for a process of this node. It gives them back when it ends, however
it ends.

The record of a completed job has \`executed_on\`, what really ran it, \`measured\`, what that took, and beside it \`modelled\`: what it would take on the
slice, from the floating-point operations that the job counted (\`flops\` in the result), at the chips' bf16 peak, with
an assumed utilisation of ${ASSUMED_UTILISATION} and ${ASSUMED_DISPATCH_MS} ms to start. Nothing was timed on such a chip.

Jobs are listed, watched and cancelled as circuits are: [jobs.md](jobs.md).

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
