/** The result of a job, drawn by its kind. */
import type { Task } from '../../client/api-types.ts';
import { hashOf } from '../shell/route.ts';
import { BatchResultView } from './batch-result.tsx';
import { bb84Of } from './bb84-shape.ts';
import { CircuitResult } from './circuit-result.tsx';
import type { Job, JobRow } from './job-row.ts';
import { FieldsTable, ResultFields } from './result-fields.tsx';
import { type Fields, isTable } from './result-shape.ts';
import { StatusChip } from './status-chip.tsx';
import { WorkDrawing } from './work-drawing.tsx';

/** Shows the result; nothing before there is one. A plan shows its tasks as they go. */
export function ResultCard({ job, row }: { readonly job: Job; readonly row: JobRow }) {
  const isDone = row.status === 'completed';
  if (!isDone && row.kind !== 'plan') return null;
  return (
    <section class="card" aria-label="Result">
      <h2>Result</h2>
      {'circuit_id' in job && <CircuitResult circuit={job} />}
      {'batch_id' in job && <BatchResultView batch={job} />}
      {'task_id' in job && job.tasks !== undefined && (
        <PlanTasks tasks={job.tasks} goal={job.goal} />
      )}
      {'result' in job && job.result !== undefined && row.kind !== 'plan' && (
        <WorkResult job={job} result={job.result as Fields} />
      )}
    </section>
  );
}

function WorkResult({ job, result }: { readonly job: Job; readonly result: Fields }) {
  const input = job.request?.['input'];
  // Their drawing is above the fields.
  const isDrawn = bb84Of(result) !== undefined;
  const firstQubits = result['first_qubits'] ?? null;
  return (
    <>
      <WorkDrawing
        work={
          'task' in job
            ? `${job.agent}/${job.task}`
            : 'job_type' in job
              ? `tpu/${job.job_type}`
              : ''
        }
        result={result}
        input={(typeof input === 'object' && input !== null ? input : {}) as Fields}
      />
      <ResultFields fields={result} without={isDrawn ? ['first_qubits'] : []} />
      {isDrawn && isTable(firstQubits) && (
        <details>
          <summary>The first qubits as a table</summary>
          <FieldsTable label="The first qubits" rows={firstQubits} />
        </details>
      )}
    </>
  );
}

function PlanTasks({
  tasks,
  goal,
}: {
  readonly tasks: NonNullable<Task['tasks']>;
  readonly goal: string | undefined;
}) {
  return (
    <>
      {goal !== undefined && <p class="note">{goal}</p>}
      <div class="scroll result-table" tabIndex={0} role="group" aria-label="Tasks of the plan">
        <table>
          <thead>
            <tr>
              {['Task', 'State', 'Work', 'After', 'Filled in'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {tasks.map(
              ({ name, task_id: id, status, progress, agent, task, needs, fed = [], error }) => (
                <tr key={name}>
                  <th scope="row">
                    <a href={hashOf(['jobs', id])}>{name}</a>
                  </th>
                  <td>
                    <StatusChip status={status} progress={progress} /> {error?.message}
                  </td>
                  <td>
                    {agent}: {task}
                  </td>
                  <td>{needs.length === 0 ? 'at once' : needs.join(', ')}</td>
                  <td>
                    {fed
                      .map(({ field, from, path }) => `${field} from ${from} (${path})`)
                      .join('; ') || 'nothing'}
                  </td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </div>
    </>
  );
}
