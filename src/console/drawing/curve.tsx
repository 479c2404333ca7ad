/**
 * Curves over one axis, drawn by uPlot, with their values in words and as a table. What draws them is loaded with the
 * first curve.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { rounded } from '../numbers.ts';
import './curve.css';
import { ValuesTable } from '../shell/table.tsx';
import type { DrawnCurves } from './drawn-curves.ts';
import {
  type Axis,
  ascending,
  COLOURS,
  curvesInWords,
  dashOf,
  pointInWords,
  type Series,
  valueInWords,
} from './plot-data.ts';

interface CurveProps {
  /** Title, such as "Energy by angle". */
  readonly label: string;
  readonly x: Axis;
  readonly series: readonly Series[];
  /** Height of the drawing in pixels. */
  readonly height?: number;
  /** Whether the axis of the values is logarithmic. Values that are not positive are then not drawn. */
  readonly isLogarithmic?: boolean;
  /** Whether a line joins the points on both sides of a missing value. */
  readonly isJoined?: boolean;
}

/**
 * Draws one curve or several. New values may be given at any time; NaN leaves a gap. The arrow keys, Home and End
 * go from point to point.
 */
export function Curve({
  label,
  x,
  series,
  height = 260,
  isLogarithmic = false,
  isJoined = false,
}: CurveProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<DrawnCurves>(undefined);
  const [at, setAt] = useState<number>();
  const [isLost, setLost] = useState(false);
  const order = useMemo(() => ascending(x), [x.values]);
  const frame = {
    ...{ height, isLogarithmic, isJoined },
    x: {
      label: x.label,
      isLogarithmic: x.isLogarithmic === true,
      isWhole: Array.from(x.values).every(Number.isInteger),
    },
  };
  const shape = JSON.stringify([frame, series.map((each) => each.label)]);

  const values = useRef({ x, series, order });
  values.current = { x, series, order };
  const show = () => {
    const now = values.current;
    plot.current?.show(now.x, now.series, now.order);
  };
  useEffect(() => {
    let isEnded = false;
    const draw = async () => {
      const { DrawnCurves } = await import('./drawn-curves.ts');
      if (isEnded || host.current === null) return;
      plot.current = new DrawnCurves(host.current, frame, series, setAt);
      show();
    };
    draw().catch(() => setLost(true));
    return () => {
      isEnded = true;
      plot.current?.end();
      plot.current = undefined;
    };
  }, [shape]);
  useEffect(show, [shape, x, series]);

  const last = order.length - 1;
  const move = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: (at ?? 1) - 1,
      ArrowRight: (at ?? -1) + 1,
      Home: 0,
      End: last,
    };
    const next = steps[event.key];
    if (next === undefined || last < 0) return;
    event.preventDefault();
    plot.current?.pointAt(Math.max(0, Math.min(last, next)));
  };
  const index = at === undefined ? undefined : order[at];
  const words = curvesInWords(x, series);
  const point = index === undefined ? undefined : pointInWords(x, series, index);
  return (
    <figure class="curve">
      {series.length > 1 && <Legend series={series} />}
      <div
        ref={host}
        class="plot"
        style={{ minHeight: `${height}px` }}
        role="slider"
        tabIndex={0}
        aria-label={`${label}. ${words}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={at ?? 0}
        aria-valuetext={point ?? 'No point is chosen. Use the arrow keys.'}
        onKeyDown={move}
      />
      <figcaption aria-hidden="true">
        {isLost
          ? 'The drawing could not be loaded. The table has its values.'
          : (point ?? 'Point at the drawing, or use the arrow keys, to read values.')}
      </figcaption>
      <ValuesTable
        label={label}
        columns={[x.label, ...series.map((each) => each.label)]}
        numRows={x.values.length}
        cellsOf={(i) => [
          rounded(Number(x.values[i])),
          ...series.map((each) => valueInWords(each, i)),
        ]}
      />
    </figure>
  );
}

function Legend({ series }: Pick<CurveProps, 'series'>) {
  return (
    <ul class="legend">
      {series.map((each, i) => (
        <li key={each.label}>
          <svg width="34" height="8" aria-hidden="true" data-colour={i % COLOURS.length}>
            <line x1="1" x2="33" y1="4" y2="4" stroke-dasharray={dashOf(i).join(' ')} />
          </svg>
          {each.label}
        </li>
      ))}
    </ul>
  );
}
