/** A small curve over the last minutes, with its figures in words beside it. */
import { span } from '../numbers.ts';
import { type Point, SPARK, sparkShape } from './fleet-history.ts';

interface SparklineProps {
  /** Quantity of the curve: "Load". */
  readonly label: string;
  readonly points: readonly Point[];
  /** Value at the upper edge, unless a point lies higher. */
  readonly top: number;
  /** Writes a value. */
  readonly write: (value: number) => string;
}

/** Draws points that were computed from measured counts. */
export function Sparkline({ label, points, top, write }: SparklineProps) {
  const shape = sparkShape(points, top);
  return (
    <figure class="spark">
      <figcaption>
        {label} <span class="basis">measured</span>
      </figcaption>
      {shape === undefined ? (
        <p class="small">The curve starts with the next measurement.</p>
      ) : (
        <>
          <svg
            viewBox={`0 0 ${SPARK.width} ${SPARK.height}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`${label} over the last ${span(shape.spanMs)}: at most ${write(shape.greatest)}, ${write(shape.last)} now`}
          >
            <path class="spark-area" d={shape.area} />
            <path class="spark-line" d={shape.line} vector-effect="non-scaling-stroke" />
          </svg>
          <p class="spark-figures">
            <strong>{write(shape.last)}</strong> now · at most {write(shape.greatest)} in the last{' '}
            {span(shape.spanMs)}
          </p>
        </>
      )}
    </figure>
  );
}
