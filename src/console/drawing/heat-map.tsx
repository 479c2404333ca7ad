/** A heat map of values over two axes, with its values in words and as a table. */
import './heat-map.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { rounded } from '../numbers.ts';
import { ValuesTable } from '../shell/table.tsx';
import {
  type Axis,
  cellInWords,
  extremesOf,
  type Field,
  fieldInWords,
  GRADIENT,
  pixelsOf,
  valueInWords,
} from './plot-data.ts';

/**
 * Draws the field. New values may be given at any time; missing ones stay blank. The pointer and the arrow keys
 * choose a point; the least value is chosen at first.
 */
export function HeatMap({ field }: { readonly field: Field }) {
  const { x, y, values, label } = field;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [chosen, setChosen] = useState<number>();
  const [width, height] = [x.values.length, y.values.length];
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (width > 0 && height > 0) {
      context?.putImageData(new ImageData(pixelsOf(field), width, height), 0, 0);
    }
  }, [field]);

  const extremes = extremesOf(values);
  const at = Math.min(chosen ?? extremes?.least ?? 0, width * height - 1);
  const [column, row] = [at % width, Math.floor(at / width)];
  const choose = (i: number, j: number) =>
    setChosen(Math.max(0, Math.min(width - 1, i)) + width * Math.max(0, Math.min(height - 1, j)));
  const onKey = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [column - 1, row],
      ArrowRight: [column + 1, row],
      ArrowUp: [column, row + 1],
      ArrowDown: [column, row - 1],
      Home: [0, row],
      End: [width - 1, row],
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose(...step);
  };
  const onPointer = ({ clientX, clientY, currentTarget }: PointerEvent) => {
    if (!(currentTarget instanceof HTMLElement)) return;
    const box = currentTarget.getBoundingClientRect();
    const i = Math.floor(((clientX - box.left) / box.width) * width);
    choose(i, height - 1 - Math.floor(((clientY - box.top) / box.height) * height));
  };
  const point = cellInWords(field, at);
  return (
    <figure class="heat-map">
      <div class="scale-y" aria-hidden="true">
        {scaleOf(y)
          .toReversed()
          .map((text, i) => (
            <span key={i}>{text}</span>
          ))}
      </div>
      <div
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={`${label} by ${x.label} and ${y.label}. ${fieldInWords(field)}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, width * height - 1)}
        aria-valuenow={at}
        aria-valuetext={point}
        onKeyDown={onKey}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
      >
        <canvas ref={canvas} width={width} height={height} />
        <div
          class="mark"
          style={{
            left: `${(100 * column) / width}%`,
            bottom: `${(100 * row) / height}%`,
            width: `${100 / width}%`,
            height: `${100 / height}%`,
          }}
        />
      </div>
      <div class="scale-x" aria-hidden="true">
        {scaleOf(x).map((text, i) => (
          <span key={i}>{text}</span>
        ))}
      </div>
      {extremes !== undefined && (
        <div class="bar-of-values" aria-hidden="true">
          {rounded(Number(values[extremes.least]))}
          <div style={{ background: GRADIENT }} />
          {rounded(Number(values[extremes.greatest]))}
        </div>
      )}
      <figcaption aria-hidden="true">{point}</figcaption>
      <ValuesTable
        label={label}
        columns={[x.label, y.label, label]}
        numRows={width * height}
        cellsOf={(index) => [
          rounded(Number(x.values[index % width])),
          rounded(Number(y.values[Math.floor(index / width)])),
          valueInWords(field, index),
        ]}
      />
    </figure>
  );
}

/** First value, name and last value of an axis. */
function scaleOf({ label, values }: Axis): readonly string[] {
  const [first, last] = [Number(values[0]), Number(values[values.length - 1])];
  return [rounded(first), label, rounded(last)];
}
