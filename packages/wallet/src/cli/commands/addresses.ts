/**
 * Commands of the group `addresses`. `address` and `receive` print for people and are written by hand, in
 * `cli/commands/addresses.ts`.
 */

import type { Command } from 'commander';
import { addExamples, addSessionOptions, lazily, whole } from '../options.ts';
import { type CommandRows, needed, PAGE_LIMIT, text } from './row.ts';

export const ADDRESSES_COMMANDS = {
  addresses: {
    summary: 'list addresses that were given out',
    options: [
      PAGE_LIMIT,
      text('--label <text>', 'only those with this label', 'label'),
      text('--cursor <cursor>', 'go on with the next page', 'cursor'),
    ],
    examples: ['addresses --label customer-17 --json'],
  },
  set_label: {
    summary: 'write a label on an address of the wallet',
    options: [
      needed('--address <address>', 'the address', 'address'),
      needed('--label <text>', 'any text of your own', 'label'),
    ],
    isOffline: true,
    examples: ['set-label --address dsvc1… --label customer-17'],
  },
  validate_address: {
    summary: 'check an address and show the words to compare it with',
    options: [needed('--address <address>', 'the address', 'address')],
    isOffline: true,
    examples: ['validate-address --address dsvc1…'],
  },
} as const satisfies CommandRows;

const INDEX_MAX = 2_147_483_647;

export function addAddressCommands(program: Command): void {
  const address = program
    .command('address')
    .summary('show an address to be paid at')
    .description(
      'Shows the newest address that nobody has paid to yet. With --new, one that was never given out. With --index, the one at a place in the order of derivation, for which no node is asked.',
    )
    .option('--new', 'give out a new address')
    .option('--label <text>', 'a label for the new address, such as a name')
    .option(
      '--request-id <text>',
      'your own name for the new address; the same name gives it again',
    )
    .option('--index <n>', 'the address at this place', whole('--index', 0, INDEX_MAX));
  addExamples(addSessionOptions(address), [
    'address',
    'address --new --label customer-17 --request-id customer-17 --json',
    'address --index 0',
  ]).action(lazily(() => import('../run/addresses.ts'), 'showAddress'));
  const receive = program
    .command('receive')
    .summary('make a payment request, with a QR code if wanted')
    .description('Makes a payment URI for the newest address that nobody has paid to yet.')
    .option('--amount <coins>', 'what is to be paid')
    .option('--label <text>', 'who is paid')
    .option('--message <text>', 'what for')
    .option('--qr', 'draw a QR code');
  addExamples(addSessionOptions(receive), [
    'receive --amount 1.25 --label shop --qr',
    'receive --json',
  ]).action(lazily(() => import('../run/addresses.ts'), 'showPaymentRequest'));
}
