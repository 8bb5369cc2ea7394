/**
 * The twelve windows of an epoch as dots: those in which a validator was present are filled.
 */

import type { JSX } from 'preact';
import type { Attendance as AttendanceDocument } from 'svc-api';

export function Attendance({ attendance }: { attendance: AttendanceDocument }): JSX.Element {
  const { windows, present, epoch } = attendance;
  const label = `Present in ${present} of ${windows.length} windows of epoch ${epoch}`;
  return (
    <span class="attendance" role="img" aria-label={label} title={label}>
      {windows.map((isPresent, place) => (
        <i key={place} class={isPresent ? 'present' : ''} />
      ))}
    </span>
  );
}
