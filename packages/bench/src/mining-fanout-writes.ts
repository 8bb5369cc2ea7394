/**
 * What it costs to write one message to each of many sockets, with nothing else: the least that any fan-out of jobs takes.
 * As a program this file is the other end: it connects many sockets and discards what they receive.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

interface ReadersTask {
  readonly port: number;
  readonly sockets: number;
}

export class BareWrites {
  readonly #messages: readonly Uint8Array[];
  readonly #server: Server;
  readonly #readers: ChildProcess;
  readonly #sockets: readonly Socket[];

  private constructor(
    messages: readonly Uint8Array[],
    server: Server,
    readers: ChildProcess,
    sockets: readonly Socket[],
  ) {
    this.#messages = messages;
    this.#server = server;
    this.#readers = readers;
    this.#sockets = sockets;
  }

  /** Sockets get these messages in turn. */
  static async open(messages: readonly Uint8Array[], count: number): Promise<BareWrites> {
    const sockets: Socket[] = [];
    const server = createServer({ noDelay: true }, (socket) => void sockets.push(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const readers = fork(new URL(import.meta.url));
    const { port } = server.address() as { readonly port: number };
    readers.send({ port, sockets: count } satisfies ReadersTask);
    const gone = once(readers, 'exit').then(() => undefined);
    if ((await Promise.race([once(readers, 'message'), gone])) === undefined)
      throw new Error('the readers are gone');
    return new BareWrites(messages, server, readers, sockets);
  }

  /** Processor time of this thread for one message to each, in milliseconds. */
  async round(): Promise<number> {
    const before = process.threadCpuUsage();
    for (const [place, socket] of this.#sockets.entries())
      socket.write(this.#messages[place % this.#messages.length] as Uint8Array);
    await new Promise(setImmediate);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    if (this.#readers.connected) this.#readers.disconnect();
  }
}

/** Sockets of one source address; a port belongs to one socket for each. */
const SOCKETS_A_SOURCE = 1_000;
/** Fewer than the backlog of a listener. */
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

if (import.meta.main) {
  process.once('message', (task: ReadersTask) => void openAll(task));
  process.once('disconnect', () => process.exit());
}
