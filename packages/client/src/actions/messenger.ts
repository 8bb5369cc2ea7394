/**
 * Sealed messages between two addresses. They travel as payloads of payments of one atom, so everything that was said can be
 * read back from the chain with the words of the account alone.
 */
import type { Client } from '../client.ts';
import { ClientError } from '../client-error.ts';
import type { CallOptions } from '../routes/route-types.ts';
import type { Account } from './account.ts';
import { type Paid, type PayingClient, payWithPayload } from './pay.ts';

export interface ChatMessage {
  readonly transactionId: string;
  readonly direction: 'sent' | 'received';
  readonly text: string;
}

export interface Chat {
  readonly peer: string;
  /** `requested`: asked for by this account. `invited`: asked for by the peer, and waiting for `accept`. */
  readonly state: 'requested' | 'invited' | 'open';
  readonly messages: readonly ChatMessage[];
}

export interface Messenger {
  /** Asks a peer for a chat. */
  request(peer: string, options?: CallOptions): Promise<Paid>;
  /** Accepts the chat that a peer asked for. */
  accept(peer: string, options?: CallOptions): Promise<Paid>;
  /** Sends a text in an open chat. */
  send(peer: string, text: string, options?: CallOptions): Promise<Paid>;
  /** Every chat of the account, from what is final. */
  chats(options?: CallOptions): Promise<Chat[]>;
}

type MessengerClient = PayingClient & Pick<Client, 'transaction'>;

interface ChatDocument {
  readonly state: Chat['state'];
  readonly peer_address: string;
  readonly request_payload_hex: string;
  readonly accept_payload_hex?: string;
  readonly next_sequence: string;
  readonly messages: readonly {
    readonly transaction_id: string;
    readonly direction: ChatMessage['direction'];
    readonly text: string;
  }[];
}

/** The messenger of an account. It keeps transactions that it has read, and nothing else. */
export function createMessenger(client: MessengerClient, account: Account): Messenger {
  const read = new Map<string, Payload | undefined>();
  const { network } = account;
  const partiesWith = (peer: string): object => ({
    network,
    sender_address: account.address,
    recipient_address: peer,
  });
  const documents = async (options: CallOptions): Promise<readonly ChatDocument[]> => {
    const payments = await payloadsOf(client, account.address, read, options);
    const request = { network, own_addresses: [account.address], payments };
    const answer = account.messenger('messengerChats', request);
    return (answer as { readonly chats: readonly ChatDocument[] }).chats;
  };
  const chatWith = async (
    peer: string,
    state: Chat['state'],
    options: CallOptions,
  ): Promise<ChatDocument> => {
    const found = (await documents(options)).find(
      (chat) => chat.peer_address === peer && chat.state === state,
    );
    if (found !== undefined) return found;
    throw new ClientError('refused', `there is no chat with ${peer} that is ${state}`, {
      code: 'no_chat',
      hint: 'a request, its acceptance and messages count when they are final',
    });
  };
  const deliver = (peer: string, composed: unknown, options: CallOptions): Promise<Paid> =>
    payWithPayload(client, {
      from: account,
      to: peer,
      amount: 1n,
      payloadHex: (composed as { readonly payload_hex: string }).payload_hex,
      options,
    });
  return {
    request: (peer, options = {}) =>
      deliver(peer, account.messenger('messengerRequest', partiesWith(peer)), options),
    accept: async (peer, options = {}) => {
      const { request_payload_hex } = await chatWith(peer, 'invited', options);
      const request = { ...partiesWith(peer), request_payload_hex };
      return deliver(peer, account.messenger('messengerAccept', request), options);
    },
    send: async (peer, text, options = {}) => {
      const chat = await chatWith(peer, 'open', options);
      const { request_payload_hex, accept_payload_hex, next_sequence: sequence } = chat;
      const opened = { request_payload_hex, accept_payload_hex, sequence, text };
      const composed = account.messenger('messengerMessage', { ...partiesWith(peer), ...opened });
      return deliver(peer, composed, options);
    },
    chats: async (options = {}) => (await documents(options)).map(chatOf),
  };
}

function chatOf({ peer_address: peer, state, messages }: ChatDocument): Chat {
  return {
    peer,
    state,
    messages: messages.map(({ transaction_id: transactionId, direction, text }) => ({
      transactionId,
      direction,
      text,
    })),
  };
}

interface Payload {
  readonly transaction_id: string;
  readonly height: string;
  readonly sender_address: string;
  readonly recipient_address: string;
  readonly payload_hex: string;
}

/** The payloads of all final payments that the address has a part in. */
async function payloadsOf(
  client: Pick<Client, 'pages' | 'transaction'>,
  address: string,
  read: Map<string, Payload | undefined>,
  options: CallOptions,
): Promise<Payload[]> {
  const found: Payload[] = [];
  const seen = new Set<string>();
  for await (const event of client.pages.addressHistory({ address }, options)) {
    const { transaction_id: id, finalized_height: height, source } = event;
    if (seen.has(id) || (event.kind === 'received' && source !== 'regular')) continue;
    seen.add(id);
    if (!read.has(id)) read.set(id, payloadIn(await client.transaction({ id }, options), height));
    const payload = read.get(id);
    if (payload !== undefined) found.push(payload);
  }
  return found;
}

function payloadIn(
  document: Awaited<ReturnType<Client['transaction']>>,
  height: number,
): Payload | undefined {
  const sender = document.inputs[0]?.address;
  const recipient = document.outputs[0]?.address;
  if (document.payload_hex === '' || sender === undefined || recipient === undefined)
    return undefined;
  return {
    transaction_id: document.transaction_id,
    height: String(height),
    sender_address: sender,
    recipient_address: recipient,
    payload_hex: document.payload_hex,
  };
}
