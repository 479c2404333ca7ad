/** The text of docs/agents.md, from the agents' own definitions. */
import { PLAN_EXAMPLE } from '../src/service/systems/plan-example.ts';
import { AGENTS } from '../src/workloads/agents/agents.ts';
import { MAX_PLAN_TASKS } from '../src/workloads/plans/plan.ts';
import { procedureSection } from './procedures-document.ts';

const HEAD = `# Agents, tasks and plans

<!-- Generated from the agents' definitions by \`npm run gen\`; edit those, or scripts/agents-document.ts. -->

An agent takes tasks. \`POST /api/v1/agents/{agent_id}/execute\` answers 201 at once with a \`task_id\`; the work runs as a
job, and its record at \`GET /api/v1/tasks/{task_id}\` has the result once it is completed:

\`\`\`
curl http://127.0.0.1:8080/api/v1/agents/research/execute \\
  -H "X-API-Key: $QCS_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"task":"vqe","input":{"problem":"h2","bond_length_angstrom":0.735}}'
\`\`\`

| field of the body | meaning |
|---|---|
| \`task\` | one of the agent's tasks below |
| \`input\` | what the task takes; unknown fields and values out of range are a 400 that names each |
| \`priority\` | \`low\`, \`normal\` (default), \`high\`, which takes effect for Enterprise keys |
| \`name\`, \`tags\` | to find the task again: [jobs.md](jobs.md#names-and-tags) |
| \`target_processor\` | a simulator that the task's circuits run on; by default the first available one, double precision preferred |

\`GET /api/v1/agents\` has all of this as data (\`capabilities\`: JSON Schema, limits and an example of each task), with what was
measured:

- \`tasks_per_sec\` is that of the agent's self-test task: 16 of them submitted at once, the way that requests take, once
  after the start and then once a minute. \`tasks_per_sec_basis\` names the task, when it ran and what ran it. Under load
  it is lower: it is what the agent would do now.
- \`stats\` counts what ran for callers: completed, failed, cancelled, how many wait and run now, the rate over the last minute
  and the median and 95th percentile of the last 256 durations.
- An agent is \`available\` while its self-test, a task with a known answer, passes. It is repeated every minute, and
  at once when a run ends in a way that no input can explain.

## How a task runs

The code of a task runs in a process of its own, which has a heap limit (\`QCS_TASK_MEMORY_MIB\`), no environment, no access
to write files, start processes or load native code, and nothing of the service but a way to ask for circuits. Circuits go to
the processors of the service, in fair turns with all other work, with the key and priority of the task; \`executed_on\` in
the record says what ran them, and which runtime ran the rest. A task that is not through at its \`deadline_ms\`, or takes more
memory than its process may have, fails with a code that says so, and its process is ended; the time in which its circuits
wait for a processor, and none of them is on one, is not counted, and meanwhile another task has its place
([errors](errors.md): \`WORKLOADS_TASK_DEADLINE\`, \`WORKLOADS_TASK_MEMORY\`). A key that
has no task running waits two seconds at most for those of others, as long as there may be a further process. A process that is lost under a task costs a second
run of it. \`POST /api/v1/tasks/{task_id}/cancel\` ends a task at once.

All chance comes from a seed: that of the input where the task takes one, else one that is drawn and told in the record. The
same input with the same seed gives the same result on the same processor.

Tasks are listed, watched and cancelled as circuits are: [jobs.md](jobs.md).

## Plans

\`POST /api/v1/systems/asi/plans\` takes a goal of up to ${MAX_PLAN_TASKS} tasks and answers 201 with a task whose \`tasks\` are those of the
agents that it will run. What stands as \`{"$from": "name", "path": "circuit"}\` in an input is that part of the result of the
task called so. A task that lacks a field, such as \`circuit\`, gets it from the nearest task before it whose result is
declared to feed it; \`fed\` in the answer says what was filled in. Tasks that do not need one another run at the same
time. The planner claims no intelligence: it follows references, and fills in what fits.

\`\`\`json
${JSON.stringify(PLAN_EXAMPLE, null, 2)}
\`\`\`

The record of a plan shows its tasks with their status and progress; each is a task with a record, events and a result of its
own, and \`parent_id\` names the plan. When one fails or is cancelled the plan fails and nothing more of it begins; cancelling
the plan cancels those under way. After a restart a plan goes on with the tasks that it had submitted. A plan counts with all its
tasks against those that a key may have at once. A task may have 100 references, and what they bring 2 MiB; inputs that are fed are held
to the same limits as those that are sent, and what is wrong with one is then the error of its task.
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
