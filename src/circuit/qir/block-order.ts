/**
 * Order in which the blocks of a function run while its paths are followed: a block runs when no other one that waits
 * can lead to it, except by way of the head of a loop. Paths that meet are then joined before they go on.
 *
 * @see Bourdoncle, "Efficient chaotic iteration strategies with widenings", FMPA (1993): weak topological order.
 */
import type { Block, Instruction } from './llvm-module.ts';

/** Order of a function's blocks, by their names. */
export interface BlockOrder {
  readonly places: ReadonlyMap<string, number>;
  /** For the head of each loop, the blocks of the loop. */
  readonly loops: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Blocks that an instruction may lead to. */
function targetsOf(last: Instruction): readonly string[] {
  switch (last.op) {
    case 'jump':
      return [last.to];
    case 'branch':
      return [last.whenTrue, last.whenFalse];
    case 'switch':
      return [...last.cases.map(([, to]) => to), last.otherwise];
    default:
      return [];
  }
}

/** Orders the blocks that the first one leads to. */
export function blockOrder(blocks: readonly Block[]): BlockOrder {
  const numbers = new Map(blocks.map(({ name }, i) => [name, i]));
  const next = blocks.map(({ instructions }) =>
    targetsOf(instructions.at(-1)!).flatMap((name) => numbers.get(name) ?? []),
  );
  const places = new Map<string, number>();
  const loops = new Map<string, ReadonlySet<string>>();
  // Parts that are still to be ordered, the next one last.
  const open: { readonly nodes: ReadonlySet<number>; readonly start: number }[] = [
    { nodes: new Set(blocks.keys()), start: 0 },
  ];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const within = part.nodes;
    if (within.size === 1 && !next[part.start]!.includes(part.start)) {
      places.set(blocks[part.start]!.name, places.size);
      continue;
    }
    const components = strongComponents(part.start, within, next);
    const whole = components.length === 1 && components[0]!.length > 0 ? components[0] : undefined;
    if (whole === undefined) {
      for (const component of components) {
        open.push({ nodes: new Set(component), start: component.at(-1)! });
      }
      continue;
    }
    // A loop: its head comes first, and then the rest without the edges to the head.
    const head = whole.at(-1)!;
    places.set(blocks[head]!.name, places.size);
    loops.set(blocks[head]!.name, new Set(whole.map((node) => blocks[node]!.name)));
    const rest = new Set(whole);
    rest.delete(head);
    for (const component of componentsFrom(next[head]!, rest, next)) {
      open.push({ nodes: new Set(component), start: component.at(-1)! });
    }
  }
  return { places, loops };
}

const strongComponents = (
  start: number,
  within: ReadonlySet<number>,
  next: readonly (readonly number[])[],
) => componentsFrom([start], within, next);

/**
 * Strongly connected components of the nodes that some nodes lead to, each after those that it leads to; the last node
 * of a component is the one that was reached first.
 *
 * @see Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1 (1972).
 */
function componentsFrom(
  starts: readonly number[],
  within: ReadonlySet<number>,
  next: readonly (readonly number[])[],
): readonly (readonly number[])[] {
  const order = new Map<number, number>();
  const lowest = new Map<number, number>();
  const waiting: number[] = [];
  const isWaiting = new Set<number>();
  const found: number[][] = [];
  for (const start of starts) {
    if (!within.has(start) || order.has(start)) continue;
    const path: { readonly node: number; edge: number }[] = [];
    const enter = (node: number) => {
      order.set(node, order.size);
      lowest.set(node, order.get(node)!);
      waiting.push(node);
      isWaiting.add(node);
      path.push({ node, edge: 0 });
    };
    enter(start);
    while (path.length > 0) {
      const top = path.at(-1)!;
      const to = next[top.node]![top.edge++];
      if (to !== undefined) {
        if (!within.has(to)) continue;
        if (!order.has(to)) enter(to);
        else if (isWaiting.has(to)) {
          lowest.set(top.node, Math.min(lowest.get(top.node)!, order.get(to)!));
        }
        continue;
      }
      path.pop();
      const below = path.at(-1);
      if (below !== undefined) {
        lowest.set(below.node, Math.min(lowest.get(below.node)!, lowest.get(top.node)!));
      }
      if (lowest.get(top.node) !== order.get(top.node)) continue;
      const component = waiting.splice(waiting.lastIndexOf(top.node)).reverse();
      for (const node of component) isWaiting.delete(node);
      found.push(component);
    }
  }
  return found;
}
