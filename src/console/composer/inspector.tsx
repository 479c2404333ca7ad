/** Fields of the selected gate: its qubits, angles, controls, condition and matrix. */

import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useRef } from 'preact/hooks';
import type { GateAngle, MatrixRows } from '../live-state/messages.ts';
import { SelectField, TextField } from '../shell/forms.tsx';
import { readGateAngle, writeGateAngle } from './angle-text.ts';
import { columnsInWords, stepWords } from './circuit-words.ts';
import {
  isDisplay,
  replaceStep,
  type Step,
  takesControls,
  withControlOn,
  withControls,
  withQubit,
} from './edited-circuit.ts';
import {
  circuit,
  copyColumns,
  cutColumns,
  edit,
  inputs,
  removeSelected,
  selected,
  selectedColumns,
  setInput,
  setTextInput,
  textSource,
} from './editor.ts';
import { type AngleName, anglesOf } from './gate-table.ts';
import { gateFaults } from './live.ts';
import { readMatrix, withOneMoreQubit, withoutLastQubit, writeMatrix } from './matrix-text.ts';

export function Inspector() {
  const step = selected.value;
  const range = selectedColumns.value;
  if (range === undefined && step === undefined) {
    return (
      <>
        {circuit.value.steps.length === 0 && (
          <p class="note">
            Press a gate to put it at the cursor, or drag it into the circuit. Select it there to
            change it, or drag it out to delete it.
          </p>
        )}
        <Inputs />
      </>
    );
  }
  return (
    <section
      class="card inspector"
      aria-label="Selected gate"
      id="composer-inspector"
      tabIndex={-1}
    >
      {range !== undefined ? (
        <>
          <h2>{columnsInWords(range)}</h2>
          <div class="choices">
            <button type="button" onClick={copyColumns}>
              Copy
            </button>
            <button type="button" onClick={cutColumns}>
              Cut
            </button>
            <button type="button" onClick={removeSelected}>
              Delete
            </button>
          </div>
          <p class="note">Paste them at the cursor with Ctrl+V.</p>
        </>
      ) : (
        step !== undefined && <StepFields key={step.id} step={step} />
      )}
      <Inputs />
    </section>
  );
}

function StepFields({ step }: { readonly step: Step }) {
  const change = (next: Step, name?: string) => edit(replaceStep(circuit.value, next), name);
  const angles = anglesOf(step.name);
  const fault = gateFaults.value.get(step.id);
  return (
    <>
      <div class="head">
        <h2>{stepWords(step)}</h2>
        <button type="button" onClick={removeSelected}>
          Delete
        </button>
      </div>
      {fault !== undefined && (
        <p class="notice bad" role="status">
          {fault}
        </p>
      )}
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
        {step.controls.map((qubit, index) => {
          const label = step.controls.length === 1 ? 'Control' : `Control ${index + 1}`;
          return (
            <Fragment key={`control ${index}`}>
              <QubitField label={label} step={step} qubit={qubit} onChange={change} />
              <ControlValueField label={label} step={step} qubit={qubit} onChange={change} />
            </Fragment>
          );
        })}
        {takesControls(step) && <ControlButtons step={step} onChange={change} />}
        {step.name === 'M' && <BitField step={step} onChange={change} />}
      </div>
      {angles.map((name) => (
        <AngleField key={name} step={step} name={name} onChange={change} />
      ))}
      {step.name === 'UNITARY' && <MatrixField step={step} onChange={change} />}
      {step.name !== 'BARRIER' && !isDisplay(step) && (
        <ConditionFields step={step} onChange={change} />
      )}
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
    <SelectField
      label={label}
      value={`${qubit}`}
      options={Array.from({ length: circuit.value.numQubits }, (_, each) => [
        `${each}`,
        `q${each}`,
        each !== qubit && used.includes(each),
      ])}
      onChoose={(to) => {
        const moved = withQubit(step, qubit, Number(to));
        if (moved === undefined) return;
        // A measurement whose bit had its qubit's number keeps that.
        const hadOwn = step.name === 'M' && step.bits?.every((bit, i) => bit === step.targets[i]);
        onChange(hadOwn ? { ...moved, bits: moved.targets } : moved);
      }}
    />
  );
}

/** The value of its qubit while a control acts. */
function ControlValueField({
  label,
  step,
  qubit,
  onChange,
}: FieldProps & { readonly label: string; readonly qubit: number }) {
  return (
    <SelectField
      label={`${label} acts on`}
      value={step.open?.includes(qubit) === true ? '0' : '1'}
      options={[
        ['1', '1'],
        ['0', '0 (open)'],
      ]}
      onChoose={(value) => onChange(withControlOn(step, qubit, value === '0' ? 0 : 1))}
    />
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
          if (free !== undefined) onChange(withControls(step, [...step.controls, free]));
        }}
      >
        Add a control
      </button>
      {step.controls.length > 0 && step.name !== 'CU' && step.name !== 'CU3' && (
        <button
          type="button"
          onClick={() => onChange(withControls(step, step.controls.slice(0, -1)))}
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
    <TextField
      label="Into bit"
      type="number"
      min="0"
      max="1023"
      value={step.bits?.[0] ?? 0}
      onText={(text) => {
        const bit = Number.parseFloat(text);
        if (Number.isInteger(bit) && bit >= 0 && bit < 1024)
          onChange({ ...step, bits: [bit] }, 'bit');
      }}
    />
  );
}

/** An angle by slider and by text; a name makes it an input with a slider of its own. */
function AngleField({ step, name, onChange }: FieldProps & { readonly name: AngleName }) {
  const angle: GateAngle = step.angles[name] ?? 0;
  const typed = useSignal<string | undefined>(undefined);
  /** The angle before the visitor began to type: it holds while the text is no angle. */
  const before = useRef<GateAngle>(angle);
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
            if (typed.value === undefined) before.current = angle;
            typed.value = currentTarget.value;
            set(readGateAngle(currentTarget.value) ?? before.current);
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
          ? 'Write radians such as 0.3 or 3pi/4, degrees such as 90deg, or a name such as a, or 2*a + pi/4.'
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
      <SelectField
        label="Only if bit"
        value={condition === undefined ? '' : condition.bits.length === 1 ? `${bit}` : 'several'}
        options={[
          ['', 'always'],
          ...bits.map((each) => [`${each}`, `c${each}`] as const),
          ...(condition !== undefined && condition.bits.length > 1
            ? [['several', condition.bits.map((each) => `c${each}`).join(' ')] as const]
            : []),
        ]}
        onChoose={(value) => {
          const { condition: _, ...rest } = step;
          if (value === 'several') return;
          onChange(
            value === '' ? rest : { ...step, condition: { bits: [Number(value)], value: 1 } },
          );
        }}
      />
      {condition !== undefined && (
        <TextField
          label="has the value"
          type="number"
          min="0"
          max={2 ** condition.bits.length - 1}
          value={condition.value}
          onText={(text) => {
            const value = Number.parseFloat(text);
            if (Number.isInteger(value) && value >= 0) {
              onChange({ ...step, condition: { ...condition, value } }, 'condition');
            }
          }}
        />
      )}
    </div>
  );
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
          <TextField
            key={name}
            label={name}
            type="number"
            step="any"
            value={value}
            onText={(text) => {
              const number = Number.parseFloat(text);
              if (Number.isFinite(number)) setTextInput(name, number);
            }}
          />
        ),
      )}
    </div>
  );
}

/** Sliders of the inputs that angles name, or fields of those that the text declares. */
export function Inputs() {
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

/** Most qubits of a matrix. */
const MAX_QUBITS = 6;

/** Shows the matrix of a step, and changes it. */
function MatrixField({
  step,
  onChange,
}: {
  readonly step: Step;
  readonly onChange: (next: Step, name?: string) => void;
}) {
  const typed = useSignal<string | undefined>(undefined);
  const { targets, controls, matrix = [] } = step;
  const size = 2 ** targets.length;
  const read = typed.value === undefined ? matrix : readMatrix(typed.value);
  const free = Array.from({ length: circuit.value.numQubits }, (_, qubit) => qubit).find(
    (qubit) => ![...targets, ...controls].includes(qubit),
  );
  const resize = (next: readonly number[], rows: MatrixRows) => {
    typed.value = undefined;
    onChange({ ...step, targets: next, matrix: rows });
  };
  return (
    <>
      <div class="choices">
        <button
          type="button"
          disabled={free === undefined || targets.length >= MAX_QUBITS}
          onClick={() => {
            if (free !== undefined) resize([...targets, free], withOneMoreQubit(matrix));
          }}
        >
          Add a qubit to the matrix
        </button>
        {targets.length > 1 && (
          <button
            type="button"
            onClick={() => resize(targets.slice(0, -1), withoutLastQubit(matrix))}
          >
            Take q{targets.at(-1)} out of the matrix
          </button>
        )}
      </div>
      <label class="field">
        <span>Matrix, a row on each line</span>
        <textarea
          rows={Math.min(16, size)}
          wrap="off"
          value={typed.value ?? writeMatrix(matrix)}
          aria-invalid={read?.length !== size}
          aria-describedby="hint-matrix"
          spellcheck={false}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
            const rows = readMatrix(currentTarget.value);
            if (rows?.length === size) onChange({ ...step, matrix: rows }, `${step.id} matrix`);
          }}
          onBlur={() => {
            if (read?.length === size) typed.value = undefined;
          }}
        />
      </label>
      <p id="hint-matrix" class={read?.length === size ? 'small' : 'small wrong'}>
        {size} rows of {size} numbers with spaces or commas between them, such as 0.6, -0.8i,
        1/sqrt(2) or exp(i*pi/4). The matrix must be unitary.
        {targets.length > 1 && ' Qubit 1 of the gate is the least significant bit of an index.'}
      </p>
    </>
  );
}
