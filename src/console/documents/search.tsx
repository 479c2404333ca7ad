/** Field that searches the guides and the API reference. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Entry, foundEntries } from './found-entries.ts';

const MOST = 12;

export function Search() {
  const text = useSignal('');
  const entries = useSignal<readonly Entry[] | undefined>(undefined);
  const field = useRef<HTMLInputElement>(null);
  const load = async () => {
    if (entries.value !== undefined) return;
    const answer = await fetch('/docs/search.json');
    if (answer.ok) entries.value = await answer.json();
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping) return;
      event.preventDefault();
      field.current?.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  const found = foundEntries(entries.value ?? [], text.value, MOST);
  const isAsked = text.value.trim() !== '';
  return (
    <search
      class="search"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        text.value = '';
        field.current?.focus();
      }}
    >
      <input
        ref={field}
        type="search"
        aria-label="Search the guides and the API"
        placeholder="Search (/)"
        value={text.value}
        onFocus={() => void load()}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          void load();
        }}
      />
      {isAsked && (
        <div class="card found">
          <p class="note" role="status">
            {entries.value === undefined ? 'Loading …' : countInWords(found.length)}
          </p>
          <ul>
            {found.map(({ path, title, section, excerpt }) => (
              <li key={path}>
                <a href={path}>{section === '' ? title : `${title}: ${section}`}</a>
                <p class="note">{excerpt}</p>
              </li>
            ))}
          </ul>
        </div>
      )}
    </search>
  );
}

function countInWords(count: number): string {
  if (count === 0) return 'Nothing has these words.';
  return count === MOST ? `The first ${MOST} found` : `${count} found`;
}
