/**
 * A server of the mining protocol for tests: real sockets and real messages, answers as the test wants them.
 */

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import {
  type ClientMessage,
  encodeMessage,
  type Message,
  MessageStream,
  type Notify,
  type Protocol,
  type Submit,
  type Subscribed,
  targetOf,
} from 'svc-mining';
import { type PowKey, PowPeriods } from 'svc-mining/pow';
import { POW_SIZES } from 'svc-wasm/kernel';

const periods = new PowPeriods({
  chainId: new Uint8Array(48).fill(1),
  parameters: { network: 'development', interval: 576 },
});
const { cacheBytes, datasetBytes } = POW_SIZES.development;

/** What datasets of the first period are made from. */
export function firstKey(): PowKey {
  return periods.keyOf(0);
}

export interface Client {
  send(message: Message): void;
  end(): void;
}

export interface ScriptedServerOptions {
  readonly prefix?: number;
  readonly onSubmit?: (share: Submit, client: Client) => void;
  /** Answers a subscription otherwise than a good server. */
  readonly onSubscribe?: (client: Client) => void;
}

export class ScriptedServer {
  readonly subscriptions: (ClientMessage & { readonly type: 'subscribe' })[] = [];
  readonly clients = new Set<Client>();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
    const server = createServer();
    const self = new ScriptedServer(server);
    server.on('connection', (socket) => self.#serve(socket, options));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return self;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  dropAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.dropAll();
    await new Promise((resolve) => void this.#server.close(resolve));
  }

  #serve(socket: Socket, { prefix = 7, onSubmit, onSubscribe }: ScriptedServerOptions): void {
    this.#sockets.add(socket);
    const stream = new MessageStream();
    const protocol = (): Protocol => stream.protocol ?? 'svc-mining-v1';
    const client: Client = {
      send: (message) => void socket.write(encodeMessage(message, protocol())),
      end: () => void socket.destroy(),
    };
    this.clients.add(client);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.clients.delete(client);
    });
    socket.on('data', (bytes: Buffer) => {
      for (const message of stream.push(bytes)) {
        if (message.type === 'subscribe') {
          this.subscriptions.push(message);
          if (onSubscribe !== undefined) onSubscribe(client);
          else client.send(subscribed(message.id, prefix, message.resume !== undefined));
        }
        if (message.type === 'authorize') {
          const [address = '', worker = ''] = message.username.split('.');
          client.send({ type: 'authorized', id: message.id, accepted: true, address, worker });
          client.send(jobOf(1));
        }
        if (message.type === 'submit') {
          if (onSubmit === undefined)
            client.send({ type: 'submitted', id: message.id, accepted: true });
          else onSubmit(message, client);
        }
      }
    });
  }
}

function subscribed(id: number, prefix: number, isResumed: boolean): Subscribed {
  return {
    type: 'subscribed',
    id,
    session: new Uint8Array(16).fill(prefix),
    noncePrefix: new Uint8Array(4).fill(prefix),
    network: 'development',
    chainId: new Uint8Array(48).fill(1),
    pow: {
      cacheItems: cacheBytes / 64,
      datasetPages: datasetBytes / 128,
      period: 0,
      seed: periods.keyOf(0).seed,
      nextSeed: periods.keyOf(1).seed,
    },
    protocolVersions: ['svc-mining-v1', 'svc-mining-v2'],
    isResumed,
  };
}

export function jobOf(job: number, difficulty = 64n): Notify {
  const header = new Uint8Array(312).fill(job & 0xff, 16, 288);
  return {
    type: 'notify',
    job,
    header,
    blockTarget: new Uint8Array(32),
    shareTarget: targetOf(difficulty),
    height: job,
    anchorHeight: job,
    expiresHeight: job + 96,
    period: 0,
    isClean: false,
  };
}
