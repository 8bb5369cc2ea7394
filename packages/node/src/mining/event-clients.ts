/**
 * Who listens to the events of the mining listener: WebSockets and server-sent events. An event is written
 * once for all of each kind. A client that does not read is disconnected.
 */
import type { ServerResponse } from 'node:http';
import type { MiningEvent } from 'svc-api';
import type { Clock } from 'svc-base/pure';
import { registrationWindowEnd } from 'svc-ledger';
import type { Chain, FinalizedCut } from 'svc-serve/ports';
import { toHex } from 'svc-wasm/base';
import type { WebSocket } from 'ws';

const CLIENTS_MAX = 64;
/** Bytes that a client may leave unread. */
const UNREAD_MAX = 64 << 10;
const BEAT_MILLIS = 15_000;
const TRY_AGAIN_LATER = 1013;

interface Client {
  readonly unread: number;
  send(event: MiningEvent, text: string): void;
  beat(): void;
  end(): void;
}

export class EventClients {
  readonly #clients = new Set<Client>();
  readonly #unfollow: () => void;
  readonly #clock: Clock;
  #stopBeat: () => void;

  constructor(chain: Pick<Chain, 'finalized'>, clock: Clock) {
    this.#clock = clock;
    this.#unfollow = chain.finalized.on((cut) => this.#tell(eventOf(cut)));
    this.#stopBeat = clock.after(BEAT_MILLIS, () => this.#beat());
  }

  get isFull(): boolean {
    return this.#clients.size >= CLIENTS_MAX;
  }

  get count(): number {
    return this.#clients.size;
  }

  addSocket(socket: WebSocket): void {
    const client: Client = {
      get unread() {
        return socket.bufferedAmount;
      },
      send: (_, text) => socket.send(text),
      beat: () => socket.ping(),
      end: () => {
        socket.close(TRY_AGAIN_LATER);
        socket.terminate();
      },
    };
    this.#clients.add(client);
    socket.on('close', () => this.#clients.delete(client));
    socket.on('error', () => socket.terminate());
    socket.on('message', (_, isBinary) => socket.close(isBinary ? 1003 : 1008));
  }

  addResponse(response: ServerResponse): void {
    const client: Client = {
      get unread() {
        return response.writableLength;
      },
      send: ({ data }, text) => response.write(`id: ${data.height}\ndata: ${text}\n\n`),
      beat: () => response.write(':\n\n'),
      end: () => response.destroy(),
    };
    this.#clients.add(client);
    response.on('close', () => this.#clients.delete(client));
    response.on('error', () => response.destroy());
  }

  close(): void {
    this.#unfollow();
    this.#stopBeat();
    for (const client of this.#clients) client.end();
  }

  #tell(event: MiningEvent): void {
    const text = JSON.stringify(event);
    this.#each((client) => client.send(event, text));
  }

  #beat(): void {
    this.#each((client) => client.beat());
    this.#stopBeat = this.#clock.after(BEAT_MILLIS, () => this.#beat());
  }

  #each(act: (client: Client) => void): void {
    for (const client of this.#clients)
      if (client.unread > UNREAD_MAX) client.end();
      else act(client);
  }
}

function eventOf({ height, cutId, header }: FinalizedCut): MiningEvent {
  return {
    type: 'cut_finalized',
    data: {
      height,
      cut_id: cutId,
      target: toHex(header.workTarget),
      registration_window_end: registrationWindowEnd(height),
    },
  };
}
