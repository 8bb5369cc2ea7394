/**
 * Connections to the Unix socket of a daemon. The system refuses one at once while too many wait there for the daemon to
 * take them. That passes, and nothing was sent by then, so it is tried again for a moment.
 */
import { once } from 'node:events';
import { Agent, type ClientRequestArgs } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, sleep } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';

/** With the pause between them a second. */
export const TRIES_MAX = 50;
const PAUSE_MILLIS = 20;

export async function connectPatiently(
  path: string,
  open: (path: string) => Socket = connect,
  clock: Clock = SYSTEM_CLOCK,
): Promise<Socket> {
  for (let tries = 1; ; tries++) {
    const socket = open(path);
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || tries >= TRIES_MAX) throw error;
    }
    await sleep(clock, PAUSE_MILLIS);
  }
}

/** Makes requests on such connections. */
export class PatientAgent extends Agent {
  override createConnection(
    { path }: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const done = callback as (error: Error | null, stream?: Duplex) => void;
    void connectPatiently(String(path)).then(
      (socket) => done(null, socket),
      (error: Error) => done(error),
    );
  }
}
