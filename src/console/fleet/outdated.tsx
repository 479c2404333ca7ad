/** What the service has said, in grey with its age while the service says no more. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ago } from '../numbers.ts';
import { Problem } from '../shell/notice.tsx';

export function Outdated({
  of: data,
  error,
  children,
}: {
  /** The last answer. */
  readonly of: unknown;
  /** Why there is no newer one; undefined while there is. */
  readonly error: unknown;
  readonly children: ComponentChildren;
}) {
  const last = useRef({ data, at: Date.now() });
  if (last.current.data !== data) last.current = { data, at: Date.now() };
  const [, setTick] = useState(0);
  const isOld = error !== undefined;
  useEffect(() => {
    if (!isOld) return;
    const timer = setInterval(() => setTick((tick) => tick + 1), 1000);
    return () => clearInterval(timer);
  }, [isOld]);
  return (
    <>
      <Problem error={error} />
      {isOld && (
        <p class="note">
          <b>What is shown is of {ago(new Date(last.current.at).toISOString(), Date.now())}.</b>
        </p>
      )}
      <div class={isOld ? 'outdated' : ''}>{children}</div>
    </>
  );
}
