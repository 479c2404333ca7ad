/** Lists of facts: rows of a title and a text. */
import type { ComponentChildren } from 'preact';
import { ago } from '../numbers.ts';

/** Rows by title. Those without a text are left out. */
export type Facts = readonly (readonly [
  title: string,
  text: ComponentChildren,
  /** Basis of a figure: measured, modelled. */
  basis?: string,
])[];

/** Shows rows. @param class - Class of the list, which lays it out. */
export function FactList({
  facts,
  class: name,
}: {
  readonly facts: Facts;
  readonly class: string;
}) {
  return (
    <dl class={name}>
      {facts.map(
        ([title, text, basis]) =>
          text !== undefined && (
            <div key={title}>
              <dt>
                {title}
                {basis !== undefined && (
                  <>
                    {' '}
                    <span class="basis">{basis}</span>
                  </>
                )}
              </dt>
              <dd>{text}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** A state as a sign and a word. */
export function StateLine({
  state,
  sign,
  word,
  children,
}: {
  /** Decides the colour. */
  readonly state: string;
  readonly sign: string;
  readonly word: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <p class="state" data-state={state}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <b>{word}</b>
      {children}
    </p>
  );
}

/** Time since something. @param at - ISO 8601 time. */
export function Ago({ at }: { readonly at: string }) {
  return <time dateTime={at}>{ago(at, Date.now())}</time>;
}
