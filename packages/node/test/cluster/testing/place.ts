/**
 * Where a node of a private network lives: an address, ports, and a command that puts a process there.
 */
import { createServer } from 'node:net';

export interface Place {
  readonly host: string;
  readonly peerPort: number;
  readonly overlayPort: number;
  /** Any that is free if absent. */
  readonly miningPort?: number;
  /** What stands before a command so that it runs there. */
  readonly prefix: readonly string[];
}

const LOOPBACK = '127.0.0.1';
/** Below what systems hand out to connections that leave, which would be taken by the time a node starts. */
const PORT_MIN = 10_000;
const PORTS = 18_000;

/** On this machine, beside everything else. */
export async function loopbackPlace(): Promise<Place> {
  const [peerPort, overlayPort] = [await freePort(), await freePort()];
  return { host: LOOPBACK, peerPort, overlayPort, prefix: [] };
}

async function freePort(): Promise<number> {
  for (;;) {
    const port = PORT_MIN + Math.floor(Math.random() * PORTS);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, LOOPBACK, () => server.close(() => resolve(true)));
  });
}
