/**
 * Opening something at a peer within a time in which this process runs: a node that is short of processor must not
 * take its own slowness for that of its peers.
 */
import { afterRunning, type Clock } from 'svc-base/pure';

/** Aborts the signal that the opening is given when the time is over. */
export async function withPatience<Opened>(
  clock: Clock,
  millis: number,
  open: (signal: AbortSignal) => Promise<Opened>,
): Promise<Opened> {
  const controller = new AbortController();
  const cancel = afterRunning(clock, millis, () => {
    controller.abort(new Error(`not open within ${millis} ms`));
  });
  try {
    return await open(controller.signal);
  } finally {
    cancel();
  }
}
