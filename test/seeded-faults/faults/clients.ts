/** Faults of what people use: the TypeScript client, the command line and the console. */
import type { SeededFault } from '../seeded-fault.ts';

/** See SeededFault. */
export const CLIENT_FAULTS: readonly SeededFault[] = [
  {
    name: 'the client repeats a request that must not be repeated',
    file: 'src/client/transport.ts',
    from: 'if (error instanceof ConnectionError) return isRepeatable;',
    to: 'if (error instanceof ConnectionError) return true;',
  },
  {
    name: 'the client waits as long after each lost connection',
    file: 'src/client/job-events.ts',
    from: 'this.#retryMs * 2 ** this.#numLost++',
    to: 'this.#retryMs * 2 ** this.#numLost',
  },
  {
    name: 'lines of an event that end in CR, LF are split in two',
    file: 'src/client/event-stream-parser.ts',
    from: "this.#isAfterReturn = text.endsWith('\\r');",
    to: 'this.#isAfterReturn = false;',
  },
  {
    name: 'the part of a view is packed from the beginning of its buffer',
    file: 'src/client/packed-array.ts',
    from: 'new Uint8Array(data.buffer, data.byteOffset, data.byteLength)',
    to: 'new Uint8Array(data.buffer, 0, data.byteLength)',
  },
  {
    name: 'the histogram of the command line leaves out the outcomes below',
    file: 'src/cli/histogram.ts',
    from: 'const rest = entries.slice(MAX_ROWS);',
    to: 'const rest = entries.slice(MAX_ROWS + 1);',
  },
  {
    name: 'lines go on over missing values in charts',
    file: 'src/cli/line-chart.ts',
    from: '        before = undefined;\n        continue;',
    to: '        continue;',
  },
  {
    name: 'the list of jobs shows gaps between its listings',
    file: 'src/console/jobs/job-feed.ts',
    from: '(end === undefined || readTo > end)) end = readTo;',
    to: '(end === undefined || readTo < end)) end = readTo;',
  },
  {
    name: 'a job that was deleted stays in the list',
    file: 'src/console/jobs/job-feed.ts',
    from: '      this.#jobs.delete(id);\n',
    to: '',
  },
  {
    name: 'jobs that come in above move what is read',
    file: 'src/console/jobs/job-list.tsx',
    from: 'if (now > before.first) box.current.scrollTop += (now - before.first) * ROW;',
    to: 'if (now > before.first) box.current.scrollTop += 0 * (now - before.first) * ROW;',
  },
  {
    name: 'a circuit is run with the qubits of the one before',
    file: 'src/console/composer/composer-page.tsx',
    from: 'isLive.value && live.value',
    to: 'live.value',
  },
  {
    name: 'a text that is not read yet hinders no run',
    file: 'src/console/composer/editor.ts',
    from: 'if (draft.value === undefined) return undefined;',
    to: 'if (draft.value?.fault === undefined) return undefined;',
  },
  {
    name: 'a text takes the gates that one before it was read as',
    file: 'src/console/composer/work.ts',
    from: 'if (work.draft !== draft) return work;',
    to: '',
  },
  {
    name: 'an example that is opened loses the text that was the source',
    file: 'src/console/composer/work.ts',
    from: 'isSame ? work.past : [...work.past, withDraft(work)]',
    to: 'isSame ? work.past : [...work.past, { ...withDraft(work), text: undefined }]',
  },
  {
    name: 'a link has no checksum',
    file: 'src/console/composer/permalink.ts',
    from: "new CompressionStream('deflate')",
    to: "new CompressionStream('deflate-raw')",
  },
  {
    name: 'a controlled gate on the last wire goes up',
    file: 'src/console/composer/editor.ts',
    from: 'MAX_QUBITS - width',
    to: 'now.numQubits - width',
  },
  {
    name: 'a dialog that acts stays busy after an error',
    file: 'src/console/shell/forms.tsx',
    from: '      error.value = thrown;\n    }',
    to: '      error.value = thrown;\n      return;\n    }',
  },
  {
    name: 'the list of keys is not read again after a key was revoked',
    file: 'src/console/account/keys-view.tsx',
    from: '    close();\n    reload();',
    to: '    close();\n    if (text !== undefined) reload();',
  },
  {
    name: 'the demo may run before its limit has ended',
    file: 'src/console/demo/demo-state.ts',
    from: 'Math.ceil((until - now) / 1000)',
    to: 'Math.floor((until - now) / 1000)',
  },
  {
    name: 'a gate under a condition is drawn before the measurement that it reads',
    file: 'src/console/composer/edited-circuit.ts',
    from: '...[...reads, ...writes].map((bit) => written.get(bit) ?? 0),',
    to: '...writes.map((bit) => written.get(bit) ?? 0),',
  },
  {
    name: 'outcomes that only the other run has are left out of a histogram',
    file: 'src/console/drawing/histogram-data.ts',
    from: 'new Set([...counts.keys(), ...(other?.counts.keys() ?? [])]);\n  for (const [outcome, p',
    to: 'new Set([...counts.keys()]);\n  for (const [outcome, p',
  },
  {
    name: 'a page that is hidden asks the service on',
    file: 'src/console/shell/poll.ts',
    from: 'if (waitMs !== undefined && !document.hidden && !isOver)',
    to: 'if (waitMs !== undefined && !isOver)',
  },
];
