import { useLayoutEffect, useState } from 'preact/hooks';

/**
 * Width of an element in whole pixels, as it changes; 0 before the first layout. The element is there from the first
 * rendering on.
 */
export function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  // Before the page is painted, so that nothing moves afterwards.
  useLayoutEffect(() => {
    if (element.current === null) return;
    const host = element.current;
    const read = () => setWidth(Math.floor(host.clientWidth));
    const sizes = new ResizeObserver(read);
    sizes.observe(host);
    read();
    return () => sizes.disconnect();
  }, []);
  return width;
}
