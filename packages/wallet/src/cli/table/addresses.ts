/**
 * Commands of the group `addresses`. `address` and `receive` print for people and are written by hand, in
 * `cli/commands/addresses.ts`.
 */
import { type CommandRows, PAGE_LIMIT } from './row.ts';

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
