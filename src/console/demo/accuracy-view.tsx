/** How often the model is right, beside a classical one. */
import { Fragment } from 'preact';
import { useRef } from 'preact/hooks';
import { useWidth } from '../drawing/use-width.ts';
import { percent } from '../numbers.ts';
import { layoutAccuracy } from './accuracy-layout.ts';
import type { DemoFacts } from './demo-facts.ts';

const ROW = 52;

export function AccuracyCard({ facts }: { readonly facts: DemoFacts }) {
  const figure = useRef<HTMLDivElement>(null);
  const width = useWidth(figure);
  return (
    <section class="card" aria-labelledby="accuracy-title">
      <h2 id="accuracy-title">How often is it right?</h2>
      <p id="model-description" class="note">
        {facts.model.description}
      </p>
      <div id="accuracy-figure" ref={figure}>
        {width > 0 && <Drawing facts={facts} width={width} />}
      </div>
      <p id="accuracy-basis" class="small">
        {facts.accuracy.basis}. Mean ± spread.
      </p>
      <p class="small">
        Shot noise says how sure one measurement is, not how often the model is right.
      </p>
    </section>
  );
}

function Drawing({
  facts: { accuracy, model },
  width,
}: {
  readonly facts: DemoFacts;
  readonly width: number;
}) {
  const rows = [
    { name: model.id, mean: accuracy.mean, spread: accuracy.spread, own: true },
    { ...accuracy.baseline, spread: accuracy.baseline.spread ?? 0, own: false },
  ];
  const layout = layoutAccuracy(rows, width);
  const words = rows.map(({ name, mean, spread }) => `${name}: ${figureOf(mean, spread)}`);
  return (
    <svg width={width} height={ROW * rows.length} role="img" aria-label={words.join('. ')}>
      {rows.map(({ name, mean, spread, own }, index) => {
        const y = index * ROW;
        const { from, to, at } = layout[index] ?? { from: 0, to: 0, at: 0 };
        const ownClass = own ? ' own' : '';
        return (
          <Fragment key={name}>
            <text x="0" y={y + 14} class={`name${ownClass}`}>
              {name}
            </text>
            <text x={width} y={y + 14} text-anchor="end" class={`figure${ownClass}`}>
              {figureOf(mean, spread)}
            </text>
            <line x1="0" x2={width} y1={y + 32} y2={y + 32} class="track" />
            <line x1={from} x2={to} y1={y + 32} y2={y + 32} class={`range${ownClass}`} />
            <circle cx={at} cy={y + 32} r="5" class={`mean${ownClass}`} />
          </Fragment>
        );
      })}
    </svg>
  );
}

const figureOf = (mean: number, spread: number): string =>
  spread === 0 ? percent(mean) : `${percent(mean)} ± ${percent(spread)}`;
