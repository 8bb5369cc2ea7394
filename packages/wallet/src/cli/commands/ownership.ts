/**
 * Commands of the group `ownership`: one side asks, the owner answers, the first side checks.
 */

import type { Command } from 'commander';
import { addExamples, lazily } from '../options.ts';
import { type CommandRows, count, needed, text } from './row.ts';

export const OWNERSHIP_COMMANDS = {
  prove_address: {
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
    summary: 'make an ownership request for an address of somebody else',
    options: [
      needed('--address <address>', 'the address', 'address'),
      text('--domain <name>', 'who asks (default: localhost)', 'domain'),
      count(
        '--expires-in-seconds <n>',
        'how long it can be answered (default: 600)',
        'expires_in_seconds',
        1,
        86_400,
      ),
    ],
    examples: ['proof-request --address dsvc1… --domain shop.example --json'],
  },
  verify_address_proof: {
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

export function addEvidenceCommand(program: Command): void {
  const verify = program
    .command('verify-evidence')
    .summary('check the proofs in an evidence file, without a node')
    .description(
      'Checks the claims of an evidence file from the file alone: the signatures of validators, the path to earlier cuts, and the proofs. It says each claim in plain words, what each sentence rests on, and which cut everything rests on; with a checkpoint of your own it also says whether the validators of that cut follow from it.',
    )
    .argument('<file>', 'the file, or - for standard input')
    .option(
      '--checkpoint <file>',
      'a checkpoint that the explorer saved for you, or a recovery file that you follow',
    )
    .option('--json', 'print the result as JSON')
    .action(lazily(() => import('../run/evidence.ts'), 'showEvidence'));
  addExamples(verify, [
    'verify-evidence svc-evidence.json',
    'verify-evidence svc-evidence.json --checkpoint svc-checkpoint.json --json',
  ]);
}
