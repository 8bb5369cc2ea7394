/**
 * The JSON documents of the messenger, as types. Integers are decimal strings, bytes are lower-case hexadecimal.
 */
import type { Network } from '../base/networks.ts';

/** What `messengerLimits` returns. */
export interface MessengerLimits {
  readonly version: string;
  /** Every payload travels on a payment of this many atoms. */
  readonly payment_atoms: string;
  readonly max_text_bytes: string;
  readonly request_payload_bytes: string;
  readonly accept_payload_bytes: string;
  /** The lengths that message payloads have. */
  readonly message_payload_bytes: readonly string[];
  readonly max_payments: string;
  readonly max_own_addresses: string;
}

/** What `messengerRequest` takes: who asks whom for a chat. */
export interface MessengerParties {
  readonly network: Network;
  readonly sender_address: string;
  readonly recipient_address: string;
}

/** What `messengerAccept` takes; the sender is the one who accepts. */
export interface MessengerAcceptance extends MessengerParties {
  readonly request_payload_hex: string;
}

/** What `messengerMessage` takes. */
export interface MessengerText extends MessengerAcceptance {
  readonly accept_payload_hex: string;
  readonly sequence: string;
  readonly text: string;
}

/** What the three of them return: the payment that carries the payload. */
export interface MessengerPayment {
  readonly chat_id: string;
  readonly sender_address: string;
  readonly recipient_address: string;
  readonly amount: string;
  readonly payload_hex: string;
}

/** What `messengerChats` takes. */
export interface MessengerHistory {
  readonly network: Network;
  readonly own_addresses: readonly string[];
  readonly payments: readonly {
    readonly transaction_id: string;
    /** Absent while the payment is not final. */
    readonly height?: string;
    /** The owner of all inputs. The caller has verified the transaction with the outputs that it spent: this is not done here. */
    readonly sender_address: string;
    readonly recipient_address: string;
    readonly payload_hex: string;
  }[];
}

export interface MessengerMessage {
  readonly transaction_id: string;
  readonly height?: string;
  readonly direction: 'sent' | 'received';
  readonly sequence: string;
  readonly text: string;
}

export interface MessengerChat {
  readonly chat_id: string;
  /** `requested` by this wallet, `invited` by the peer, or `open` once accepted. */
  readonly state: 'requested' | 'invited' | 'open';
  readonly own_address: string;
  readonly peer_address: string;
  readonly peer_messenger_id: string;
  readonly request_transaction_id: string;
  readonly request_payload_hex: string;
  readonly accept_transaction_id?: string;
  readonly accept_payload_hex?: string;
  readonly next_sequence: string;
  readonly messages: readonly MessengerMessage[];
}

/** What `messengerChats` returns. */
export interface MessengerChats {
  readonly chats: readonly MessengerChat[];
  /** Payments that belong to no chat, and why. */
  readonly ignored: readonly { readonly transaction_id: string; readonly reason: string }[];
}
