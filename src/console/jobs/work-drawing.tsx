/** The drawing that says most about a result, for the works that have one. Their fields follow below it. */
import { useMemo } from 'preact/hooks';
import { Curve } from '../drawing/curve.tsx';
import { Graph } from '../drawing/graph.tsx';
import { springLayout } from '../drawing/graph-layout.ts';
import { useResource } from '../shell/resource.ts';
import { Bb84Drawing } from './bb84-drawing.tsx';
import { bb84Of } from './bb84-shape.ts';
import type { Fields } from './result-shape.ts';
import {
  type CurveShape,
  cutOf,
  type GraphShape,
  layoutOf,
  noiseScanOf,
  sweepOf,
  tourOf,
} from './work-shapes.ts';

interface Work {
  readonly result: Fields;
  readonly input: Fields;
}

/** Draws the result of a work: `agent/task` or `tpu/job_type`. */
export function WorkDrawing({ work, result, input }: Work & { readonly work: string }) {
  switch (work) {
    case 'research/parameter_sweep':
      return <CurvePart shape={sweepOf(result, input)} />;
    case 'research/noise_scan':
      return <CurvePart shape={noiseScanOf(result)} />;
    case 'tpu/optimization':
      return <GraphPart shape={cutOf(result, input)} />;
    case 'robotics/routing':
      return <GraphPart shape={tourOf(result, input)} />;
    case 'security/bb84':
      return <Bb84Part result={result} />;
    case 'design/route':
      return <LayoutPart result={result} input={input} />;
    default:
      return null;
  }
}

function Bb84Part({ result }: { readonly result: Fields }) {
  const shape = bb84Of(result);
  return shape === undefined ? null : <Bb84Drawing shape={shape} />;
}

function CurvePart({ shape }: { readonly shape: CurveShape | undefined }) {
  return shape === undefined ? null : <Curve {...shape} />;
}

function GraphPart({ shape }: { readonly shape: GraphShape | undefined }) {
  const places = useMemo(
    () =>
      shape &&
      (shape.places ??
        springLayout(
          shape.nodes.length,
          shape.edges.map(({ ends }) => ends),
        )),
    [JSON.stringify(shape)],
  );
  if (shape === undefined || places === undefined) return null;
  return (
    <figure class="work-graph">
      <Graph words={shape.words} places={places} nodes={shape.nodes} edges={shape.edges} />
      <figcaption class="small">{shape.words}</figcaption>
    </figure>
  );
}

/** The couplers are those of the emulated device of the same name. */
function LayoutPart({ result, input }: Work) {
  const device = input['device'];
  const { data } = useResource(
    'GET /quantum/processors/{processor_id}',
    { path: { processor_id: `emulator-${String(device)}` } },
    { isOff: typeof device !== 'string' },
  );
  const couplers = data?.coupling_map;
  return <GraphPart shape={couplers && layoutOf(result, couplers)} />;
}
