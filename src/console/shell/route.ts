/** Addresses of the console: `#/jobs/circ_1?state=failed` is the page `jobs` with the rest `circ_1` and a query. */
import { signal } from '@preact/signals';

export interface Place {
  /** Name of a page; empty for the first one. */
  readonly page: string;
  /** Parts of the path after the page. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

/** Reads the part of an address after `#`. */
function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s);
  const [page = '', ...rest] = path.split('/').map(decoded);
  return { page, rest, query: new URLSearchParams(query) };
}

/** The part of an address after `#`, with the `#`. Parameters that are undefined are left out. */
export function hashOf(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, value);
  }
  return `#/${path.map(encodeURIComponent).join('/')}${search.size === 0 ? '' : `?${search}`}`;
}

/** Decodes a text; one that is no valid encoding is returned unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Place that the page shows. The first one is known at once: the modules of another page are not loaded. */
export const place = signal<Place>(placeOf(typeof location === 'undefined' ? '' : location.hash));

/**
 * Follows the address of the window from now on. A page that a link leads to is seen from its beginning; Back leads to
 * where its page was scrolled to, which the browser does.
 */
export function followAddress(): void {
  let isByLink = false;
  window.addEventListener('click', ({ target }) => {
    isByLink = target instanceof Element && target.closest('a[href^="#/"]') !== null;
  });
  const read = () => {
    const before = place.peek();
    place.value = placeOf(window.location.hash);
    if (isByLink && place.peek().page !== before.page)
      window.scrollTo({ top: 0, behavior: 'instant' });
    isByLink = false;
  };
  window.addEventListener('hashchange', read);
  read();
}

/** Goes to an address of the console. With `isReplaced` the present one is left out of the history. */
export function goTo(hash: string, isReplaced = false): void {
  if (!isReplaced) {
    window.location.hash = hash;
    return;
  }
  window.history.replaceState(null, '', hash);
  place.value = placeOf(hash);
}
