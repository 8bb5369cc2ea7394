/**
 * Sealed messages between two addresses. They travel as payloads of payments of one atom, so every message can be read back
 * from the chain with the words of the account alone. A payload counts only if all inputs of its payment are at one address
 * and are signed for it; its sender is never taken from the node.
 */
import { isMessengerPayload, type TransactionInspection } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import type { Client } from '../client.ts';
import { ClientError } from '../client-error.ts';
import type { CallOptions } from '../routes/route-types.ts';
import type { Account } from './account.ts';
import { type Paid, type PayingClient, payWithPayload } from './pay.ts';
import {
  readInspected,
  readSpentOutputs,
  type SendersUnknown,
  type SpentOutput,
} from './signed-transaction.ts';

/** Every payload of the messenger travels on a payment of this many atoms. */
const MESSENGER_ATOMS = 1n;

/** One text of a chat, in the payment that carried it. */
export interface ChatMessage {
  readonly transactionId: string;
  readonly direction: 'sent' | 'received';
  readonly text: string;
}

/** The messages of an account and one peer. */
export interface Chat {
  readonly peer: string;
  /** `requested`: asked for by this account. `invited`: asked for by the peer, and waiting for `accept`. */
  readonly state: 'requested' | 'invited' | 'open';
  readonly messages: readonly ChatMessage[];
}

/** A payment that may carry a message of a sender who could not be checked. */
export interface UncheckedPayment {
  readonly transactionId: string;
  readonly sendersUnknown: SendersUnknown;
}

/** What an account can do with chats; each step but reading is a payment of one atom. */
export interface Messenger {
  /** Asks a peer for a chat. */
  request(peer: string, options?: CallOptions): Promise<Paid>;
  /** Accepts the chat that a peer asked for. */
  accept(peer: string, options?: CallOptions): Promise<Paid>;
  /** Sends a text in an open chat. */
  send(peer: string, text: string, options?: CallOptions): Promise<Paid>;
  /** Every chat of the account, from what is final; each peer has signed what is shown as the peer's. */
  chats(options?: CallOptions): Promise<Chat[]>;
  /** The payments that `chats` leaves out because their sender cannot be named, and why. */
  unchecked(options?: CallOptions): Promise<UncheckedPayment[]>;
}

type ReadingClient = Pick<
  Client,
  'keysRegistered' | 'pages' | 'transaction' | 'transactionsManifest'
>;
type MessengerClient = PayingClient & ReadingClient;

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

/** The messenger of an account. It keeps the transactions that it has checked, and nothing else. */
export function createMessenger(client: MessengerClient, account: Account): Messenger {
  const checked = new Map<string, Payload | undefined>();
  const { network } = account;
  const partiesWith = (peer: string): object => ({
    network,
    sender_address: account.address,
    recipient_address: peer,
  });
  const documents = async (options: CallOptions): Promise<readonly ChatDocument[]> => {
    const { payments } = await readPayments(client, account.address, checked, options);
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
      amount: MESSENGER_ATOMS,
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
    unchecked: async (options = {}) =>
      (await readPayments(client, account.address, checked, options)).unchecked,
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

interface ReadPayments {
  readonly payments: Payload[];
  readonly unchecked: UncheckedPayment[];
}

/**
 * The payloads of all final payments that the address has a part in. Only checked payments are cached: after a wrong or
 * missing answer the node is asked again.
 */
async function readPayments(
  client: ReadingClient,
  address: string,
  checked: Map<string, Payload | undefined>,
  options: CallOptions,
): Promise<ReadPayments> {
  const found: ReadPayments = { payments: [], unchecked: [] };
  const seen = new Set<string>();
  let manifest: string | undefined;
  for await (const event of client.pages.addressHistory({ address }, options)) {
    const { transaction_id: id, finalized_height: height, source } = event;
    if (seen.has(id) || (event.kind === 'received' && source !== 'regular')) continue;
    seen.add(id);
    if (!checked.has(id)) {
      manifest ??= JSON.stringify(await client.transactionsManifest({}, options));
      const payload = await readPayload(client, manifest, { id, height }, options);
      if (typeof payload === 'string') {
        found.unchecked.push({ transactionId: id, sendersUnknown: payload });
        continue;
      }
      checked.set(id, payload);
    }
    const payload = checked.get(id);
    if (payload !== undefined) found.payments.push(payload);
  }
  return found;
}

/** The payload of a transaction, undefined if it is none of the messenger's, or why its sender is not known. */
async function readPayload(
  client: ReadingClient,
  manifest: string,
  { id, height }: { readonly id: string; readonly height: number },
  options: CallOptions,
): Promise<Payload | SendersUnknown | undefined> {
  const transaction = await readInspected(client, manifest, id, options);
  if (transaction === undefined) return 'not_kept';
  const { payload_hex } = transaction.inspection;
  const recipient = messengerRecipient(transaction.inspection);
  if (recipient === undefined) return undefined;
  const spent = await readSpentOutputs(client, manifest, transaction, options);
  if (typeof spent === 'string') return spent;
  const sender = soleOwner(spent);
  if (sender === undefined) return undefined;
  return {
    transaction_id: id,
    height: String(height),
    sender_address: sender,
    recipient_address: recipient,
    payload_hex,
  };
}

/** The recipient of a payment of one atom with a payload of the messenger. */
function messengerRecipient({ outputs, payload_hex }: TransactionInspection): string | undefined {
  const [first] = outputs;
  if (first === undefined || BigInt(first.amount) !== MESSENGER_ATOMS) return undefined;
  return isMessengerPayload(fromHex(payload_hex)) ? first.address : undefined;
}

function soleOwner(spent: readonly SpentOutput[]): string | undefined {
  const [owner, ...others] = new Set(spent.map(({ address }) => address));
  return others.length === 0 ? owner : undefined;
}
