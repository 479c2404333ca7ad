/** Greedy shrinking of a case: parts of its arrays are left out for as long as it still fails. */

type Json = unknown;

/** Cases with one run of array elements, or one optional field, left out; longest runs first. */
function* smaller(value: Json): Generator<Json> {
  yield* shortened(value);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    for (const less of smaller(part)) {
      yield Array.isArray(value) ? value.with(Number(key), less) : { ...value, [key]: less };
    }
  }
}

function* shortened(value: Json): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (let length = value.length; length >= 1; length >>= 1) {
      for (let start = 0; start + length <= value.length; start += length) {
        yield value.toSpliced(start, length);
      }
    }
    return;
  }
  // A statement may be replaced by the first statement of its block.
  for (const [key, part] of Object.entries(value)) {
    if (key === 'body' && 's' in value && Array.isArray(part) && part.length === 1) yield part[0];
    if (key === 'condition' || key === 'noise' || key === 'modifier') {
      const { [key]: _, ...rest } = value as Record<string, Json>;
      yield rest;
    }
    if (key === 'qubits' && typeof part === 'number' && part > 1)
      yield { ...value, qubits: part - 1 };
    if (key === 'shots' && typeof part === 'number' && part > 10) {
      yield { ...value, shots: Math.ceil(part / 10) };
    }
  }
}

/**
 * A smallest case that fails as the given one does.
 *
 * @param fails - Whether a case still fails; one that makes no sense does not.
 * @param tries - Most cases to try.
 */
export async function shrink<Case>(
  start: Case,
  fails: (fuzzCase: Case) => Promise<boolean>,
  tries = 400,
): Promise<Case> {
  let smallest = start;
  let left = tries;
  for (let found = true; found && left > 0; ) {
    found = false;
    for (const next of smaller(smallest)) {
      if (left-- <= 0) break;
      if (await fails(next as Case)) {
        smallest = next as Case;
        found = true;
        break;
      }
    }
  }
  return smallest;
}
