/**
 * A process that connects many sockets and throws away what comes: the other end of bare writes.
 */
import { connect } from 'node:net';

export interface ReadersTask {
  readonly port: number;
  readonly sockets: number;
}

/** Sockets of one source address; a port belongs to one socket for each. */
const SOCKETS_A_SOURCE = 1_000;
/** Fewer than the sockets that wait for a listener to take them. */
const AT_ONCE = 400;
const READ_BUFFER = Buffer.alloc(64 << 10);

function open({ port }: ReadersTask, place: number): Promise<void> {
  const localAddress = `127.0.${1 + Math.trunc(place / SOCKETS_A_SOURCE)}.1`;
  return new Promise((resolve, reject) => {
    const onread = { buffer: READ_BUFFER, callback: () => true };
    const socket = connect({ port, host: '127.0.0.1', localAddress, onread });
    socket.on('connect', () => resolve());
    socket.on('error', reject);
  });
}

async function openAll(task: ReadersTask): Promise<void> {
  for (let place = 0; place < task.sockets; place += AT_ONCE) {
    const length = Math.min(AT_ONCE, task.sockets - place);
    await Promise.all(Array.from({ length }, (_, more) => open(task, place + more)));
  }
  process.send?.('connected');
}

process.once('message', (task: ReadersTask) => void openAll(task));
process.once('disconnect', () => process.exit());
