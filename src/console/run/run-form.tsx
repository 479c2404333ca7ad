/** Choices of a run: processor, shots, seed, noise. */
import type { ComponentChildren } from 'preact';
import type { NamedNoiseModel } from '../../client/api-types.ts';
import { basisOf, processorsByKind } from '../fleet/processor-words.ts';
import { Field } from '../shell/field.tsx';
import { type Choices, hasOwnNoise, noiseInWords, type Offer } from './run-options.ts';

/** Shows the choices. Enter in a field runs the circuit. */
export function RunForm({
  choices,
  offers,
  chosen,
  models,
  faults,
  onChange,
  onRun,
  children,
}: {
  readonly choices: Choices;
  readonly offers: readonly Offer[];
  readonly chosen: Offer | undefined;
  readonly models: readonly NamedNoiseModel[];
  readonly faults: { readonly shots: readonly string[]; readonly seed: readonly string[] };
  readonly onChange: (choices: Choices) => void;
  readonly onRun: () => void;
  /** Buttons of the form. */
  readonly children: ComponentChildren;
}) {
  const set = (name: keyof Choices) => (event: { readonly currentTarget: { value: string } }) =>
    onChange({ ...choices, [name]: event.currentTarget.value });
  const isNoisy = chosen !== undefined && hasOwnNoise(chosen.processor);
  return (
    <form
      class="run-form"
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
    >
      <Field
        label="Processor"
        hint={chosen && <ProcessorHint offer={chosen} />}
        faults={chosen?.refusal === undefined ? [] : [chosen.refusal]}
      >
        {(bound) => (
          <select {...bound} value={chosen?.processor.id ?? ''} onChange={set('processor')}>
            {chosen === undefined && <option value="">No processor takes the circuit</option>}
            <Offers offers={offers} />
          </select>
        )}
      </Field>
      <div class="run-numbers">
        <Field label="Shots" faults={faults.shots}>
          {(bound) => (
            <input {...bound} inputMode="numeric" value={choices.shots} onInput={set('shots')} />
          )}
        </Field>
        <Field label="Seed" faults={faults.seed}>
          {(bound) => (
            <input
              {...bound}
              inputMode="numeric"
              placeholder="drawn"
              value={choices.seed}
              onInput={set('seed')}
            />
          )}
        </Field>
      </div>
      <Field label="Noise" hint={noiseInWords(choices.noise, models, chosen?.processor)}>
        {(bound) => (
          <select {...bound} value={choices.noise} onChange={set('noise')}>
            <option value="">{isNoisy ? 'Of the device' : 'None'}</option>
            {(isNoisy || choices.noise === 'none') && <option value="none">None</option>}
            {models.map(({ id }) => (
              <option key={id} value={id}>
                Like {id}
              </option>
            ))}
          </select>
        )}
      </Field>
      {children}
    </form>
  );
}

function Offers({ offers }: { readonly offers: readonly Offer[] }) {
  const byId = new Map(offers.map((offer) => [offer.processor.id, offer]));
  return (
    <>
      {processorsByKind(offers.map(({ processor }) => processor)).map(([kind, own]) => (
        <optgroup key={kind} label={kind}>
          {own.map(({ id, name }) => {
            const refusal = byId.get(id)?.refusal;
            return (
              <option key={id} value={id} disabled={refusal !== undefined}>
                {refusal === undefined ? name : `${name} – ${refusal}`}
              </option>
            );
          })}
        </optgroup>
      ))}
    </>
  );
}

function ProcessorHint({ offer: { processor, refusal, words } }: { readonly offer: Offer }) {
  return (
    <>
      {refusal === undefined && words} At most {processor.max_shots.toLocaleString('en-US')} shots.
      Results are {basisOf(processor)}.
    </>
  );
}
