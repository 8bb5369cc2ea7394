/**
 * Commands of the group `addresses`. `address` and `receive` print for people and are written by hand, in
 * `cli/commands/addresses.ts`.
 */

import type { Command } from 'commander';
import { addExamples, type CommandOptions, whole } from '../options.ts';
import { addSessionOptions, type CommandRows, PAGE_LIMIT } from './row.ts';

export const ADDRESSES_COMMANDS = {
  addresses: {
    name: 'addresses',
    method: 'addresses',
    summary: 'list addresses that were given out',
    options: [
      PAGE_LIMIT,
      { flags: '--label <text>', about: 'only those with this label', param: 'label' },
      { flags: '--cursor <cursor>', about: 'go on with the next page', param: 'cursor' },
    ],
    examples: ['addresses --label customer-17 --json'],
  },
  set_label: {
    name: 'set-label',
    method: 'set_label',
    summary: 'write a label on an address of the wallet',
    options: [
      { flags: '--address <address>', about: 'the address', param: 'address', isRequired: true },
      { flags: '--label <text>', about: 'any text of your own', param: 'label', isRequired: true },
    ],
    isOffline: true,
    examples: ['set-label --address dsvc1… --label customer-17'],
  },
  validate_address: {
    name: 'validate-address',
    method: 'validate_address',
    summary: 'check an address and show the words to compare it with',
    options: [
      { flags: '--address <address>', about: 'the address', param: 'address', isRequired: true },
    ],
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
  ]).action(async (options: CommandOptions) => {
    const { showAddress } = await import('../run/addresses.ts');
    await showAddress(options);
  });
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
  ]).action(async (options: CommandOptions) => {
    const { showPaymentRequest } = await import('../run/addresses.ts');
    await showPaymentRequest(options);
  });
}
