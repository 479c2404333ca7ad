/** The matrix of a gate of one's own, as text, and the number of its qubits. */
import { useSignal } from '@preact/signals';
import type { MatrixRows } from '../live-state/messages.ts';
import type { Step } from './edited-circuit.ts';
import { circuit } from './editor.ts';
import { readMatrix, withOneMoreQubit, withoutLastQubit, writeMatrix } from './matrix-text.ts';

/** Most qubits of a matrix. */
const MAX_QUBITS = 6;

/** Shows the matrix of a step, and changes it. */
export function MatrixField({
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
