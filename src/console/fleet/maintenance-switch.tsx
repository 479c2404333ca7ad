/** Takes a device or processor out of service, or puts it back, after asking. */
import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { Problem } from '../shell/notice.tsx';
import { client, keyInfo, mayUse } from '../shell/session.ts';
import { type MaintenanceTarget, maintenanceEffects } from './device-words.ts';

const MAX_REASON = 200;

/**
 * A button for keys with the scope admin, and a note for other keys.
 *
 * @param onDone - Called when the service has done it.
 */
export function MaintenanceSwitch({
  target,
  onDone,
}: {
  readonly target: MaintenanceTarget;
  readonly onDone: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const reason = useSignal('');
  const error = useSignal<unknown>(undefined);
  const isSending = useSignal(false);
  const done = useSignal('');
  const titleId = useId();
  const { kind, id, isOut } = target;
  if (!mayUse('admin')) {
    // Before the service has said what the key may do, nothing is known.
    if (keyInfo.value === undefined) return null;
    return (
      <p class="small">
        A key with the scope <code>admin</code> can take it out of service for maintenance.
      </p>
    );
  }
  const action = isOut ? `Put ${id} back into service` : `Take ${id} out of service`;

  const open = () => {
    error.value = undefined;
    reason.value = '';
    dialog.current?.showModal();
  };
  const send = async (event: Event) => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    error.value = undefined;
    const body = isOut ? { enabled: false } : { enabled: true, reason: reason.value.trim() };
    try {
      await (kind === 'device'
        ? client.value.request('POST /admin/fleet/devices/{device_id}/maintenance', {
            path: { device_id: id },
            body,
          })
        : client.value.request('POST /admin/processors/{processor_id}/maintenance', {
            path: { processor_id: id },
            body,
          }));
      done.value = isOut ? `${id} is back in service.` : `${id} is in maintenance.`;
      dialog.current?.close();
      onDone();
    } catch (problem) {
      error.value = problem;
    } finally {
      isSending.value = false;
    }
  };

  return (
    <>
      <button type="button" onClick={open}>
        {action} …
      </button>
      <p class="small" role="status">
        {done.value}
      </p>
      <dialog ref={dialog} class="card ask" aria-labelledby={titleId}>
        <form onSubmit={(event) => void send(event)}>
          <h2 id={titleId}>{action}?</h2>
          <ul>
            {maintenanceEffects(target).map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
          {!isOut && (
            <label class="field">
              <span>Reason, which callers are shown</span>
              <input
                required
                pattern=".*\S.*"
                maxLength={MAX_REASON}
                value={reason.value}
                onInput={(event) => {
                  reason.value = event.currentTarget.value;
                }}
              />
            </label>
          )}
          <Problem error={error.value} />
          <div class="choices">
            <button type="submit" class="primary" aria-disabled={isSending.value}>
              {isSending.value ? 'Asking the service …' : action}
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
