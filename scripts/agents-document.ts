/** The text of docs/agents.md, from the agents' own definitions. */
import { PLAN_EXAMPLE } from '../src/service/work/task-schema.ts';
import { AGENTS } from '../src/workloads/agents/agents.ts';
import { MAX_PLAN_TASKS } from '../src/workloads/plans/plan.ts';
import { procedureSection } from './procedures-document.ts';

const HEAD = `# Agents, tasks and plans

<!-- Generated from the agents' definitions by \`npm run gen\`; edit those, or scripts/agents-document.ts. -->

An agent takes tasks. \`POST /api/v1/agents/{agent_id}/execute\` answers 201 at once with a \`task_id\`. The task runs as a job; its
record at \`GET /api/v1/tasks/{task_id}\` has the result once it is completed:

\`\`\`
curl http://127.0.0.1:8080/api/v1/agents/research/execute \\
  -H "X-API-Key: $QCS_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"task":"vqe","input":{"problem":"h2","bond_length_angstrom":0.735}}'
\`\`\`

| field of the body | meaning |
|---|---|
| \`task\` | one of the agent's tasks below |
| \`input\` | input of the task, described below. Unknown fields and values out of range are answered 400 with the path of each |
| \`priority\` | \`low\`, \`normal\` (default) or \`high\`; \`high\` takes effect for Enterprise keys only |
| \`name\`, \`tags\` | labels for finding the task again: [jobs.md](jobs.md#names-and-tags) |
| \`target_processor\` | simulator that runs the circuits of the task; by default the first available one, preferring double precision |

\`GET /api/v1/agents\` has all of this as data (\`capabilities\`: JSON Schema, limits and an example of each task), and these
measurements:

- \`tasks_per_sec\` is the measured rate of the agent's self-test task. After the start, and then every minute, 16 of these tasks
  are submitted at once, along the path of requests. \`tasks_per_sec_basis\` names the task, the time and what ran it. Under load
  the rate is lower: it is what the agent would do now.
- \`stats\` counts the tasks of callers: completed, failed, cancelled, waiting and running ones, the rate over the last minute, and
  the median and 95th percentile of the last 256 durations.
- An agent is \`available\` while its self-test, a task with a known answer, passes. The self-test runs every minute, and at once
  after a task ends in a way that no input can explain.

## How a task runs

The code of a task runs in a separate process. The process has a heap limit (\`QCS_TASK_MEMORY_MIB\`) and an empty environment. It
cannot write files, start processes or load native code, and all it can do with the service is ask it to run circuits.

The processors of the service run these circuits, in fair turns with all other work, with the key and priority of the task.
\`executed_on\` in the record says what ran the circuits, and which runtime ran the rest.

A task fails if it has not ended at its \`deadline_ms\` (\`WORKLOADS_TASK_DEADLINE\`) or needs more memory than its process may have
(\`WORKLOADS_TASK_MEMORY\`); its process is then ended. Time during which the task only waits for a processor does not count
towards the deadline; meanwhile another task may use its place.

A key without a running task waits at most two seconds for the tasks of other keys; then another process is started, if the limit
allows one. If a process is lost, its task runs a second time. \`POST /api/v1/tasks/{task_id}/cancel\` ends a task at once.

All random numbers come from a seed: that of the input, if the task takes one, or one that is drawn and stored in the record. The
same input with the same seed gives the same result on the same processor.

Tasks are listed, watched and cancelled like circuits: [jobs.md](jobs.md).

## Plans

\`POST /api/v1/systems/asi/plans\` takes a plan of up to ${MAX_PLAN_TASKS} tasks. It answers 201 with a task whose \`tasks\` are the agents'
tasks that the plan will run.

- A reference \`{"$from": "name", "path": "circuit"}\` in an input is replaced by that part of the result of the task \`name\`.
- A missing input field, such as \`circuit\`, is taken from the nearest earlier task whose result feeds it; \`fed\` in the answer
  lists these fields.
- Tasks that do not depend on each other run at the same time.

The planner has no intelligence: it follows references, and fills in fields that fit.

\`\`\`json
${JSON.stringify(PLAN_EXAMPLE, null, 2)}
\`\`\`

The record of a plan shows its tasks with their status and progress. Each is a task with a record, events and a result of its own;
\`parent_id\` names the plan. If a task fails or is cancelled, the plan fails and starts no further tasks. Cancelling the plan cancels
its running tasks. After a restart a plan continues with the tasks that it had submitted.

A plan and all its tasks count towards the tasks that a key may have at once. A task may have 100 references, which may bring 2 MiB in
all. Inputs from other results have the same limits as inputs in a request; a fault in one is an error of its task.
`;

/** The whole document. */
export function agentsDocument(): string {
  const sections = AGENTS.map(({ id, name, description, procedures }) => {
    const tasks = procedures.map((procedure) =>
      procedureSection(procedure, `/agents/${id}/execute`, {
        task: procedure.name,
        input: procedure.example,
      }),
    );
    return [`## ${name} (\`${id}\`)\n`, `${description}\n`, ...tasks].join('\n');
  });
  return [HEAD, ...sections].join('\n');
}
