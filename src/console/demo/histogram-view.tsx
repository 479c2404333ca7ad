/** The counts as bars, those that count −1 on the left, +1 on the right, as on the number line. */
import { useMemo } from 'preact/hooks';
import { Histogram } from '../drawing/histogram.tsx';
import type { HistogramGroup } from '../drawing/histogram-data.ts';
import { signed } from '../numbers.ts';
import { outcomesOf, signOf } from './decision.ts';
import { signInWords } from './demo-circuit.ts';
import type { DemoFacts } from './demo-facts.ts';

interface CountsProps {
  readonly facts: DemoFacts;
  /** Empty before the first run. */
  readonly counts: ReadonlyMap<string, number>;
  readonly isStale: boolean;
}

export function Counts({ facts, counts, isStale }: CountsProps) {
  const { circuit, labelAbove } = facts;
  const groups = ([-1, 1] as const).map(
    (sign): HistogramGroup => ({
      name: signed(sign, 0),
      note: signInWords(circuit, sign),
      // The class on the sign's side of the threshold.
      style: `class-${sign === 1 ? labelAbove : 1 - labelAbove}`,
      has: (outcome) => signOf(outcome, circuit.observable.qubits) === sign,
    }),
  );
  // An outcome that never came has a place, too.
  const all = useMemo(
    () => new Map(outcomesOf(circuit.qubits).map((each) => [each, counts.get(each) ?? 0])),
    [circuit, counts],
  );
  return (
    <div id="histogram" data-stale={isStale}>
      <Histogram label="Counts" counts={all} groups={groups} />
    </div>
  );
}
