/** Shows the circuit as a drawing and as a list, with the angles of the current measurements. */

import { byId, drawnToWidth, html, svg } from '../dom.ts';
import { plain } from '../numbers.ts';
import { angleOf, featureOf } from './circuit-angles.ts';
import { BOX, layoutCircuit, type Mark, type PlacedGate } from './circuit-layout.ts';
import { circuitInWords, operationInWords } from './circuit-words.ts';
import type { DemoFacts } from './demo-facts.ts';

/**
 * Creates drawing and list.
 *
 * @returns A function that shows an input.
 */
export function createCircuit(facts: DemoFacts): (input: readonly number[]) => void {
  const { circuit, features } = facts;
  const layers = `${circuit.layers} ${circuit.layers === 1 ? 'layer' : 'layers'}`;
  byId('circuit-note').textContent =
    `${layers} on ${circuit.qubits} qubits. Gates that bear the name of a measurement turn with it as you ` +
    `move its slider; how far they do, and all other angles, was set by training: ` +
    `${circuit.parameters} numbers. Angles are radians.`;
  const figure = byId('circuit-drawing');
  let input: readonly number[] = features.map(({ typical }) => typical);
  const redraw = drawnToWidth(figure, (width) => {
    figure.replaceChildren(drawCircuit(facts, input, width));
  });
  const items = circuit.operations.map(() => html('li'));
  byId('circuit-list').append(...items);
  return (next) => {
    input = next;
    redraw();
    for (const [index, operation] of circuit.operations.entries()) {
      const item = items[index];
      if (item !== undefined) item.textContent = operationInWords(operation, features, input);
    }
  };
}

function drawCircuit(facts: DemoFacts, input: readonly number[], room: number): SVGSVGElement {
  const { circuit, shots } = facts;
  const { width, height, left, wires, gates, measuredAt } = layoutCircuit(circuit, room);
  return svg(
    'svg',
    {
      width,
      height,
      role: 'img',
      'aria-label': `${circuitInWords(circuit, shots)} The list below names each gate.`,
    },
    ...wires.flatMap((y, qubit) => [
      svg('line', { x1: left, x2: measuredAt, y1: y, y2: y, class: 'wire' }),
      svg('text', { x: left - 12, y: y + 4, 'text-anchor': 'end', class: 'qubit' }, `q${qubit}`),
    ]),
    ...gates.map((gate) => drawGate(facts, gate, input)),
    ...wires.map((y) => drawMeasurement(measuredAt, y)),
  );
}

function drawGate(
  { features }: DemoFacts,
  gate: PlacedGate,
  input: readonly number[],
): SVGGElement {
  const feature = featureOf(gate.operation, features);
  const angle = angleOf(gate.operation, features, input);
  const group = svg('g', { class: feature === undefined ? 'gate' : 'gate encoding' });
  if (gate.bottom > gate.top) {
    group.append(
      svg('line', { x1: gate.x, x2: gate.x, y1: gate.top, y2: gate.bottom, class: 'link' }),
    );
  }
  for (const mark of gate.marks) group.append(...drawMark(gate, mark, angle));
  if (feature !== undefined) {
    const y = (gate.marks[0]?.y ?? 0) - BOX.height / 2 - 5;
    group.append(
      svg(
        'text',
        { x: gate.x, y, 'text-anchor': 'middle', class: 'feature' },
        shortName(feature.name),
      ),
    );
  }
  return group;
}

/** Shortens a name to fit a box: "petal L" for "petal length". */
function shortName(name: string): string {
  const [part = '', ...rest] = name.split(' ');
  return [part, ...rest.map((word) => word.slice(0, 1).toUpperCase())].join(' ');
}

function drawMark(
  { x, operation }: PlacedGate,
  { kind, y }: Mark,
  angle: number | undefined,
): readonly Node[] {
  const write = (className: string, below: number, text: string) =>
    svg('text', { x, y: y + below, 'text-anchor': 'middle', class: className }, text);

  switch (kind) {
    case 'dot':
      return [svg('circle', { cx: x, cy: y, r: 4.5, class: 'control' })];
    case 'plus':
      return [
        svg('circle', { cx: x, cy: y, r: 10, class: 'target' }),
        svg('path', {
          d: `M ${x - 10} ${y} H ${x + 10} M ${x} ${y - 10} V ${y + 10}`,
          class: 'cross',
        }),
      ];
    case 'box': {
      const { width, height } = BOX;
      // The drawing shows controls separately: CRY is a controlled RY.
      const name =
        operation.controls.length === 0 ? operation.gate : operation.gate.replace(/^C+/, '');
      return [
        svg('rect', { x: x - width / 2, y: y - height / 2, width, height, rx: 7, class: 'box' }),
        write('name', angle === undefined ? 5 : -3, name),
        ...(angle === undefined ? [] : [write('angle', 15, plain(angle, 2))]),
      ];
    }
  }
}

/** Draws a meter symbol. */
function drawMeasurement(x: number, y: number): SVGGElement {
  return svg(
    'g',
    { class: 'measurement' },
    svg('rect', { x: x - 17, y: y - 17, width: 34, height: 34, rx: 7, class: 'box' }),
    svg('path', { d: `M ${x - 10} ${y + 7} A 10 10 0 0 1 ${x + 10} ${y + 7}` }),
    svg('path', { d: `M ${x} ${y + 7} L ${x + 7} ${y - 7}` }),
  );
}
