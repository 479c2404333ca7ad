/** Fields of the selected gate: its qubits, angles, controls, condition and matrix. */
import { useSignal } from '@preact/signals';
import type { GateAngle, MatrixRows } from '../live-state/messages.ts';
import { readGateAngle, writeGateAngle } from './angle-text.ts';
import { stepWords } from './circuit-words.ts';
import { replaceStep, type Step, takesControls, withQubit } from './edited-circuit.ts';
import {
  circuit,
  edit,
  inputs,
  removeSelected,
  selected,
  setInput,
  setTextInput,
  textSource,
} from './editor.ts';
import { type AngleName, anglesOf } from './gate-table.ts';

export function Inspector() {
  const step = selected.value;
  return (
    <section
      class="card inspector"
      aria-label="Selected gate"
      id="composer-inspector"
      tabIndex={-1}
    >
      {step === undefined ? (
        <>
          <h2>No gate is selected</h2>
          <p class="note">
            Press a gate to put it at the cursor, or drag it into the circuit. Select a gate to
            change it.
          </p>
        </>
      ) : (
        <StepFields key={step.id} step={step} />
      )}
      <Inputs />
    </section>
  );
}

function StepFields({ step }: { readonly step: Step }) {
  const change = (next: Step, name?: string) => edit(replaceStep(circuit.value, next), name);
  const angles = anglesOf(step.name);
  return (
    <>
      <div class="head">
        <h2>{stepWords(step)}</h2>
        <button type="button" onClick={removeSelected}>
          Delete
        </button>
      </div>
      <div class="fields">
        {step.name !== 'BARRIER' &&
          step.name !== 'GPHASE' &&
          step.targets.map((qubit, index) => (
            <QubitField
              key={`target ${index}`}
              label={step.targets.length === 1 ? 'Qubit' : `Qubit ${index + 1}`}
              step={step}
              qubit={qubit}
              onChange={change}
            />
          ))}
        {step.controls.map((qubit, index) => (
          <QubitField
            key={`control ${index}`}
            label={step.controls.length === 1 ? 'Control' : `Control ${index + 1}`}
            step={step}
            qubit={qubit}
            onChange={change}
          />
        ))}
        {takesControls(step) && <ControlButtons step={step} onChange={change} />}
        {step.name === 'M' && <BitField step={step} onChange={change} />}
      </div>
      {angles.map((name) => (
        <AngleField key={name} step={step} name={name} onChange={change} />
      ))}
      {step.name === 'UNITARY' && <MatrixField step={step} onChange={change} />}
      {step.name !== 'BARRIER' && <ConditionFields step={step} onChange={change} />}
    </>
  );
}

type OnChange = (next: Step, name?: string) => void;

interface FieldProps {
  readonly step: Step;
  readonly onChange: OnChange;
}

function QubitField({
  label,
  step,
  qubit,
  onChange,
}: FieldProps & { readonly label: string; readonly qubit: number }) {
  const used = [...step.controls, ...step.targets];
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value={qubit}
        onChange={({ currentTarget }) => {
          const moved = withQubit(step, qubit, Number(currentTarget.value));
          if (moved === undefined) return;
          // A measurement whose bit had its qubit's number keeps that.
          const hadOwn = step.name === 'M' && step.bits?.every((bit, i) => bit === step.targets[i]);
          onChange(hadOwn ? { ...moved, bits: moved.targets } : moved);
        }}
      >
        {Array.from({ length: circuit.value.numQubits }, (_, each) => (
          <option key={each} value={each} disabled={each !== qubit && used.includes(each)}>
            q{each}
          </option>
        ))}
      </select>
    </label>
  );
}

function ControlButtons({ step, onChange }: FieldProps) {
  const used = [...step.controls, ...step.targets];
  const free = Array.from({ length: circuit.value.numQubits }, (_, qubit) => qubit).find(
    (qubit) => !used.includes(qubit),
  );
  return (
    <div class="choices">
      <button
        type="button"
        disabled={free === undefined}
        onClick={() => {
          if (free !== undefined) onChange({ ...step, controls: [...step.controls, free] });
        }}
      >
        Add a control
      </button>
      {step.controls.length > 0 && step.name !== 'CU' && step.name !== 'CU3' && (
        <button
          type="button"
          onClick={() => onChange({ ...step, controls: step.controls.slice(0, -1) })}
        >
          Remove a control
        </button>
      )}
    </div>
  );
}

function BitField({ step, onChange }: FieldProps) {
  if (step.targets.length !== 1) return null;
  return (
    <label class="field">
      <span>Into bit</span>
      <input
        type="number"
        min="0"
        max="1023"
        value={step.bits?.[0] ?? 0}
        onInput={({ currentTarget }) => {
          const bit = currentTarget.valueAsNumber;
          if (Number.isInteger(bit) && bit >= 0 && bit < 1024)
            onChange({ ...step, bits: [bit] }, 'bit');
        }}
      />
    </label>
  );
}

/** An angle by slider and by text; a name makes it an input with a slider of its own. */
function AngleField({ step, name, onChange }: FieldProps & { readonly name: AngleName }) {
  const angle: GateAngle = step.angles[name] ?? 0;
  const typed = useSignal<string | undefined>(undefined);
  const set = (next: GateAngle) =>
    onChange({ ...step, angles: { ...step.angles, [name]: next } }, `${step.id} ${name}`);
  const text = typed.value ?? writeGateAngle(angle, 6);
  const isWrong = typed.value !== undefined && readGateAngle(typed.value) === undefined;
  return (
    <div class="angle-field">
      <label class="field">
        <span>{name}</span>
        <input
          type="text"
          value={text}
          aria-invalid={isWrong}
          aria-describedby={`hint-${name}`}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
            const next = readGateAngle(currentTarget.value);
            if (next !== undefined) set(next);
          }}
          onBlur={() => {
            typed.value = undefined;
          }}
        />
      </label>
      {typeof angle === 'number' && (
        <input
          type="range"
          aria-label={`${name}, as a slider`}
          min={-Math.PI}
          max={Math.PI}
          step={Math.PI / 64}
          value={angle}
          onInput={({ currentTarget }) => set(currentTarget.valueAsNumber)}
        />
      )}
      <p id={`hint-${name}`} class={isWrong ? 'small wrong' : 'small'}>
        {isWrong
          ? 'Write radians such as 0.3 or 3pi/4, or a name such as a, or 2*a + pi/4.'
          : 'Radians; a name such as a makes it an input with a slider below.'}
      </p>
    </div>
  );
}

function ConditionFields({ step, onChange }: FieldProps) {
  const { condition } = step;
  const bits = [...new Set(circuit.value.steps.flatMap((each) => each.bits ?? []))].sort(
    (a, b) => a - b,
  );
  if (bits.length === 0 && condition === undefined) return null;
  const bit = condition?.bits[0];
  return (
    <div class="fields">
      <label class="field">
        <span>Only if bit</span>
        <select
          value={condition === undefined ? '' : condition.bits.length === 1 ? bit : 'several'}
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            const { condition: _, ...rest } = step;
            if (value === 'several') return;
            onChange(
              value === '' ? rest : { ...step, condition: { bits: [Number(value)], value: 1 } },
            );
          }}
        >
          <option value="">always</option>
          {bits.map((each) => (
            <option key={each} value={each}>
              c{each}
            </option>
          ))}
          {condition !== undefined && condition.bits.length > 1 && (
            <option value="several">{condition.bits.map((each) => `c${each}`).join(' ')}</option>
          )}
        </select>
      </label>
      {condition !== undefined && (
        <label class="field">
          <span>has the value</span>
          <input
            type="number"
            min="0"
            max={2 ** condition.bits.length - 1}
            value={condition.value}
            onInput={({ currentTarget }) => {
              const value = currentTarget.valueAsNumber;
              if (Number.isInteger(value) && value >= 0) {
                onChange({ ...step, condition: { ...condition, value } }, 'condition');
              }
            }}
          />
        </label>
      )}
    </div>
  );
}

/** A matrix as text: rows on lines, complex entries such as 0.5-0.5i. */
function MatrixField({ step, onChange }: FieldProps) {
  const typed = useSignal<string | undefined>(undefined);
  const text = typed.value ?? matrixText(step.matrix ?? []);
  const read = typed.value === undefined ? step.matrix : readMatrix(typed.value);
  return (
    <label class="field">
      <span>Matrix, a row on each line</span>
      <textarea
        rows={Math.max(2, (step.matrix ?? []).length)}
        value={text}
        aria-invalid={read === undefined}
        spellcheck={false}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
          const matrix = readMatrix(currentTarget.value);
          if (matrix?.length === 2 ** step.targets.length) onChange({ ...step, matrix }, 'matrix');
        }}
        onBlur={() => {
          if (read !== undefined) typed.value = undefined;
        }}
      />
      <span class="small">
        {2 ** step.targets.length} rows of complex numbers, such as 0.6 -0.8i; it must be unitary.
      </span>
    </label>
  );
}

function matrixText(matrix: MatrixRows): string {
  return matrix
    .map((row) => row.map(([re = 0, im = 0]) => complexText(re, im)).join('  '))
    .join('\n');
}

function complexText(re: number, im: number): string {
  if (im === 0) return String(re);
  if (re === 0) return `${im}i`;
  return `${re}${im < 0 ? '-' : '+'}${Math.abs(im)}i`;
}

function readMatrix(text: string): MatrixRows | undefined {
  const rows = text
    .trim()
    .split('\n')
    .map((line) =>
      line
        .trim()
        .split(/[\s,;]+/)
        .map(readComplex),
    );
  const whole = rows.every(
    (row) => row.length === rows.length && row.every((each) => each !== undefined),
  );
  // The cast is safe: no entry is undefined.
  return whole ? (rows as unknown as MatrixRows) : undefined;
}

function readComplex(text: string): readonly [number, number] | undefined {
  const match = /^([+-]?[\d.]+(?:e[+-]?\d+)?)?(?:([+-]?[\d.]*(?:e[+-]?\d+)?)[ij])?$/i.exec(text);
  if (match === null || text === '') return undefined;
  const [, re, im] = match;
  const part = im === undefined ? 0 : Number(/^[+-]?$/.test(im) ? `${im}1` : im);
  const pair = [Number(re ?? 0), part] as const;
  return pair.every(Number.isFinite) ? pair : undefined;
}

/** Fields of the inputs that the text declares: numbers of any size, and conditions. */
function TextInputs({ values }: { readonly values: Readonly<Record<string, number | boolean>> }) {
  return (
    <div class="inputs">
      <h3>Inputs</h3>
      {Object.entries(values).map(([name, value]) =>
        typeof value === 'boolean' ? (
          <label key={name}>
            <input
              type="checkbox"
              checked={value}
              onInput={({ currentTarget }) => setTextInput(name, currentTarget.checked)}
            />{' '}
            {name}
          </label>
        ) : (
          <label key={name} class="field">
            <span>{name}</span>
            <input
              type="number"
              step="any"
              value={value}
              onInput={({ currentTarget }) => {
                const number = currentTarget.valueAsNumber;
                if (Number.isFinite(number)) setTextInput(name, number);
              }}
            />
          </label>
        ),
      )}
    </div>
  );
}

/** Sliders of the inputs that angles name. */
function Inputs() {
  const declared = Object.keys(textSource.value?.inputs ?? {}).length > 0;
  if (declared) return <TextInputs values={textSource.value?.inputs ?? {}} />;
  if (textSource.value !== undefined) return null;
  const names = Object.entries(inputs.value);
  if (names.length === 0) return null;
  return (
    <div class="inputs">
      <h3>Inputs</h3>
      {names.map(([name, value]) => (
        <label key={name} class="field">
          <span>
            {name} = {value.toFixed(3)}
          </span>
          <input
            type="range"
            min={-Math.PI}
            max={Math.PI}
            step={Math.PI / 64}
            value={value}
            onInput={({ currentTarget }) => setInput(name, currentTarget.valueAsNumber)}
          />
        </label>
      ))}
    </div>
  );
}
