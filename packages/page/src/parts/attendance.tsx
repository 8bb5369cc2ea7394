/**
 * The twelve windows of an epoch as dots: those in which a validator was present are filled. A calendar has one column of
 * them for every epoch.
 */

import type { JSX } from 'preact';
import type { Attendance as AttendanceDocument } from 'svc-api';
import { whole } from '../format/figures.ts';

const WINDOWS = 12;

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

/** Epochs from left to right, and the windows of each below each other. Epochs that the node has not seen stay empty. */
export function Calendar(props: { epochs: readonly AttendanceDocument[] }): JSX.Element | null {
  const known = new Map(props.epochs.map((each) => [each.epoch, each]));
  if (known.size === 0) return null;
  const first = Math.min(...known.keys());
  const last = Math.max(...known.keys());
  const epochs = Array.from({ length: last - first + 1 }, (_, place) => first + place);
  const label = `Attendance from epoch ${first} to epoch ${last}, a column for each`;
  return (
    <figure class="calendar" aria-label={label}>
      <div role="list">
        {epochs.map((epoch) => (
          <Day key={epoch} epoch={epoch} attendance={known.get(epoch)} />
        ))}
      </div>
      <p class="ends" aria-hidden="true">
        <span>epoch {whole(first)}</span>
        {first === last ? null : <span>epoch {whole(last)}</span>}
      </p>
    </figure>
  );
}

function Day(props: { epoch: number; attendance: AttendanceDocument | undefined }): JSX.Element {
  const { epoch, attendance } = props;
  const said =
    attendance === undefined
      ? 'not seen by this node'
      : `present in ${attendance.present} of ${attendance.windows.length} windows`;
  const windows = attendance?.windows ?? Array.from({ length: WINDOWS }, () => undefined);
  return (
    <span role="listitem" title={`Epoch ${whole(epoch)}: ${said}`}>
      <span class="unseen">
        Epoch {whole(epoch)}: {said}
      </span>
      {windows.map((isPresent, place) => (
        <i key={place} class={isPresent === undefined ? 'unknown' : isPresent ? 'present' : ''} />
      ))}
    </span>
  );
}
