/**
 * What people do with a wallet: look, receive, pay.
 */
import { type CommandRow, FEE_PER_MASS, PAGE_LIMIT } from './row.ts';

export const EVERYDAY: readonly CommandRow[] = [
  {
    name: 'balance',
    method: 'balance',
    summary: 'show what the wallet holds',
    options: [],
  },
  {
    name: 'status',
    method: 'status',
    summary: 'show how wallet and node are',
    options: [],
  },
  {
    name: 'history',
    method: 'history',
    summary: 'list what came in and went out, the newest first',
    options: [
      PAGE_LIMIT,
      {
        flags: '--before-height <n>',
        about: 'only what is older',
        param: 'before_height',
        kind: [0, Number.MAX_SAFE_INTEGER],
      },
    ],
  },
  {
    name: 'pending',
    method: 'pending',
    summary: 'list transactions whose outcome is open',
    options: [],
  },
  {
    name: 'transaction',
    method: 'transaction',
    summary: 'show one transaction of the wallet',
    options: [
      {
        flags: '--transaction <id>',
        about: 'its id',
        param: 'transaction',
        isRequired: true,
      },
    ],
  },
  {
    name: 'addresses',
    method: 'addresses',
    summary: 'list addresses that were given out',
    options: [
      PAGE_LIMIT,
      { flags: '--label <text>', about: 'only those with this label', param: 'label' },
      { flags: '--cursor <cursor>', about: 'go on with the next page', param: 'cursor' },
    ],
  },
  {
    name: 'set-label',
    method: 'set_label',
    summary: 'write a label on an address of the wallet',
    options: [
      { flags: '--address <address>', about: 'the address', param: 'address', isRequired: true },
      { flags: '--label <text>', about: 'any text of your own', param: 'label', isRequired: true },
    ],
    isOffline: true,
  },
  {
    name: 'validate-address',
    method: 'validate_address',
    summary: 'check an address and show the words to compare it with',
    options: [
      { flags: '--address <address>', about: 'the address', param: 'address', isRequired: true },
    ],
    isOffline: true,
  },
  {
    name: 'rescan',
    method: 'rescan',
    summary: 'read the history of every address again',
    options: [],
  },
  {
    name: 'send',
    method: 'send',
    summary: 'pay an address',
    description:
      'Pays an address, once for each request id: repeating the command with the same request id never pays again.',
    options: [
      { flags: '--to <address>', about: 'who is paid', param: 'to', isRequired: true },
      { flags: '--amount <coins>', about: 'such as 1.25', param: 'amount', isRequired: true },
      {
        flags: '--subtract-fee',
        about: 'take the fee out of the amount',
        param: 'subtract_fee',
        kind: 'flag',
      },
      {
        flags: '--compound-first',
        about: 'merge the outputs that the payment needs, then pay',
        param: 'compound_first',
        kind: 'flag',
      },
      {
        flags: '--payload-text <text>',
        about: 'a text for the recipient that everybody can read',
        param: 'payload_text',
      },
      FEE_PER_MASS,
    ],
    question: 'Pay this?',
  },
  {
    name: 'sweep',
    method: 'sweep',
    summary: 'send everything to an address',
    options: [
      { flags: '--to <address>', about: 'who gets it', param: 'to', isRequired: true },
      {
        flags: '--address <address>',
        about: 'only what this address of the wallet holds',
        param: 'address',
      },
    ],
    question: 'Send everything?',
  },
  {
    name: 'burn',
    method: 'burn',
    summary: 'destroy coins for good',
    options: [
      { flags: '--amount <coins>', about: 'how many', param: 'amount', isRequired: true },
      FEE_PER_MASS,
    ],
    question: 'Destroy these coins for good?',
  },
  {
    name: 'compound',
    method: 'compound',
    summary: 'merge outputs, so that later payments need fewer',
    options: [
      { flags: '--address <address>', about: 'only those of this address', param: 'address' },
    ],
    question: 'Merge these outputs?',
  },
];
