/** Conditional requests: RFC 9110, section 13.1.2. */

/**
 * Whether If-None-Match names a tag, by weak comparison.
 *
 * @param opaque - The tag in its quotes.
 */
export function isKnown(header: string | undefined, opaque: string): boolean {
  const tags = header?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? [];
  return tags.some((tag) => tag === opaque || tag === '*');
}
