/** Form of a body that has a long list: its other fields at once, the items of the list one by one. */
import { z } from 'zod';
import { type CircuitLimits, hasTooManySteps } from '../../circuit/circuit-limits.ts';
import { FaultList, LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { Fault } from '../../errors/coded-error.ts';
import { formFaults, sizeFaults } from '../../errors/form-faults.ts';
import { isJsonObject } from '../../workloads/procedures/json.ts';

/** A body whose list was not looked into. */
interface ListForm<Body> {
  /** The fields that are of good form. */
  readonly body: Body;
  readonly items: readonly unknown[];
  readonly faults: readonly Fault[];
}

/**
 * Checks the form of a body but for the items of its list.
 *
 * @param list - Field of the list, and the most items that it may have.
 * @param maxLength - Most entries of any other array, and most fields of any object.
 */
export function formOfList<Body extends object>(
  value: unknown,
  schema: z.ZodObject,
  list: string,
  maxItems: number,
  maxLength: number,
): ListForm<Body> {
  const head = schema.extend({ [list]: z.array(z.unknown()).min(1) });
  const { [list]: listed, ...rest } = isJsonObject(value) ? value : {};
  // The cast is safe: no field is required.
  const none = { body: {} as Body, items: [] };
  const tooLong = sizeFaults(rest, maxLength);
  if (tooLong.length > 0) return { ...none, faults: tooLong };
  const parsed = head.safeParse(value);
  const faults = parsed.success ? [] : [...formFaults(parsed.error, head, value)];
  const items: readonly unknown[] = Array.isArray(listed) ? listed : [];
  if (items.length > maxItems) {
    const message = `${items.length} ${list}; the limit is ${maxItems}.`;
    return { ...none, faults: [...faults, { path: list, message, code: LIMIT_EXCEEDED }] };
  }
  const good = Object.entries(rest).filter(([name, field]) => {
    const own = new Map<string, z.ZodType>(Object.entries(head.shape)).get(name);
    return own?.safeParse(field).success;
  });
  // The cast is safe: the schema of each field has taken it.
  return { body: Object.fromEntries(good) as Body, items, faults };
}

/**
 * Checks the items of a list, each with faults of its own. Items after a program whose loop never ends are not checked,
 * nor those after more faults than are listed.
 *
 * @param check - Returns undefined for an item with faults.
 */
export function checkItems<Checked>(
  list: string,
  items: readonly unknown[],
  { readingWork, maxGates }: Required<Pick<CircuitLimits, 'readingWork' | 'maxGates'>>,
  faults: FaultList,
  check: (item: unknown, own: FaultList) => Checked | undefined,
): readonly Checked[] {
  const checked: Checked[] = [];
  for (const [i, item] of items.entries()) {
    if (faults.isFull) break;
    if (faults.count > 0 && hasTooManySteps(readingWork, maxGates)) break;
    const own = new FaultList();
    const one = check(item, own);
    addFaultsAt(`${list}[${i}]`, own, faults);
    if (one !== undefined) checked.push(one);
  }
  return checked;
}

/** Adds the faults of an item at its place. */
function addFaultsAt(root: string, item: FaultList, faults: FaultList): void {
  for (const { path, message, code } of item.kept) {
    faults.add(`${root}${path === '' || path.startsWith('[') ? '' : '.'}${path}`, message, code);
  }
}
