/**
 * What people do with a wallet: look, receive, pay.
 */
import { type CommandRow, FEE_PER_MASS, type OptionRow, PAGE_LIMIT } from './row.ts';

const COMPOUND_FIRST: OptionRow = {
  flags: '--compound-first',
  about: 'merge the outputs that the payment needs, then pay',
  param: 'compound_first',
  kind: 'flag',
};

export const EVERYDAY: readonly CommandRow[] = [
  {
    name: 'balance',
    method: 'balance',
    summary: 'show what the wallet holds',
    options: [],
    examples: ['balance', 'balance --json'],
  },
  {
    name: 'status',
    method: 'status',
    summary: 'show how wallet and node are',
    options: [],
    examples: ['status --json'],
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
    examples: ['history --limit 20', 'history --before-height 40000 --json'],
  },
  {
    name: 'pending',
    method: 'pending',
    summary: 'list transactions whose outcome is open',
    options: [],
    examples: ['pending --json'],
  },
  {
    name: 'received',
    method: 'received',
    summary: 'list payments that came in after a height, the oldest first',
    options: [
      {
        flags: '--since-height <n>',
        about: 'only what is newer (0 for everything)',
        param: 'since_height',
        kind: [0, Number.MAX_SAFE_INTEGER],
        isRequired: true,
      },
      { ...PAGE_LIMIT, kind: [1, 10_000] },
    ],
    examples: ['received --since-height 0 --json', 'received --since-height 5122 --limit 100'],
  },
  {
    name: 'outputs',
    method: 'outputs',
    summary: 'list unspent outputs, the oldest first',
    options: [
      PAGE_LIMIT,
      { flags: '--address <address>', about: 'only those of this address', param: 'address' },
      { flags: '--cursor <cursor>', about: 'go on with the next page', param: 'cursor' },
    ],
    examples: ['outputs --limit 20', 'outputs --address dsvc1… --json'],
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
    examples: ['transaction --transaction <id>'],
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
    examples: ['addresses --label customer-17 --json'],
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
    examples: ['set-label --address dsvc1… --label customer-17'],
  },
  {
    name: 'validate-address',
    method: 'validate_address',
    summary: 'check an address and show the words to compare it with',
    options: [
      { flags: '--address <address>', about: 'the address', param: 'address', isRequired: true },
    ],
    isOffline: true,
    examples: ['validate-address --address dsvc1…'],
  },
  {
    name: 'rescan',
    method: 'rescan',
    summary: 'read the history of every address again',
    options: [],
    examples: ['rescan', 'rescan --gap 5000'],
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
      COMPOUND_FIRST,
      {
        flags: '--payload-text <text>',
        about: 'a text for the recipient that everybody can read',
        param: 'payload_text',
      },
      FEE_PER_MASS,
    ],
    question: 'Pay this?',
    examples: [
      'send --to dsvc1… --amount 1.25 --request-id rent-march --wait',
      'send --to dsvc1… --amount 100 --subtract-fee --dry-run',
      'send --to dsvc1… --amount 1.25 --request-id order-81 --yes --no-input --json',
    ],
  },
  {
    name: 'send-many',
    method: 'send_many',
    summary: 'pay up to seven addresses in one transaction',
    description:
      'Pays several addresses in one transaction, all or none, once for each request id. They come from options, from a file, or from both.',
    options: [
      {
        flags: '--pay <address=coins>',
        about: 'who is paid how much; several',
        param: 'recipients',
        kind: 'pairs',
      },
      {
        flags: '--recipients <file>',
        about: 'lines of `address,coins`, or JSON as `send_many` takes it; - for standard input',
        param: 'recipients',
        kind: 'recipients',
      },
      {
        flags: '--subtract-fee',
        about: 'take the fee out of the amounts, evenly',
        param: 'subtract_fee',
        kind: 'flag',
      },
      COMPOUND_FIRST,
      FEE_PER_MASS,
    ],
    question: 'Pay these?',
    examples: [
      'send-many --pay dsvc1…=1.25 --pay dsvc1…=0.5 --request-id payroll-7 --wait',
      'send-many --recipients payroll.csv --request-id payroll-7 --yes --no-input --json',
    ],
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
    examples: ['sweep --to dsvc1… --dry-run', 'sweep --to dsvc1… --address dsvc1… --wait'],
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
    examples: ['burn --amount 10 --dry-run', 'burn --amount 10 --request-id burn-1 --wait'],
  },
  {
    name: 'compound',
    method: 'compound',
    summary: 'merge outputs, so that later payments need fewer',
    options: [
      { flags: '--address <address>', about: 'only those of this address', param: 'address' },
    ],
    question: 'Merge these outputs?',
    examples: ['compound --wait', 'compound --address dsvc1… --yes --json'],
  },
];
