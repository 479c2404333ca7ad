/** Chips of a TPU zone, a square each. What they show is beside them in words. */
import './chips.css';
import { type Slice, squaresOf } from './tpu-map.ts';

/** Draws the chips of one type. */
export function Chips({ slices }: { readonly slices: readonly Slice[] }) {
  return (
    <div class="chips" aria-hidden="true">
      {squaresOf(slices).map(({ kind }, index) => (
        <i key={index} data-kind={kind} />
      ))}
    </div>
  );
}
