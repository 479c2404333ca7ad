/** The result of a run: its histogram, compared with exact probabilities and an earlier run, and its facts. */

import { useState } from 'preact/hooks';
import type { Circuit } from '../../client/api-types.ts';
import { Histogram } from '../drawing/histogram.tsx';
import { distanceOf, exactOfBits, type HistogramContents } from '../drawing/histogram-data.ts';
import { percent } from '../numbers.ts';
import { FactList } from '../shell/facts.tsx';
import { SelectField } from '../shell/forms.tsx';
import { hashOf } from '../shell/route.ts';
import { circuitFacts } from './circuit-words.ts';
import { DetectionResult } from './detection-result.tsx';
import './run.css';
import type { EndedRun } from './use-run.ts';

/** Shows the last of the runs. */
export function RunResult({ runs }: { readonly runs: readonly EndedRun[] }) {
  const [comparedId, setComparedId] = useState('');
  const [last, ...earlier] = runs;
  if (last === undefined) return null;
  const { circuit, number } = last;
  const counts = countsOf(circuit);
  const exact = exactOf(last);
  const compared = earlier.find((each) => each.circuit.circuit_id === comparedId);
  return (
    <section class="run-result" aria-label={`Result of run ${number}`}>
      <div class="head">
        <h3>Run {number}</h3>
        <a href={hashOf(['jobs', circuit.circuit_id])}>Open this job</a>
      </div>
      {circuit.detection_events !== undefined && (
        <DetectionResult events={circuit.detection_events} />
      )}
      {circuit.counts !== undefined && (
        <ComparedCounts
          label={runLabel(last)}
          counts={counts}
          exact={exact}
          other={compared && { label: runLabel(compared), counts: countsOf(compared.circuit) }}
        />
      )}
      {circuit.counts !== undefined && earlier.length > 0 && (
        <div class="compare">
          <SelectField
            label="Compare with"
            value={comparedId}
            options={[
              ['', 'No other run'],
              ...earlier.map((run) => [run.circuit.circuit_id, runLabel(run)] as const),
            ]}
            onChoose={setComparedId}
          />
        </div>
      )}
      <Warnings circuit={circuit} />
      <FactList class="run-facts" facts={circuitFacts(circuit)} />
    </section>
  );
}

/** A histogram, and how far the counts are from exact probabilities. */
export function ComparedCounts(contents: HistogramContents) {
  const { counts, exact } = contents;
  return (
    <>
      <Histogram {...contents} />
      {exact !== undefined && (
        <p class="note">
          The counts differ from the exact probabilities by {percent(distanceOf(counts, exact))}{' '}
          (total variation distance).
        </p>
      )}
    </>
  );
}

/** Parts of the OpenQASM text that the service ignored. */
export function Warnings({ circuit: { warnings = [] } }: { readonly circuit: Circuit }) {
  if (warnings.length === 0) return null;
  return (
    <ul class="notice">
      {warnings.map(({ line, message }) => (
        <li key={`${line} ${message}`}>
          {line !== undefined && `Line ${line}: `}
          {message}
        </li>
      ))}
    </ul>
  );
}

/** Counts of a record; empty if it has none. */
function countsOf({ counts = {} }: Circuit): ReadonlyMap<string, number> {
  return new Map(Object.entries(counts));
}

function exactOf({ circuit, exact }: EndedRun): ReadonlyMap<string, number> | undefined {
  const { measured_qubits: qubits, label_format: format } = circuit;
  if (exact === undefined || format === 'hex') return undefined;
  return qubits === undefined ? exact : exactOfBits(exact, qubits);
}

function runLabel({ number, circuit: { processor }, request: { noise, shots } }: EndedRun): string {
  const model = noise?.model;
  const words =
    noise === undefined ? '' : `, ${model === undefined ? 'no noise' : `noise ${model}`}`;
  return `Run ${number}: ${processor}${words}, ${shots} shots`;
}
