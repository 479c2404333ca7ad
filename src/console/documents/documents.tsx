/**
 * Entry of the guides and of the API reference: colours as chosen, search, copies of listings, requests that are tried
 * out, and the focus in view. The pages can be read without it.
 */
import '../colours.css';
import '../console.css';
import './documents.css';
import { render } from 'preact';
import { CopyButton } from '../shell/api-panel.tsx';
import { showFocus } from '../shell/focus.ts';
import { SchemeButton } from '../shell/scheme.tsx';
import { Search } from './search.tsx';

showFocus();
const tools = document.getElementById('tools');
if (tools !== null) {
  render(
    <>
      <Search />
      <SchemeButton />
    </>,
    tools,
  );
}
for (const listing of document.querySelectorAll('.code')) {
  const place = document.createElement('div');
  place.className = 'copy';
  listing.append(place);
  render(<CopyButton text={listing.querySelector('code')?.textContent ?? ''} />, place);
}
const tried = document.getElementById('try');
const operation = document.getElementById('operation')?.textContent;
if (tried !== null && operation !== undefined) {
  const { TryIt } = await import('./try-it.tsx');
  render(<TryIt operation={JSON.parse(operation)} />, tried);
}
