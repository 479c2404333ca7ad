/** The result of a job, drawn by its kind. */

import { useMemo } from 'preact/hooks';
import type { Circuit, CompileRequestInput, Task } from '../../client/api-types.ts';
import { ExperimentResult } from '../experiments/experiment-result.tsx';
import { grouped, listed, numberOf } from '../numbers.ts';
import { isCounted } from '../run/detection-rates.ts';
import { DetectionResult } from '../run/detection-result.tsx';
import { FittedCircuit } from '../run/fitted-circuit.tsx';
import { ComparedCounts, Warnings } from '../run/run-result.tsx';
import { hashOf } from '../shell/route.ts';
import { Table } from '../shell/table.tsx';
import { BatchResultView } from './batch-result.tsx';
import type { Job, JobRow } from './job-row.ts';
import { OutputPart, Snapshots } from './output-views.tsx';
import { FieldsTable, ResultFields, ResultPart } from './result-fields.tsx';
import { type Fields, isTable } from './result-shape.ts';
import { StatusChip } from './status-chip.tsx';
import { WorkDrawing } from './work-drawing.tsx';
import { bb84Of } from './work-shapes.ts';

/** Shows the result; nothing before there is one. A plan and an experiment show their tasks as they go. */
export function ResultCard({ job, row }: { readonly job: Job; readonly row: JobRow }) {
  const isDone = row.status === 'completed';
  const hasCounts = 'experiment_id' in job && job.tasks !== undefined;
  if (!isDone && row.kind !== 'plan' && !hasCounts) return null;
  return (
    <section class="card" aria-label="Result">
      <h2>Result</h2>
      {'circuit_id' in job && <CircuitResult circuit={job} />}
      {'batch_id' in job && <BatchResultView batch={job} />}
      {'experiment_id' in job && <ExperimentResult tasks={job.tasks ?? []} />}
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
      <Table
        label="Tasks of the plan"
        class="result-table"
        columns={['Task', 'State', 'Work', 'After', 'Filled in']}
        rows={tasks.map(
          ({ name, task_id: id, status, progress, agent, task, needs, fed = [], error }) => [
            <a key="name" href={hashOf(['jobs', id])}>
              {name}
            </a>,
            <>
              <StatusChip status={status} progress={progress} /> {error?.message}
            </>,
            `${agent}: ${task}`,
            needs.length === 0 ? 'at once' : needs.join(', '),
            fed.map(({ field, from, path }) => `${field} from ${from} (${path})`).join('; ') ||
              'nothing',
          ],
        )}
      />
    </>
  );
}

/** Shots that are listed. */
const NUM_LISTED = 256;

/** Shows the outputs of a circuit. */
function CircuitResult({ circuit }: { readonly circuit: Circuit }) {
  const { probabilities, expectation, statevector, amplitudes, fitting, purity, memory } = circuit;
  const { detection_events: events, density_matrix: density, unitary, saved } = circuit;
  // The labels of probabilities are bits.
  const isAlike = circuit.label_format !== 'hex';
  const counts = useMemo(() => new Map(Object.entries(circuit.counts ?? {})), [circuit.counts]);
  const exact = useMemo(
    () => (probabilities && isAlike ? new Map(Object.entries(probabilities)) : undefined),
    [probabilities, isAlike],
  );
  return (
    <>
      <Warnings circuit={circuit} />
      {events !== undefined && isCounted(events) && (
        <ResultPart title="Detection events">
          <DetectionResult events={events} />
        </ResultPart>
      )}
      {counts.size > 0 && <ComparedCounts label="Counts" counts={counts} exact={exact} />}
      {(counts.size === 0 || !isAlike) && probabilities !== undefined && (
        <OutputPart
          title="Probabilities"
          output={{ kind: 'probabilities', value: probabilities }}
        />
      )}
      {expectation !== undefined && (
        <OutputPart
          title="Expectation values"
          output={{ kind: 'expectation', value: expectation }}
          observables={circuit.request?.['observables']}
        />
      )}
      {purity !== undefined && <ResultFields fields={{ purity }} />}
      {statevector !== undefined && (
        <OutputPart title="State vector" output={{ kind: 'statevector', value: statevector }} />
      )}
      {amplitudes !== undefined && (
        <OutputPart title="Amplitudes" output={{ kind: 'amplitudes', value: amplitudes }} />
      )}
      {density !== undefined && (
        <OutputPart title="Density matrix" output={{ kind: 'matrix', value: density }} />
      )}
      {unitary !== undefined && (
        <OutputPart title="Unitary matrix" output={{ kind: 'matrix', value: unitary }} />
      )}
      {saved !== undefined && <Snapshots saved={saved} circuit={circuit.request?.['circuit']} />}
      {memory !== undefined && (
        <p class="small job-text">
          First shots: {memory.slice(0, NUM_LISTED).join(' ')}
          {memory.length > NUM_LISTED && ' …'}
        </p>
      )}
      {fitting !== undefined && (
        <ResultPart title="Fitting to the device">
          <FittingTable fitting={fitting} />
          {circuit.request !== undefined && <FittedCircuit request={compileRequestOf(circuit)} />}
        </ResultPart>
      )}
    </>
  );
}

/** The request to fit a circuit again: the fields of its own that are not of its run. */
function compileRequestOf({ request, processor }: Circuit): CompileRequestInput {
  const of = ['circuit', 'qasm', 'stim', 'inputs', 'qubits', 'device'];
  const own = Object.entries(request ?? {}).filter(([name]) => of.includes(name));
  // The service has accepted these fields.
  return { ...Object.fromEntries(own), target_processor: processor };
}

/** The circuit before and after it was fitted to the device, and where its qubits are. */
function FittingTable({ fitting }: { readonly fitting: NonNullable<Circuit['fitting']> }) {
  const { gates, depth, two_qubit_gates: pairs, swaps, initial_layout: layout } = fitting;
  return (
    <>
      <Table
        label="The circuit before and after fitting"
        class="result-table"
        columns={['', 'As sent', 'Fitted']}
        rows={[
          ['Gates', grouped(gates.before), grouped(gates.after)],
          ['Two-qubit gates', grouped(pairs.before), grouped(pairs.after)],
          ['Depth', grouped(depth.before), grouped(depth.after)],
        ]}
      />
      <p class="small">
        {swaps === 0 ? 'No swaps were added.' : `${numberOf(swaps, 'swap')} of them were added.`} At
        the beginning {listed(layout.slice(0, 16).map((at, i) => `q${i} is qubit ${at}`))}
        {layout.length > 16 ? ', and so on' : ''} of the device.
      </p>
    </>
  );
}
