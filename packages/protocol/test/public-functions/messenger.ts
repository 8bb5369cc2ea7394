/** The messenger: a chat from request to message, rebuilt from payments by both sides. */
import type { PublicCheck } from './check.ts';
import { document, equal, holds, unhex } from './check.ts';
import { NETWORK, withWallet } from './fixture.ts';

const OTHER_PHRASE = `${'zoo '.repeat(23)}vote`;

const messenger: PublicCheck = {
  functions: [
    'messengerLimits',
    'isMessengerPayload',
    'messengerId',
    'messengerRequest',
    'messengerAccept',
    'messengerMessage',
    'messengerChats',
  ],
  run: (svc) =>
    withWallet(svc, ({ root: alice, addresses: [from = ''] }) => {
      const bob = svc.WalletRoot.fromMnemonic(OTHER_PHRASE);
      const to = svc.addressFromPublicKey(bob.derivePublicKey(0, 0, 0), NETWORK);
      const there = { sender_address: from, recipient_address: to };
      const back = { sender_address: to, recipient_address: from };
      const inNetwork = (fields: object) => JSON.stringify({ network: NETWORK, ...fields });
      const payloadOf = (text: string) => String(document(text)['payload_hex']);
      const request = payloadOf(alice.messengerRequest(0, inNetwork(there)));
      const accept = payloadOf(
        bob.messengerAccept(0, inNetwork({ ...back, request_payload_hex: request })),
      );
      const opened = { request_payload_hex: request, accept_payload_hex: accept };
      const written = { ...there, ...opened, sequence: '0', text: 'Tea at five?' };
      const message = payloadOf(alice.messengerMessage(0, inNetwork(written)));
      const payments = [there, back, there].map((parties, i) => ({
        ...parties,
        transaction_id: String(i).repeat(96),
        height: String(10 + i),
        payload_hex: [request, accept, message][i],
      }));
      for (const { payload_hex } of payments) {
        holds(svc.isMessengerPayload(unhex(payload_hex ?? '')), 'a messenger payload');
      }
      holds(!svc.isMessengerPayload(Uint8Array.of(1, 2, 3)), 'nothing else is one');
      const chats = [
        { root: alice, own: from },
        { root: bob, own: to },
      ].map(({ root, own }) => {
        return root.messengerChats(0, inNetwork({ own_addresses: [own], payments }));
      });
      for (const chat of chats) holds(chat.includes('Tea at five?'), 'both sides read the text');
      equal(bob.messengerId(0, 0, 0, NETWORK).length, 96, 'messenger id');
      bob.free();
      return [svc.messengerLimits(), alice.messengerId(0, 0, 0, NETWORK)];
    }),
};

export const messengerChecks: readonly PublicCheck[] = [messenger];
