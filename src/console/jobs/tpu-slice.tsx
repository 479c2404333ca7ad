/** The chips of a TPU job on the map of its zone. */
import type { TpuJob } from '../../client/api-types.ts';
import { Chips } from '../fleet/chips.tsx';
import { sliceInWords, sliceInZone } from '../fleet/tpu-map.ts';
import { useResource } from '../shell/resource.ts';

/** Draws the zone with the job's slice. The size of the zone is that of the fleet. */
export function TpuSlice({ job }: { readonly job: TpuJob }) {
  const { data } = useResource('GET /tpu/fleet', {});
  const slice = data && sliceInZone(data, job);
  if (slice === undefined) return null;
  return (
    <section class="card" aria-label="Slice">
      <h2>Slice (modelled)</h2>
      <div class="slice">
        <Chips slices={slice} />
      </div>
      <p class="small">{sliceInWords(slice, job)}</p>
    </section>
  );
}
