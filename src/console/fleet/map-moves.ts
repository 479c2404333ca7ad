/** Moves from tile to tile by arrow keys, independent of the layout of the tiles. */

/** Position of a tile on the screen. */
export interface TilePlace {
  readonly id: string;
  /** Left and top edge in pixels. */
  readonly x: number;
  readonly y: number;
}

const DIRECTIONS: Readonly<Record<string, { readonly dx: number; readonly dy: number }>> = {
  ArrowLeft: { dx: -1, dy: 0 },
  ArrowRight: { dx: 1, dy: 0 },
  ArrowUp: { dx: 0, dy: -1 },
  ArrowDown: { dx: 0, dy: 1 },
};

/** Weight of the distance across the direction of the arrow. */
const ASIDE = 3;

/**
 * Id of the tile that a key moves to; undefined for other keys, and if there is no tile in that direction.
 *
 * An arrow moves to the nearest tile in its direction, Home and End to the first and last tile.
 */
export function tileAfterKey(
  tiles: readonly TilePlace[],
  from: string,
  key: string,
): string | undefined {
  if (key === 'Home') return tiles[0]?.id;
  if (key === 'End') return tiles.at(-1)?.id;
  const direction = DIRECTIONS[key];
  const start = tiles.find(({ id }) => id === from);
  if (direction === undefined || start === undefined) return undefined;
  const { dx, dy } = direction;
  let nearest: { readonly id: string; readonly cost: number } | undefined;
  for (const { id, x, y } of tiles) {
    const ahead = (x - start.x) * dx + (y - start.y) * dy;
    const aside = Math.abs((x - start.x) * dy) + Math.abs((y - start.y) * dx);
    const cost = ahead + ASIDE * aside;
    if (ahead >= 1 && (nearest === undefined || cost < nearest.cost)) nearest = { id, cost };
  }
  return nearest?.id;
}
