/**
 * Alternating trees: outer regions, which grow, and inner ones, which shrink, joined by edges that are tight. The root
 * and the leaves are outer, and each inner region has one child, to which it was matched. So a node of a tree is an
 * inner region and its child; at the root it is an outer region alone.
 *
 * @see Higgott & Gidney, "Sparse Blossom", 2023, section 5.
 */
import { Links } from './links.ts';
import type { Regions } from './regions.ts';

/** Columns of the nodes of all trees; node 0 is none. */
export class AlternatingTrees {
  readonly inner: Int32Array;
  readonly outer: Int32Array;
  /** Edge from the inner to the outer region. */
  readonly matchLinks: Links;
  readonly parent: Int32Array;
  /** Edge from the inner region to the parent's outer one. */
  readonly parentLinks: Links;
  /** The first child, and the next and the previous one of the same parent. */
  readonly child: Int32Array;
  readonly next: Int32Array;
  readonly #previous: Int32Array;
  readonly #regions: Regions;
  /** The search for a common ancestor that saw the node last, and the number of searches. */
  readonly #seen: Int32Array;
  #searches = 0;
  #end = 1;
  readonly #free: number[] = [];

  /** @param numDetectors - As many trees as events there may be, and no more nodes. */
  constructor(regions: Regions, numDetectors: number) {
    this.#regions = regions;
    const size = numDetectors + 1;
    const column = () => new Int32Array(size);
    this.inner = column();
    this.outer = column();
    this.matchLinks = new Links(size);
    this.parent = column();
    this.parentLinks = new Links(size);
    this.child = column();
    this.next = column();
    this.#previous = column();
    this.#seen = column();
  }

  /** A node without parent and children; `inner` is 0 for a root. */
  add(inner: number, outer: number): number {
    const node = this.#free.pop() ?? this.#end++;
    this.inner[node] = inner;
    this.outer[node] = outer;
    this.parent[node] = 0;
    this.child[node] = 0;
    this.#seen[node] = 0;
    if (inner !== 0) this.#regions.tree[inner] = node;
    this.#regions.tree[outer] = node;
    return node;
  }

  /** Takes a node away; its regions are in no tree. */
  remove(node: number): void {
    this.#regions.tree[this.inner[node]!] = 0;
    this.#regions.tree[this.outer[node]!] = 0;
    this.#free.push(node);
  }

  /** Ends a shot. */
  clear(): void {
    this.#end = 1;
    this.#free.length = 0;
    this.#searches = 0;
  }

  /** Puts a node below another; the edge between them is to be set. */
  attach(node: number, parent: number): void {
    const first = this.child[parent]!;
    this.parent[node] = parent;
    this.next[node] = first;
    this.#previous[node] = 0;
    this.#previous[first] = node;
    this.child[parent] = node;
  }

  /** Takes a node from its parent. */
  detach(node: number): void {
    const [previous, next] = [this.#previous[node]!, this.next[node]!];
    if (previous === 0) this.child[this.parent[node]!] = next;
    else this.next[previous] = next;
    this.#previous[next] = previous;
    this.parent[node] = 0;
  }

  /** Whether a node is a whole tree. */
  isAlone(node: number): boolean {
    return this.parent[node] === 0 && this.child[node] === 0;
  }

  /** Turns the edges on the way to the root, so that the node becomes the root. */
  becomeRoot(node: number): void {
    const path = [node];
    for (let each = this.parent[node]!; each !== 0; each = this.parent[each]!) path.push(each);
    for (let i = path.length - 2; i >= 0; i--) {
      const [below, root] = [path[i]!, path[i + 1]!];
      this.detach(below);
      const inner = this.inner[below]!;
      this.inner[root] = inner;
      this.#regions.tree[inner] = root;
      this.matchLinks.copy(root, this.parentLinks, below);
      this.parentLinks.copy(root, this.matchLinks, below);
      this.inner[below] = 0;
      this.attach(root, below);
    }
  }

  /** The nearest node that is above both, or one of them; 0 if they are of different trees. */
  commonAncestor(node: number, other: number): number {
    const search = ++this.#searches;
    let [a, b] = [node, other];
    while (a !== 0 || b !== 0) {
      if (a !== 0) {
        if (this.#seen[a] === search) return a;
        this.#seen[a] = search;
        a = this.parent[a]!;
      }
      if (b !== 0) {
        if (this.#seen[b] === search) return b;
        this.#seen[b] = search;
        b = this.parent[b]!;
      }
    }
    return 0;
  }

  /** The node and all below it, parents first. */
  within(node: number): readonly number[] {
    const all = [node];
    for (const each of all) {
      for (let child = this.child[each]!; child !== 0; child = this.next[child]!) all.push(child);
    }
    return all;
  }
}
