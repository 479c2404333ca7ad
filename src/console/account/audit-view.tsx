/** The audit log: acts of administrators, newest first. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AuditEntry } from '../../client/api-types.ts';
import { grouped } from '../numbers.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { SelectField, TextField, useAct } from '../shell/forms.tsx';
import { Problem } from '../shell/notice.tsx';
import { client } from '../shell/session.ts';
import {
  ACTION_NAMES,
  type AuditFilter,
  actionName,
  detailsInWords,
  entryInWords,
  matchingEntries,
  timeInWords,
} from './key-words.ts';

const PAGE_SIZE = 50;

interface Log {
  readonly entries: readonly AuditEntry[];
  /** Cursor of the next, older page; null after the last one. */
  readonly next: string | null;
}

export function AuditView() {
  const log = useSignal<Log>();
  const { error, isBusy, run } = useAct();
  const filter = useSignal<AuditFilter>({ action: '', text: '' });
  const read = (cursor?: string) =>
    run(async () => {
      const page = await client.value.request('GET /admin/audit', {
        query: { limit: PAGE_SIZE, cursor },
      });
      const before = cursor === undefined ? [] : (log.value?.entries ?? []);
      log.value = { entries: [...before, ...page.entries], next: page.next_cursor };
    });
  useEffect(() => read(), []);
  return (
    <div class="stack">
      <section class="card" aria-labelledby="audit-title">
        <div class="head">
          <h2 id="audit-title">Audit log</h2>
          <button type="button" disabled={isBusy} onClick={() => read()}>
            Read it again
          </button>
        </div>
        <p class="note">Nobody can change or delete an entry. It holds no secrets.</p>
        <Problem error={error} />
        {log.value !== undefined && (
          <Entries
            log={log.value}
            filter={filter.value}
            isBusy={isBusy}
            onFilter={(next) => {
              filter.value = next;
            }}
            onOlder={read}
          />
        )}
      </section>
      <ApiPanel
        call={{ route: 'GET /admin/audit', query: { limit: PAGE_SIZE } }}
        title="The audit log by HTTP"
      />
    </div>
  );
}

function Entries(props: {
  readonly log: Log;
  readonly filter: AuditFilter;
  readonly isBusy: boolean;
  readonly onFilter: (filter: AuditFilter) => void;
  readonly onOlder: (cursor: string) => void;
}) {
  const { log, filter, isBusy, onFilter, onOlder } = props;
  const matching = matchingEntries(log.entries, filter);
  const { next } = log;
  return (
    <>
      <div class="filters">
        <SelectField
          label="Action"
          value={filter.action}
          options={[['', 'All'], ...ACTION_NAMES.map((name) => [name, actionName(name)] as const)]}
          onChoose={(action) => onFilter({ ...filter, action })}
        />
        <TextField
          label="Key, device or detail"
          type="search"
          value={filter.text}
          onText={(text) => onFilter({ ...filter, text })}
        />
        <p class="note" role="status">
          {grouped(matching.length)} of {grouped(log.entries.length)} entries
          {next === null ? '' : ', and there are older ones'}
        </p>
      </div>
      <ol class="rows">
        {matching.map((entry, i) => (
          <Entry key={`${entry.at} ${entry.subject} ${i}`} entry={entry} />
        ))}
      </ol>
      {next !== null && (
        <button type="button" disabled={isBusy} onClick={() => onOlder(next)}>
          Older entries
        </button>
      )}
    </>
  );
}

function Entry({ entry }: { readonly entry: AuditEntry }) {
  const { actor, did, subject } = entryInWords(entry);
  const details = detailsInWords(entry);
  return (
    <li>
      <div>
        <p>
          <code>{actor}</code> {did} <code>{subject}</code>
        </p>
        {details.length > 0 && <p class="note">{details.join('; ')}</p>}
      </div>
      <time dateTime={entry.at} class="note">
        {timeInWords(entry.at)}
      </time>
    </li>
  );
}
