/** The visitor's key, and for administrators all keys and the audit log. */
import './account.css';
import { hashOf, place } from '../shell/route.ts';
import { key, mayUse } from '../shell/session.ts';
import { AuditView } from './audit-view.tsx';
import { KeysView } from './keys-view.tsx';
import { EnterKey, OwnKey } from './own-key.tsx';

const PARTS = [
  { name: '', title: 'Your key' },
  { name: 'keys', title: 'All keys' },
  { name: 'audit', title: 'Audit log' },
] as const;

export function AccountPage() {
  const [part = ''] = place.value.rest;
  const isAdmin = mayUse('admin');
  return (
    <div class="account">
      <div class="hero">
        <h1>Account</h1>
        <p class="lede">
          A key says who you are to the service, what you may do, and how much of it.
        </p>
        {isAdmin && (
          <nav aria-label="Account" class="parts">
            {PARTS.map(({ name, title }) => (
              <a
                key={name}
                class="button"
                href={hashOf(name === '' ? ['account'] : ['account', name])}
                {...(name === part && { 'aria-current': 'page' as const })}
              >
                {title}
              </a>
            ))}
          </nav>
        )}
      </div>
      <Part name={part} isAdmin={isAdmin} />
    </div>
  );
}

function Part({ name, isAdmin }: { readonly name: string; readonly isAdmin: boolean }) {
  if (key.value === undefined) return <EnterKey />;
  if (name === '') return <OwnKey />;
  if (!isAdmin) return <p class="notice">This needs a key with the scope admin.</p>;
  return name === 'audit' ? <AuditView /> : <KeysView />;
}
