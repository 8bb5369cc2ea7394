/**
 * Commands of the group `ownership`: one side asks, the owner answers, the first side checks.
 */
import type { CommandRows } from './row.ts';

export const OWNERSHIP_COMMANDS = {
  prove_address: {
    name: 'prove-address',
    method: 'prove_address',
    summary: 'answer an ownership request',
    description:
      'Signs an ownership request for an address of the wallet. The answer proves the ownership and can spend nothing.',
    options: [
      {
        flags: '--request <file>',
        about: 'the request as JSON; - for standard input',
        param: 'request',
        kind: 'document',
        isRequired: true,
      },
    ],
    isOffline: true,
    examples: ['prove-address --request request.json', 'prove-address --request - --json'],
  },
  proof_request: {
    name: 'proof-request',
    method: 'proof_request',
    summary: 'make an ownership request for an address of somebody else',
    options: [
      { flags: '--address <address>', about: 'the address', param: 'address', isRequired: true },
      { flags: '--domain <name>', about: 'who asks (default: localhost)', param: 'domain' },
      {
        flags: '--expires-in-seconds <n>',
        about: 'how long it can be answered (default: 600)',
        param: 'expires_in_seconds',
        kind: [1, 86_400],
      },
    ],
    examples: ['proof-request --address dsvc1… --domain shop.example --json'],
  },
  verify_address_proof: {
    name: 'verify-address-proof',
    method: 'verify_address_proof',
    summary: 'check the answer to an ownership request',
    options: [
      {
        flags: '--proof <file>',
        about: 'the answer as JSON',
        param: 'proof',
        kind: 'document',
        isRequired: true,
      },
      {
        flags: '--request <file>',
        about: 'the request as it was made',
        param: 'request',
        kind: 'document',
        isRequired: true,
      },
    ],
    isOffline: true,
    examples: ['verify-address-proof --proof proof.json --request request.json'],
  },
} as const satisfies CommandRows;
