/**
 * Commands of the group `outgoing`: paying, and moving everything there is.
 */
import { type CommandRows, FEE_PER_MASS, type OptionRow } from './row.ts';

const COMPOUND_FIRST: OptionRow<'compound_first'> = {
  flags: '--compound-first',
  about: 'merge the outputs that the payment needs, then pay',
  param: 'compound_first',
  kind: 'flag',
};

const VALID_CUTS: OptionRow<'valid_cuts'> = {
  flags: '--valid-cuts <n>',
  about: 'cuts until it can no longer be executed (default: 1440, an hour on mainnet)',
  param: 'valid_cuts',
  kind: [10, 34_560],
};

export const OUTGOING_COMMANDS = {
  request: {
    name: 'request',
    method: 'request',
    summary: 'show what became of a request that pays, by its request id',
    description:
      'Shows what the wallet has recorded of a request that pays. Looking changes nothing: nothing is sent, and no node is asked.',
    options: [
      {
        flags: '--request-id <text>',
        about: 'the name that the payment was asked for with',
        param: 'request_id',
        isRequired: true,
      },
    ],
    isOffline: true,
    examples: ['request --request-id rent-march', 'request --request-id order-81 --json'],
  },
  send: {
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
      VALID_CUTS,
    ],
    question: 'Pay this?',
    examples: [
      'send --to dsvc1… --amount 1.25 --request-id rent-march --wait',
      'send --to dsvc1… --amount 100 --subtract-fee --dry-run',
      'send --to dsvc1… --amount 1.25 --request-id order-81 --yes --no-input --json',
    ],
  },
  send_many: {
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
      VALID_CUTS,
    ],
    question: 'Pay these?',
    examples: [
      'send-many --pay dsvc1…=1.25 --pay dsvc1…=0.5 --request-id payroll-7 --wait',
      'send-many --recipients payroll.csv --request-id payroll-7 --yes --no-input --json',
    ],
  },
  sweep: {
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
      {
        flags: '--leave-float',
        about: 'leave what the daemon keeps ready for payments',
        param: 'leave_float',
        kind: 'flag',
      },
    ],
    question: 'Send everything?',
    examples: ['sweep --to dsvc1… --dry-run', 'sweep --to dsvc1… --address dsvc1… --wait'],
  },
  split: {
    name: 'split',
    method: 'split',
    summary: 'split outputs, so that more payments can be made at once',
    options: [
      {
        flags: '--count <n>',
        about: 'how many outputs are wanted',
        param: 'count',
        kind: [1, 10_000],
        isRequired: true,
      },
      {
        flags: '--amount <coins>',
        about: 'what each can pay beside the fee',
        param: 'amount',
        isRequired: true,
      },
    ],
    question: 'Split these outputs?',
    examples: ['split --count 100 --amount 50 --wait', 'split --count 8 --amount 1 --yes --json'],
  },
  cancel: {
    name: 'cancel',
    method: 'cancel',
    summary: 'give a waiting payment up',
    description:
      'Pays the coins of a waiting payment back to the wallet, at a better fee. The chain executes one of the two: with --wait the command fails if it was the payment.',
    options: [
      {
        flags: '--payment <text>',
        about: 'the request id of the payment',
        param: 'payment',
        isRequired: true,
      },
      FEE_PER_MASS,
    ],
    question: 'Cancel this payment?',
    examples: [
      'cancel --payment rent-march --request-id cancel-rent-march --wait',
      'cancel --payment order-81 --dry-run',
    ],
  },
  burn: {
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
  compound: {
    name: 'compound',
    method: 'compound',
    summary: 'merge outputs, so that later payments need fewer',
    options: [
      { flags: '--address <address>', about: 'only those of this address', param: 'address' },
    ],
    question: 'Merge these outputs?',
    examples: ['compound --wait', 'compound --address dsvc1… --yes --json'],
  },
} as const satisfies CommandRows;
