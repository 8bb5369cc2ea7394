/** Recipient payloads. */
import type { PublicCheck } from './check.ts';
import { equal, hex, refuses } from './check.ts';

const recipientPayloads: PublicCheck = {
  functions: ['encodeRecipientPayloads', 'decodeRecipientPayloads'],
  run: (svc) => {
    const entries = JSON.stringify([
      { output_index: '0', text: 'Invoice 17 ✓' },
      { output_index: '2', bytes_hex: '00ff' },
    ]);
    const payload = svc.encodeRecipientPayloads(entries);
    equal(svc.decodeRecipientPayloads(payload, 3), entries, 'entries');
    refuses(svc, 'bad_payload', () => svc.decodeRecipientPayloads(payload, 2));
    return [hex(payload)];
  },
};

export const payloadChecks: readonly PublicCheck[] = [recipientPayloads];
