/**
 * Stands in for vitest where the conformance suite is bundled for a page: it collects claims
 * instead of running them, so that a page can run one at a time and say how it went.
 */
import { expect } from './expect.ts';

export { expect };

type Act = () => unknown;

/** A `describe`, with what is done before its tests. */
interface Scope {
  readonly path: readonly string[];
  readonly around: readonly Scope[];
  readonly before: Act[];
  /** Set once `before` has begun. */
  ready?: Promise<void>;
}

interface Claim {
  readonly scope: Scope;
  readonly name: string;
  readonly body: Act;
}

const claims: Claim[] = [];
let current: Scope = { path: [], around: [], before: [] };

/** Puts the claims of `body` under a name. */
export function describe(name: string, body: () => void): void {
  const outer = current;
  current = { path: [...outer.path, name], around: [...outer.around, outer], before: [] };
  body();
  current = outer;
}

/** Adds a claim. */
export function test(name: string, body: Act): void {
  claims.push({ scope: current, name, body });
}

/** Adds a claim for each case; arrays are spread, names filled in as vitest does. */
test.each =
  (cases: readonly unknown[]) =>
  (name: string, body: (...args: readonly unknown[]) => unknown): void => {
    for (const value of cases) {
      const args: readonly unknown[] = Array.isArray(value) ? value : [value];
      test(titleOf(name, args), () => body(...args));
    }
  };

function titleOf(name: string, args: readonly unknown[]): string {
  const rest = [...args];
  return name
    .replace(/%[is]/g, () => String(rest.shift()))
    .replace(/\$(\w+)/g, (_, key: string) => String(Reflect.get(Object(args[0]), key)));
}

/** Runs before the first claim of the `describe` around it. */
export function beforeAll(act: Act): void {
  current.before.push(act);
}

/** Does nothing: what a page holds ends with it. */
export function afterAll(_: Act): void {}

/** The full names of all claims, in the order of the text. */
export function claimNames(): readonly string[] {
  return claims.map(({ scope, name }) => [...scope.path, name].join(' > '));
}

/**
 * Runs a claim.
 *
 * @throws what it, or what is done before it, throws.
 */
export async function runClaim(index: number): Promise<void> {
  const claim = claims[index];
  if (claim === undefined) throw new Error(`There is no claim ${index}.`);
  for (const scope of [...claim.scope.around, claim.scope]) {
    scope.ready ??= runAll(scope.before);
    await scope.ready;
  }
  await claim.body();
}

async function runAll(acts: readonly Act[]): Promise<void> {
  for (const act of acts) await act();
}
