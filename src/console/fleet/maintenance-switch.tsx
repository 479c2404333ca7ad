/** Takes a device or processor out of service, or puts it back, after asking. */

import { useSignal } from '@preact/signals';
import { ActDialog, TextField } from '../shell/forms.tsx';
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
  const isAsked = useSignal(false);
  const reason = useSignal('');
  const done = useSignal('');
  const { kind, id, isOut } = target;
  if (!mayUse('admin')) {
    // The scopes of the key are unknown before the service's answer.
    if (keyInfo.value === undefined) return null;
    return (
      <p class="small">
        A key with the scope <code>admin</code> can take it out of service for maintenance.
      </p>
    );
  }
  const action = isOut ? `Put ${id} back into service` : `Take ${id} out of service`;

  const ask = (isOpen: boolean) => {
    isAsked.value = isOpen;
    reason.value = '';
  };
  const act = async () => {
    const body = isOut ? { enabled: false } : { enabled: true, reason: reason.value.trim() };
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
    ask(false);
    onDone();
  };

  return (
    <>
      <button type="button" onClick={() => ask(true)}>
        {action} …
      </button>
      <p class="small" role="status">
        {done.value}
      </p>
      {isAsked.value && (
        <ActDialog
          title={`${action}?`}
          action={action}
          refusal="Cancel"
          act={act}
          onClose={() => ask(false)}
        >
          {() => (
            <>
              <ul>
                {maintenanceEffects(target).map((effect) => (
                  <li key={effect}>{effect}</li>
                ))}
              </ul>
              {!isOut && (
                <TextField
                  label="Reason, which callers are shown"
                  required
                  pattern=".*\S.*"
                  maxLength={MAX_REASON}
                  value={reason.value}
                  onText={(text) => {
                    reason.value = text;
                  }}
                />
              )}
            </>
          )}
        </ActDialog>
      )}
    </>
  );
}
