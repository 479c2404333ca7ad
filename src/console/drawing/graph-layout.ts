/** Parts of a drawn graph, and places for its nodes. */

/** A place, in units of the drawing. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A node of a drawing. */
export interface GraphNode {
  readonly label: string;
  /** Class of the node: plain, or one of two groups. Groups differ by their shape, too. */
  readonly group: 'plain' | 'first' | 'second';
}

/** An edge of a drawing. */
export interface GraphEdge {
  readonly ends: readonly [number, number];
  /** True for edges that matter: those of a cut or a tour. */
  readonly isStrong: boolean;
}

type Pair = readonly [number, number];

/** Rounds of the layout. Fewer for large graphs, whose rounds cost the square of their nodes. */
const ROUNDS = 400;
const MAX_STEPS = 6_000_000;

/**
 * Places nodes so that neighbours are near each other and others apart: springs between neighbours, repulsion
 * between all. The same graph always gets the same places.
 *
 * @returns Places within the unit square.
 * @see Fruchterman & Reingold, Graph drawing by force-directed placement (1991).
 */
export function springLayout(numNodes: number, edges: readonly Pair[]): readonly Point[] {
  const { xs, ys } = startOf(numNodes, edges);
  const length = Math.sqrt(1 / Math.max(1, numNodes));
  const rounds = Math.min(ROUNDS, Math.ceil(MAX_STEPS / Math.max(1, numNodes * numNodes)));
  for (let round = 0; round < rounds; round += 1) {
    const dx = new Float64Array(numNodes);
    const dy = new Float64Array(numNodes);
    const push = (a: number, b: number, force: number, x: number, y: number) => {
      dx[a] = (dx[a] ?? 0) + x * force;
      dy[a] = (dy[a] ?? 0) + y * force;
      dx[b] = (dx[b] ?? 0) - x * force;
      dy[b] = (dy[b] ?? 0) - y * force;
    };
    for (let a = 0; a < numNodes; a += 1) {
      for (let b = a + 1; b < numNodes; b += 1) {
        const x = (xs[a] ?? 0) - (xs[b] ?? 0);
        const y = (ys[a] ?? 0) - (ys[b] ?? 0);
        push(a, b, (length * length) / Math.max(1e-6, x * x + y * y), x, y);
      }
    }
    for (const [a, b] of edges) {
      const x = (xs[a] ?? 0) - (xs[b] ?? 0);
      const y = (ys[a] ?? 0) - (ys[b] ?? 0);
      push(a, b, -Math.hypot(x, y) / length, x, y);
    }
    // Steps become smaller, so that the graph comes to rest.
    const step = 0.1 * (1 - round / rounds);
    for (let i = 0; i < numNodes; i += 1) {
      const size = Math.hypot(dx[i] ?? 0, dy[i] ?? 0);
      const part = size === 0 ? 0 : Math.min(size, step) / size;
      xs[i] = (xs[i] ?? 0) + (dx[i] ?? 0) * part;
      ys[i] = (ys[i] ?? 0) + (dy[i] ?? 0) * part;
    }
  }
  return fitted(Array.from(xs, (x, i) => ({ x, y: ys[i] ?? 0 })));
}

/** Numbers of neighbouring qubits of a device are near each other, so rows of them are a good start. */
function startOf(numNodes: number, edges: readonly Pair[]) {
  const isRing = edges.length <= numNodes;
  const columns = Math.ceil(Math.sqrt(numNodes));
  const place = (i: number): Pair => {
    const angle = (2 * Math.PI * i) / numNodes;
    // A little disorder keeps nodes from standing on one line, where nothing pushes them apart.
    const off = 0.02 * Math.sin(12.9898 * (i + 1));
    if (isRing) return [Math.cos(angle) + off, Math.sin(angle)];
    return [(i % columns) / columns + off, Math.floor(i / columns) / columns - off];
  };
  const places = Array.from({ length: numNodes }, (_, i) => place(i));
  return {
    xs: Float64Array.from(places, ([x]) => x),
    ys: Float64Array.from(places, ([, y]) => y),
  };
}

/** Moves and scales points into the unit square; their proportions stay. */
export function fitted(points: readonly Point[]): readonly Point[] {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  const size = Math.max(Math.max(...xs) - left, Math.max(...ys) - top) || 1;
  return points.map(({ x, y }) => ({ x: (x - left) / size, y: (y - top) / size }));
}
