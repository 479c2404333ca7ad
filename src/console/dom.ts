/** Creates elements, and finds those of the page. */

type Attributes = Readonly<Record<string, string | number>>;
type Child = Node | string;

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an HTML element. */
export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return filled(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled<E extends Element>(
  element: E,
  attributes: Attributes,
  children: readonly Child[],
): E {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Finds the element with an id in the page's HTML. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`unreachable: the page has no element ${id}`);
  return element;
}

/**
 * Draws at once, and again whenever the element's width changes.
 *
 * @returns A function that redraws.
 */
export function drawnToWidth(element: Element, draw: (width: number) => void): () => void {
  let width = 0;
  const redraw = () => {
    if (width > 0) draw(width);
  };
  new ResizeObserver(() => {
    const now = Math.floor(element.clientWidth);
    if (now === width) return;
    width = now;
    redraw();
  }).observe(element);
  width = Math.floor(element.clientWidth);
  redraw();
  return redraw;
}
