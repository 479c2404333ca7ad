/** Entry of the console. */
import { render } from 'preact';
import { App } from './shell/app.tsx';
import { showFocus } from './shell/focus.ts';
import { followOtherTabs } from './shell/other-tabs.ts';
import { followAddress } from './shell/route.ts';
import { renewKeyInfo } from './shell/session.ts';

const root = document.getElementById('console');
if (root === null) throw new Error('unreachable: the page has no element for the console');
followAddress();
showFocus();
followOtherTabs();
void renewKeyInfo();
root.replaceChildren();
render(<App />, root);
