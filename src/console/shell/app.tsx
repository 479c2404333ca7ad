/** Frame of the console: name, links to the pages, key, colours; and the page of the present address. */
import { computed, effect, signal } from '@preact/signals';
import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import icon from '../icon.svg';
import { Heading, Problem } from './notice.tsx';
import { PAGES, type Page } from './pages.ts';
import { poll } from './poll.ts';
import { hashOf, place } from './route.ts';
import { SchemeButton } from './scheme.tsx';
import { key, keyInfo } from './session.ts';

type Loaded = { readonly view: ComponentType } | { readonly error: unknown };

const loaded = signal<ReadonlyMap<Page, Loaded>>(new Map());
const page = computed(() => PAGES.find(({ name }) => name === place.value.page));

effect(() => {
  const now = page.value;
  document.title = `${now === undefined ? 'Not found' : now.title} · Quantum Compute Service`;
  if (now !== undefined) void load(now);
});

async function load(one: Page): Promise<void> {
  const known = loaded.peek().get(one);
  if (known !== undefined && !('error' in known)) return;
  const result = await one.load().then(
    (view): Loaded => ({ view }),
    (error: unknown): Loaded => ({ error }),
  );
  loaded.value = new Map([...loaded.peek(), [one, result]]);
}

export function App() {
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the page
      </a>
      <header class="site">
        <a class="brand" href={hashOf([])}>
          <img src={icon} alt="" width="28" height="28" />
          Quantum Compute Service
        </a>
        <nav aria-label="Pages">
          {PAGES.filter(({ name }) => name !== '').map((each) => (
            <a
              key={each.name}
              href={hashOf([each.name])}
              {...(each === page.value && { 'aria-current': 'page' as const })}
            >
              {each.title}
            </a>
          ))}
          <a href="/docs/guides">Guides</a>
          <a href="/docs">API</a>
        </nav>
        <div class="tools">
          <a class="chip" href={hashOf(['account'])}>
            {key.value === undefined ? 'No key' : (keyInfo.value?.name ?? 'Key')}
          </a>
          <SchemeButton />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Boundary key={page.value?.name ?? '?'}>
          <Shown />
        </Boundary>
      </main>
      <footer>This page loads nothing from any other host.</footer>
    </>
  );
}

function Shown() {
  const now = page.value;
  if (now === undefined) {
    return (
      <Heading
        title="There is no such page."
        lede={
          <>
            Go to the <a href={hashOf([])}>start</a>.
          </>
        }
      />
    );
  }
  const state = loaded.value.get(now);
  if (state === undefined) return <p class="plain">Loading …</p>;
  if ('error' in state) return <Unloaded />;
  return <Opened key={now.name} view={state.view} />;
}

/** When a page was loaded anew by itself, in the storage of the tab: milliseconds since 1970. */
const RELOADED = 'qcs-reloaded';
/** Milliseconds between looks whether the service answers again. */
const LOOK_MS = 3000;
/** Milliseconds after which a page that could not be loaded is loaded anew by itself once more. */
const RELOAD_AGAIN_MS = 60_000;

/**
 * A page whose modules could not be loaded. It is loaded anew, with the frame, as soon as the service answers: browsers
 * may keep the failure of a module, and an updated service has other files.
 */
function Unloaded() {
  useEffect(() => {
    const look = poll(async () => {
      const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
      if (Date.now() - last < RELOAD_AGAIN_MS) return LOOK_MS;
      const isThere = await fetch('/healthz', { cache: 'no-store' }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (!isThere) return LOOK_MS;
      sessionStorage.setItem(RELOADED, String(Date.now()));
      window.location.reload();
      return undefined;
    });
    return look.end;
  }, []);
  return (
    <>
      <Problem
        error={
          new Error(
            'This page could not be loaded: the service cannot be reached, or it has been updated. It is loaded again as soon as the service answers.',
          )
        }
      />
      <button type="button" onClick={() => window.location.reload()}>
        Load it now
      </button>
    </>
  );
}

/** A page that has been loaded. Whoever came by a link of the frame goes on from its heading. */
function Opened({ view: View }: { readonly view: ComponentType }) {
  useEffect(() => {
    const heading = document.querySelector<HTMLElement>('#main h1');
    if (heading === null || !document.activeElement?.closest('.site')) return;
    heading.tabIndex = -1;
    heading.focus();
  }, []);
  return <View />;
}

/** Shows an error of a page in its place; the other pages can still be opened. */
class Boundary extends Component<{ readonly children: ComponentChildren }> {
  override state: { readonly error?: unknown } = {};

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    return 'error' in this.state ? <Problem error={this.state.error} /> : this.props.children;
  }
}

/** The address stays: its part after `#` names the page. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
