/** Places of qubits and outlines of detecting regions at one time, in pixels. */
import type { DetectingRegion, StimTimeline } from '../live-state/messages.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A region to draw. */
export interface PlacedRegion {
  readonly name: string;
  /** `X`, `Y`, `Z`, or `mixed`. */
  readonly look: string;
  /** Outline around its qubits. */
  readonly path: string;
  /** Whether the outline encloses nothing: a line, or a point. */
  readonly isLine: boolean;
  /** One letter in the middle, or one near each qubit where they differ. */
  readonly letters: readonly (Point & { readonly text: string })[];
  readonly title: string;
}

/** A drawing of the regions at one time. */
export interface SliceLayout {
  readonly width: number;
  readonly height: number;
  readonly qubits: readonly (Point & { readonly qubit: number })[];
  readonly regions: readonly PlacedRegion[];
}

/** Distance of the two nearest qubits. */
const STEP = 60;
/** Distance of a letter from a qubit on which it would stand. */
const ASIDE = 15;
const MARGIN = 30;

/**
 * Lays out regions by the first two coordinates of qubits. Qubits without coordinates are in a row below the others.
 */
export function layoutSlice(
  { qubits, places }: Pick<StimTimeline, 'qubits' | 'places'>,
  regions: readonly DetectingRegion[],
): SliceLayout {
  const points = pointsOf(qubits, places);
  const all = [...points.values()];
  const extent = (axis: 'x' | 'y') => Math.max(0, ...all.map((point) => point[axis])) + MARGIN;
  return {
    width: extent('x'),
    height: extent('y'),
    qubits: [...points].map(([qubit, point]) => ({ qubit, ...point })),
    regions: regions.map((region) => placed(region, points)),
  };
}

function pointsOf(
  qubits: readonly number[],
  places: StimTimeline['places'],
): ReadonlyMap<number, Point> {
  const known = new Map(places.map(([qubit, [x = 0, y = 0]]) => [qubit, { x, y }]));
  const given = qubits.flatMap((qubit) => known.get(qubit) ?? []);
  const nearest = nearestDistance(given) ?? 1;
  const least = (axis: 'x' | 'y') => Math.min(...given.map((point) => point[axis]));
  const [left, top] = given.length === 0 ? [0, 0] : [least('x'), least('y')];
  const rowY = given.length === 0 ? 0 : Math.max(...given.map(({ y }) => y)) - top + nearest;
  let next = 0;
  return new Map(
    qubits.map((qubit) => {
      const at = known.get(qubit);
      const [x, y] = at === undefined ? [nearest * next++, rowY] : [at.x - left, at.y - top];
      return [qubit, { x: MARGIN + (x * STEP) / nearest, y: MARGIN + (y * STEP) / nearest }];
    }),
  );
}

/** Least distance between two places; undefined if there are no two. */
function nearestDistance(points: readonly Point[]): number | undefined {
  const ordered = points.toSorted((a, b) => a.x - b.x);
  let nearest = Number.POSITIVE_INFINITY;
  for (const [i, one] of ordered.entries()) {
    for (const other of ordered.slice(i + 1)) {
      if (other.x - one.x >= nearest) break;
      const distance = Math.hypot(other.x - one.x, other.y - one.y);
      if (distance > 0) nearest = Math.min(nearest, distance);
    }
  }
  return Number.isFinite(nearest) ? nearest : undefined;
}

function placed(
  { name, paulis }: DetectingRegion,
  points: ReadonlyMap<number, Point>,
): PlacedRegion {
  const corners = paulis.flatMap(([qubit, pauli]) => {
    const point = points.get(qubit);
    return point === undefined ? [] : [{ ...point, pauli }];
  });
  const sum = (axis: 'x' | 'y') => corners.reduce((total, corner) => total + corner[axis], 0);
  const centre = { x: sum('x') / corners.length, y: sum('y') / corners.length };
  const angle = (corner: Point) => Math.atan2(corner.y - centre.y, corner.x - centre.x);
  const outline = corners.toSorted((a, b) => angle(a) - angle(b));
  const [first] = corners;
  const isUniform = corners.every(({ pauli }) => pauli === first?.pauli);
  const letters = isUniform
    ? [{ ...centre, text: first?.pauli ?? '' }]
    : corners.map(({ x, y, pauli }) => ({
        x: x + 0.28 * (centre.x - x),
        y: y + 0.28 * (centre.y - y),
        text: pauli,
      }));
  return {
    name,
    look: isUniform ? (first?.pauli ?? '') : 'mixed',
    path: `M ${outline.map(({ x, y }) => `${round(x)} ${round(y)}`).join(' L ')} Z`,
    isLine: Math.abs(areaOf(outline)) < 1,
    letters: letters.map((letter) => aside(letter, points)),
    title: `${name}: ${paulis.map(([qubit, pauli]) => `${pauli}${qubit}`).join(' ')}`,
  };
}

/** A letter below the qubit on which it would stand. */
function aside<Letter extends Point>(letter: Letter, points: ReadonlyMap<number, Point>): Letter {
  const isOnQubit = [...points.values()].some(
    ({ x, y }) => Math.hypot(x - letter.x, y - letter.y) < ASIDE / 2,
  );
  return isOnQubit ? { ...letter, y: letter.y + ASIDE } : letter;
}

const round = (value: number): number => Math.round(10 * value) / 10;

/** Area of a polygon, negative if its corners go round clockwise. */
function areaOf(corners: readonly Point[]): number {
  return corners.reduce((area, { x, y }, i) => {
    const next = corners[(i + 1) % corners.length] ?? { x, y };
    return area + (x * next.y - next.x * y) / 2;
  }, 0);
}
