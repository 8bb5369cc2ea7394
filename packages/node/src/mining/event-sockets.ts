/**
 * Turns requests for `/v1/events` into WebSockets. Everything that is not that is refused as HTTP.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { MINING_EVENTS_PROTOCOL } from 'svc-api';
import { Refused, refusalOf, refuseUpgrade } from 'svc-serve';
import { WebSocketServer } from 'ws';
import type { EventClients } from './event-clients.ts';

const PATH = '/v1/events';
/** The longest frame that a client may send; clients have nothing to say. */
const FRAME_BYTES_MAX = 1_024;

export class EventSockets {
  readonly #clients: EventClients;
  readonly #expectLocal: (request: IncomingMessage) => void;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_BYTES_MAX,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: () => MINING_EVENTS_PROTOCOL,
  });

  constructor(clients: EventClients, expectLocal: (request: IncomingMessage) => void) {
    this.#clients = clients;
    this.#expectLocal = expectLocal;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    try {
      this.#expectLocal(request);
      this.#expectEvents(request);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      refuseUpgrade(socket, refusal);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (client) => this.#clients.addSocket(client));
  }

  #expectEvents({ url, headers }: IncomingMessage): void {
    if (url !== PATH) throw new Refused('unknown_route', 'there is no socket at this path');
    const offered = (headers['sec-websocket-protocol'] ?? '').split(',');
    if (!offered.some((name) => name.trim() === MINING_EVENTS_PROTOCOL))
      throw new Refused('subprotocol_required', `expected ${MINING_EVENTS_PROTOCOL}`);
    if (this.#clients.isFull) throw new Refused('too_many_connections', 'too many clients listen');
  }
}
