/** The scheme of colours: the system's, light or dark, as the visitor has chosen for all pages of the service. */
import { effect, signal } from '@preact/signals';

type Scheme = 'system' | 'light' | 'dark';

const SCHEMES: Readonly<Record<Scheme, { readonly label: string; readonly next: Scheme }>> = {
  system: { label: 'Colours: system', next: 'light' },
  light: { label: 'Colours: light', next: 'dark' },
  dark: { label: 'Colours: dark', next: 'system' },
};
const SCHEME = 'qcs-scheme';
const scheme = signal<Scheme>(storedScheme());

effect(() => {
  const { dataset } = document.documentElement;
  if (scheme.value === 'system') delete dataset['scheme'];
  else dataset['scheme'] = scheme.value;
});

function storedScheme(): Scheme {
  const stored = localStorage.getItem(SCHEME);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Goes round the schemes. */
export function SchemeButton() {
  const { label, next } = SCHEMES[scheme.value];
  const choose = () => {
    scheme.value = next;
    localStorage.setItem(SCHEME, next);
  };
  return (
    <button type="button" class="chip" onClick={choose}>
      {label}
    </button>
  );
}
