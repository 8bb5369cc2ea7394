/**
 * Where a node of a private network lives: an address, ports, and a command that puts a process there.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

export interface Place {
  readonly host: string;
  readonly peerPort: number;
  readonly overlayPort: number;
  /** What stands before a command so that it runs there. */
  readonly prefix: readonly string[];
}

const LOOPBACK = '127.0.0.1';

/** On this machine, beside everything else. */
export async function loopbackPlace(): Promise<Place> {
  const [peerPort, overlayPort] = [await freePort(), await freePort()];
  return { host: LOOPBACK, peerPort, overlayPort, prefix: [] };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, LOOPBACK);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
