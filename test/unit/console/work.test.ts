/** What the composer edits: gates, a text in their place, drafts, undo, and how it is kept and shared. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type EditedCircuit,
  EMPTY,
  editedCircuit,
  gateObjects,
} from '../../../src/console/composer/edited-circuit.ts';
import {
  canUndo,
  chooseLanguage,
  circuit,
  cursor,
  draft,
  edit,
  hindrance,
  inputs,
  insertGate,
  type Landing,
  landMoved,
  landNew,
  language,
  open,
  openText,
  redo,
  restore,
  said,
  setInput,
  show,
  textSource,
  undo,
  work,
} from '../../../src/console/composer/editor.ts';
import { PALETTE, paletteName } from '../../../src/console/composer/gate-table.ts';
import {
  keptText,
  readKept,
  readShared,
  sharedOf,
  writeShared,
} from '../../../src/console/composer/permalink.ts';
import { accepted, drafted, faulted } from '../../../src/console/composer/work.ts';

const BELL = editedCircuit([
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
]);
const GHZ = editedCircuit([...gateObjects(BELL), { gate: 'CX', control: 1, target: 2 }]);
const LOOP = { qasm: 'while (c) { x q[0]; }' };
const GATES = { qasm: '// mine\nh q[0];' };

const names = (of: EditedCircuit = circuit.value) => of.steps.map(({ name }) => name).join(' ');
const type = (qasm: string, written?: string) => show(drafted(work.value, { qasm }, written));
const present = () => {
  if (draft.value === undefined) throw new Error('no draft');
  return draft.value;
};
/** What the editor does when the worker has read the draft. */
const readAsGates = (next: EditedCircuit) =>
  show(
    accepted(work.value, present(), {
      circuit: next,
      text: { source: present().source, isDrawn: true },
    }),
  );
const readAsSource = () =>
  show(
    accepted(work.value, present(), {
      ...work.value.present,
      text: { source: present().source, isDrawn: false },
    }),
  );

beforeEach(() => {
  restore({ past: [], present: { circuit: EMPTY }, future: [] });
  chooseLanguage('openqasm3');
  open(BELL);
});

describe('a text that is typed', () => {
  test('hinders a run from its first letter on, until it is read', () => {
    expect(hindrance.value).toBeUndefined();
    type('x');
    expect(hindrance.value).toBe('The text has changed and is being read.');
    show(faulted(work.value, present(), 'expected ;'));
    expect(hindrance.value).toMatch(
      /^The text has a fault, so what is shown is the circuit before/,
    );
    expect(names()).toBe('H X');
    type('x q[0];');
    readAsGates(GHZ);
    expect(hindrance.value).toBeUndefined();
    expect(names()).toBe('H X X');
  });

  test('typed back to what it was, is in step again', () => {
    type('h q[0]; x', 'h q[0];');
    expect(draft.value?.source).toEqual({ qasm: 'h q[0]; x' });
    type('h q[0];', 'h q[0];');
    expect(draft.value).toBeUndefined();
    // Of a text that was typed before, what counts is that text.
    type(GATES.qasm);
    readAsGates(BELL);
    type('h');
    type(GATES.qasm, 'h q[0];');
    expect(draft.value).toBeUndefined();
  });

  test('and typed on while it is read, is not what was read', () => {
    type('x');
    const first = present();
    type('xy');
    show(faulted(work.value, first, 'a fault of before'));
    expect(present().fault).toBeUndefined();
    show(accepted(work.value, first, { circuit: GHZ }));
    expect(names()).toBe('H X');
    expect(draft.value?.source).toEqual({ qasm: 'xy' });
  });

  test('is undone before the edits that were made before it, and comes back when an edit of the gates is undone', () => {
    type('garbage');
    undo();
    expect([draft.value, names()]).toEqual([undefined, 'H X']);
    type('garbage');
    show(faulted(work.value, present(), 'no'));
    edit(GHZ);
    expect([draft.value, names()]).toEqual([undefined, 'H X X']);
    undo();
    expect([draft.value?.source, names()]).toEqual([{ qasm: 'garbage' }, 'H X']);
    redo();
    expect([draft.value, names()]).toEqual([undefined, 'H X X']);
    undo();
    undo();
    undo();
    expect(names()).toBe('');
    expect(canUndo.value).toBe(false);
    redo();
    expect(names()).toBe('H X');
  });

  test('is read anew in the language that is chosen', () => {
    type('H 0');
    show(faulted(work.value, present(), 'no OpenQASM'));
    chooseLanguage('stim');
    expect(draft.value).toEqual({ source: { stim: 'H 0' } });
    expect(language.value).toBe('stim');
  });
});

describe('a text that gates cannot express', () => {
  test('is the source, and undo goes back to the gates, redo to the text', () => {
    type(LOOP.qasm);
    readAsSource();
    expect(textSource.value).toEqual(LOOP);
    type('while (');
    show(faulted(work.value, present(), 'expected )'));
    // Nothing is shown of before, so nothing is said of it.
    expect(hindrance.value).toBe('The text has a fault. Mend the text, or undo.');
    undo();
    expect(textSource.value).toEqual(LOOP);
    undo();
    expect([textSource.value, names()]).toEqual([undefined, 'H X']);
    redo();
    expect(textSource.value).toEqual(LOOP);
  });

  test('is not lost when another circuit is opened', () => {
    openText({ stim: 'TICK' });
    open(GHZ);
    expect(textSource.value).toBeUndefined();
    undo();
    expect(textSource.value).toEqual({ stim: 'TICK' });
    expect(language.value).toBe('stim');
  });
});

test('values of inputs come back with their circuit', () => {
  const turned = editedCircuit([{ gate: 'RX', qubit: 0, theta: { input: 'a' } }]);
  open(turned, { a: 1 });
  setInput('a', 2);
  open(BELL);
  undo();
  expect(inputs.value).toEqual({ a: 2 });
});

describe('what is kept', () => {
  const kept = () => readKept(keptText(work.value, 'c=1', 'example=bell'));

  test('is the circuit with its inputs, the text as it was typed, and a text with a fault', () => {
    open(editedCircuit([{ gate: 'RX', qubit: 1, theta: { input: 'a' } }], 3), { a: 0.5 });
    type(GATES.qasm);
    readAsGates(circuit.value);
    type('garbage');
    show(faulted(work.value, present(), 'no'));
    const read = kept();
    expect(read).toMatchObject({ at: 'c=1', before: 'example=bell' });
    const { present: version, draft: typed } = read?.work ?? work.value;
    expect(gateObjects(version.circuit)).toEqual([{ gate: 'RX', qubit: 1, theta: { input: 'a' } }]);
    expect(version.circuit.numQubits).toBe(3);
    expect(version.text).toEqual({ source: GATES, isDrawn: true });
    // It is read again, and its fault found again.
    expect(typed).toEqual({ source: { qasm: 'garbage' } });
  });

  test('is a text in place of gates, with the gates behind it', () => {
    openText(LOOP);
    const read = kept();
    if (read === undefined) throw new Error('not read');
    restore(read.work);
    expect(textSource.value).toEqual(LOOP);
    undo();
    expect([textSource.value, names()]).toEqual([undefined, 'H X']);
  });

  test('is also the circuit that an opened one took the place of, with its draft, however much was edited since', () => {
    type('garbage');
    open(GHZ);
    for (let edits = 0; edits < 300; edits += 1)
      edit(editedCircuit([{ gate: 'Z', qubit: edits % 2 }]));
    for (let reloads = 0; reloads < 2; reloads += 1) {
      const read = kept();
      if (read === undefined) throw new Error('not read');
      restore(read.work);
      expect([draft.value, names()]).toEqual([undefined, 'Z']);
    }
    undo();
    expect([draft.value?.source, names()]).toEqual([{ qasm: 'garbage' }, 'H X']);
    open(GHZ);
    expect(readKept(keptText(work.value, '', '', 0))?.work.past).toEqual([]);
  });

  test.each(['', 'null', '{}', '{"at":"","gates":{"qubits":2,"circuit":[{}]}}', '{"at"'])(
    'is not read of %s',
    (json) => {
      expect(readKept(json)).toBeUndefined();
    },
  );
});

describe('a link', () => {
  test('that is damaged in any of its characters, or cut, holds no circuit', async () => {
    const link = await writeShared({ qubits: 2, circuit: gateObjects(BELL) });
    expect(await readShared(link)).toEqual({ qubits: 2, circuit: gateObjects(BELL) });
    for (let at = 0; at < link.length - 1; at += 1) {
      const other = link[at] === 'A' ? 'B' : 'A';
      expect(await readShared(link.slice(0, at) + other + link.slice(at + 1))).toBeUndefined();
      expect(await readShared(link.slice(0, at))).toBeUndefined();
    }
  });

  test('of an older console, without a checksum, is read', async () => {
    // {"qubits":1,"circuit":[{"gate":"X","qubit":0}]}, deflated by Python's zlib with wbits -15.
    const read = await readShared('q1YqLE3KLClWsjLUUUrOLEouzSxRsoquVkpPLElVslKKUNKBqFCyMqiNrQUA');
    expect(read).toEqual({ qubits: 1, circuit: [{ gate: 'X', qubit: 0 }] });
  });

  test.each([
    [{ qubits: 65, circuit: [] }],
    [{ qubits: 1, circuit: [{ gate: 'X', qubit: 64 }] }],
    [{ qubits: 1, circuit: [{ gate: 'X', qubit: -1 }] }],
    [{ qubits: 1, circuit: [{ gate: 'X', qubit: 'q' }] }],
    [{ qubits: 1, circuit: [{ gate: 'RX', qubit: 0, theta: 'pi' }] }],
    [{ qubits: 1, circuit: [{ gate: 'M', qubits: [0], bits: [0.5] }] }],
    [{ qubits: 0, circuit: [] }],
  ])('to %j, which cannot be drawn, holds no circuit', (json) => {
    expect(sharedOf(json)).toBeUndefined();
  });
});

describe('a gate that is dropped', () => {
  const gate = (name: string) => {
    const found = PALETTE.flatMap(({ gates }) => gates).find((each) => paletteName(each) === name);
    if (found === undefined) throw new Error(`no ${name}`);
    return found;
  };
  const on = (landing: Landing | undefined) =>
    landing && [...landing.step.controls, ...landing.step.targets];

  test('goes down from its wire: wires are added below, and it does not go round to others', () => {
    const cx = landNew(gate('CX'), { qubit: 1, column: 2 });
    expect([on(cx), cx?.column, cx?.circuit.numQubits]).toEqual([[1, 2], 2, 3]);
    const ccx = landNew(gate('CCX'), { qubit: 2, column: 0 });
    expect([on(ccx), ccx?.column, ccx?.circuit.numQubits]).toEqual([[2, 3, 4], 0, 5]);
    // Nothing has happened yet: it is where the gate would land.
    expect(circuit.value).toBe(BELL);
    open({ numQubits: 64, steps: [] });
    expect(on(landNew(gate('SWAP'), { qubit: 63, column: 0 }))).toEqual([62, 63]);
    expect(on(landNew(gate('BARRIER'), { qubit: 5, column: 0 }))).toHaveLength(64);
  });

  test('from the circuit adds a wire or a column, or moves its control alone', () => {
    const [h, cx] = BELL.steps;
    if (h === undefined || cx === undefined) throw new Error('unreachable: two gates');
    const below = landMoved(h.id, 0, { qubit: 2, column: 0 });
    expect([on(below), below?.column, below?.circuit.numQubits]).toEqual([[2], 0, 3]);
    const right = landMoved(h.id, 0, { qubit: 0, column: 7 });
    expect([on(right), right?.column]).toEqual([[0], 1]);
    const control = landMoved(cx.id, 0, { qubit: 2, column: 0 });
    expect([on(control), control?.circuit.numQubits]).toEqual([[2, 1], 3]);
    // Its target takes the whole gate along, never above the first wire.
    expect(on(landMoved(cx.id, 1, { qubit: 0, column: 1 }))).toEqual([0, 1]);
  });

  test('is announced where it came to be', () => {
    insertGate(gate('CX'), { qubit: 1, column: 9 });
    expect(said.value).toBe('X on q2, controlled by q1, inserted in column 3');
    expect(cursor.value).toEqual({ qubit: 1, column: 3 });
  });
});
