/** Setup of a sweep: the circuit, its inputs, the requested values, and the processor. */
import type { ComponentChildren } from 'preact';
import { CircuitCard } from '../setup/circuit-card.tsx';
import { faultsAt } from '../shell/faults.ts';
import { Field, SelectField, TextField } from '../shell/forms.tsx';
import { useResource } from '../shell/resource.ts';
import { key } from '../shell/session.ts';
import { EXAMPLES } from './examples.ts';
import { type InputDraft, inputDrafts, type SweepDraft } from './sweep.ts';

const CIRCUIT = ['programs[0].circuit', 'programs[0].qasm', 'programs[0].qubits'];
const INPUTS = 'programs[0].inputs';
const OBSERVABLES = ['programs[0].observables'];
const OUTCOME = ['outcome'];
const RETURN = ['programs[0].return', 'return', 'programs[0].gradient_inputs'];
const PROCESSOR = ['target_processor'];
const SHOTS = ['shots', 'programs[0].shots'];
const NOISE = ['noise', 'programs[0].noise', 'method', 'programs[0].method'];
/** Paths of faults that are shown at a field. */
export const ALL_FIELDS: readonly string[] = [
  ...CIRCUIT,
  INPUTS,
  ...OBSERVABLES,
  ...OUTCOME,
  ...RETURN,
  ...PROCESSOR,
  ...SHOTS,
  ...NOISE,
  'name',
];

interface SetupProps {
  readonly draft: SweepDraft;
  /** Why the last attempt did not run. */
  readonly error: unknown;
  readonly onChange: (draft: SweepDraft) => void;
}

export function SetupView(props: SetupProps) {
  return (
    <>
      <TextCard {...props} />
      <InputsCard {...props} />
      <QuestionCard {...props} />
      <NameCard {...props} />
    </>
  );
}

function NameCard({ draft, error, onChange }: SetupProps) {
  return (
    <section class="card" aria-label="Name">
      <TextField
        label="Name in the list of jobs"
        hint="Without one it is listed by what is swept."
        faults={faultsAt(error, 'name')}
        maxLength={100}
        value={draft.name ?? ''}
        onText={(name) => onChange({ ...draft, name })}
      />
    </section>
  );
}

function TextCard({ draft, error, onChange }: SetupProps) {
  return (
    <CircuitCard
      id="sweep-circuit"
      title="The circuit"
      examples={EXAMPLES}
      text={draft.text}
      own="A circuit of your own."
      label="Gates as JSON, or OpenQASM"
      hint={
        <>
          An input stands for an angle: <code>{'{"input": "a"}'}</code>, or in OpenQASM 3{' '}
          <code>input float a;</code>
        </>
      }
      faults={faultsAt(error, ...CIRCUIT)}
      rows={9}
      onExample={(example) => onChange({ ...example, processor: draft.processor })}
      onText={(text) => onChange({ ...draft, text })}
    />
  );
}

function InputsCard({ draft, error, onChange }: SetupProps) {
  const inputs = inputDrafts(draft);
  const numVaried = inputs.filter(([, { varies }]) => varies).length;
  // The message of an input is shown at it, that of no input or of an unknown one below all.
  const known = new Set(inputs.flatMap(([name]) => faultsAt(error, `${INPUTS}.${name}`)));
  const others = faultsAt(error, INPUTS).filter((message) => !known.has(message));
  const change = (name: string, input: InputDraft) =>
    onChange({ ...draft, inputs: { ...Object.fromEntries(inputs), [name]: input } });
  return (
    <section class="card" aria-labelledby="sweep-inputs">
      <h2 id="sweep-inputs">What varies</h2>
      <p class="note">
        {inputs.length === 0
          ? 'The circuit has no inputs yet.'
          : 'Numbers may be written with pi: 2*pi, -pi/2.'}
      </p>
      {inputs.map(([name, input]) => (
        <InputFields
          key={name}
          name={name}
          input={input}
          mayVary={input.varies || numVaried < 2}
          faults={faultsAt(error, `${INPUTS}.${name}`)}
          onChange={(next) => change(name, next)}
        />
      ))}
      <div class="fault" role="alert">
        {others.join(' ')}
      </div>
    </section>
  );
}

function InputFields({
  name,
  input,
  mayVary,
  faults,
  onChange,
}: {
  readonly name: string;
  readonly input: InputDraft;
  readonly mayVary: boolean;
  readonly faults: readonly string[];
  readonly onChange: (input: InputDraft) => void;
}) {
  const text = (label: string, field: 'from' | 'to' | 'points' | 'value') => (
    <TextField
      label={label}
      aria-label={`${label}, input ${name}`}
      aria-invalid={faults.length > 0}
      value={input[field]}
      onText={(next) => onChange({ ...input, [field]: next })}
    />
  );
  return (
    <fieldset class="input">
      <legend>
        <code>{name}</code>
      </legend>
      <label>
        <input
          type="checkbox"
          checked={input.varies}
          disabled={!mayVary}
          onChange={(event) => onChange({ ...input, varies: event.currentTarget.checked })}
        />{' '}
        varies
      </label>
      {input.varies ? (
        <div class="range">
          {text('From', 'from')}
          {text('To', 'to')}
          {text('Points', 'points')}
        </div>
      ) : (
        <div class="range">{text('Value', 'value')}</div>
      )}
      <div class="fault" role="alert">
        {faults.join(' ')}
      </div>
    </fieldset>
  );
}

function QuestionCard({ draft, error, onChange }: SetupProps) {
  const isObservables = draft.asks === 'observables';
  const numVaried = inputDrafts(draft).filter(([, { varies }]) => varies).length;
  return (
    <section class="card wide" aria-labelledby="sweep-question">
      <h2 id="sweep-question">What is asked</h2>
      <fieldset class="either">
        <legend class="unseen">What is asked</legend>
        <Choice
          isChosen={isObservables}
          onChoose={() => onChange({ ...draft, asks: 'observables' })}
        >
          Expectation values
        </Choice>
        <Choice isChosen={!isObservables} onChoose={() => onChange({ ...draft, asks: 'outcome' })}>
          Probability of an outcome
        </Choice>
      </fieldset>
      {isObservables ? (
        <>
          <Field
            label="Observables, one a line"
            hint={
              <>
                Such as <code>Z0 Z1</code> or <code>energy = 0.5*X0 - 0.25*Z0 Z1</code>
              </>
            }
            faults={faultsAt(error, ...OBSERVABLES)}
          >
            {(bound) => (
              <textarea
                {...bound}
                rows={3}
                spellcheck={false}
                value={draft.observables}
                onInput={(event) => onChange({ ...draft, observables: event.currentTarget.value })}
              />
            )}
          </Field>
          <label class="tick">
            <input
              type="checkbox"
              checked={draft.hasGradient && numVaried === 1}
              disabled={numVaried !== 1}
              onChange={(event) => onChange({ ...draft, hasGradient: event.currentTarget.checked })}
            />{' '}
            The derivative, too{numVaried === 1 ? '' : ' (with one input that varies)'}
          </label>
        </>
      ) : (
        <TextField
          label="Outcome"
          hint="Bits of the classical register, bit 0 rightmost"
          faults={faultsAt(error, ...OUTCOME)}
          value={draft.outcome}
          onText={(outcome) => onChange({ ...draft, outcome })}
        />
      )}
      <div class="fault" role="alert">
        {faultsAt(error, ...RETURN).join(' ')}
      </div>
      <div class="range">
        <ProcessorField draft={draft} error={error} onChange={onChange} />
        <TextField
          label="Shots of each point"
          hint="Empty for exact values"
          faults={faultsAt(error, ...SHOTS)}
          inputMode="numeric"
          placeholder="exact"
          value={draft.shots}
          onText={(shots) => onChange({ ...draft, shots })}
        />
        <NoiseField draft={draft} error={error} onChange={onChange} />
      </div>
    </section>
  );
}

function Choice({
  isChosen,
  onChoose,
  children,
}: {
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <label>
      <input type="radio" name="sweep-asks" checked={isChosen} onChange={onChoose} /> {children}
    </label>
  );
}

function ProcessorField({ draft, error, onChange }: SetupProps) {
  const { data } = useResource('GET /quantum/processors', {}, { isOff: key.value === undefined });
  const processors = data?.processors ?? [];
  const chosen = processors.find(({ id }) => id === draft.processor);
  const names = processors.some(({ id }) => id === draft.processor)
    ? processors
    : [{ id: draft.processor, name: draft.processor, available: true }, ...processors];
  return (
    <SelectField
      label="Processor"
      hint={chosen === undefined ? '' : describe(chosen)}
      faults={faultsAt(error, ...PROCESSOR)}
      value={draft.processor}
      options={names.map(({ id, available }) => [id, available ? id : `${id} (not available)`])}
      onChoose={(processor) => onChange({ ...draft, processor })}
    />
  );
}

/** Basis of a processor's values, as the service marks it. */
function describe({
  family,
  basis,
  qubits,
  available,
  reason,
}: {
  readonly family: string;
  readonly basis?: string | undefined;
  readonly qubits: number;
  readonly available: boolean;
  readonly reason?: string | undefined;
}): string {
  if (!available) return reason ?? 'It is not available.';
  const kind = family === 'emulator' ? 'emulated' : basis;
  return `Up to ${qubits} qubits, ${[kind ?? 'simulated', kind === 'emulated' ? basis : undefined]
    .filter((each) => each !== undefined)
    .join(', ')}`;
}

function NoiseField({ draft, error, onChange }: SetupProps) {
  const { data } = useResource('GET /quantum/noise-models', {}, { isOff: key.value === undefined });
  const models = data?.noise_models ?? [];
  return (
    <SelectField
      label="Noise"
      hint={
        draft.noise === '' ? 'An emulated device has its own' : 'Modelled. Exact values need qvm'
      }
      faults={faultsAt(error, ...NOISE)}
      value={draft.noise}
      options={[['', 'none'], ...models.map(({ id }) => [id, id] as const)]}
      onChoose={(noise) => onChange({ ...draft, noise })}
    />
  );
}
