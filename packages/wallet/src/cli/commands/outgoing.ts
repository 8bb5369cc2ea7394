/**
 * Commands of the group `outgoing`: paying, and moving everything there is.
 */
import {
  type CommandRows,
  count,
  FEE_PER_MASS,
  flag,
  needed,
  type OptionRow,
  text,
} from './row.ts';

const COMPOUND_FIRST: OptionRow<'compound_first'> = flag(
  '--compound-first',
  'merge the outputs that the payment needs, then pay',
  'compound_first',
);

const VALID_CUTS: OptionRow<'valid_cuts'> = count(
  '--valid-cuts <n>',
  'cuts until it can no longer be executed (default: 1440, an hour on mainnet)',
  'valid_cuts',
  10,
  34_560,
);

export const OUTGOING_COMMANDS = {
  request: {
    summary: 'show what became of a request that pays, by its request id',
    description:
      'Shows what the wallet has recorded of a request that pays. Looking changes nothing: nothing is sent, and no node is asked.',
    options: [
      needed('--request-id <text>', 'the name that the payment was asked for with', 'request_id'),
    ],
    isOffline: true,
    examples: ['request --request-id rent-march', 'request --request-id order-81 --json'],
  },
  send: {
    summary: 'pay an address',
    description:
      'Pays an address, once for each request id: repeating the command with the same request id never pays again.',
    options: [
      needed('--to <address>', 'who is paid', 'to'),
      needed('--amount <coins>', 'such as 1.25', 'amount'),
      flag('--subtract-fee', 'take the fee out of the amount', 'subtract_fee'),
      COMPOUND_FIRST,
      text(
        '--payload-text <text>',
        'a text for the recipient that everybody can read',
        'payload_text',
      ),
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
      flag('--subtract-fee', 'take the fee out of the amounts, evenly', 'subtract_fee'),
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
    summary: 'send everything to an address',
    options: [
      needed('--to <address>', 'who gets it', 'to'),
      text('--address <address>', 'only what this address of the wallet holds', 'address'),
      flag('--leave-float', 'leave what the daemon keeps ready for payments', 'leave_float'),
    ],
    question: 'Send everything?',
    examples: ['sweep --to dsvc1… --dry-run', 'sweep --to dsvc1… --address dsvc1… --wait'],
  },
  split: {
    summary: 'split outputs, so that more payments can be made at once',
    options: [
      {
        ...count('--count <n>', 'how many outputs are wanted', 'count', 1, 10_000),
        isRequired: true,
      },
      needed('--amount <coins>', 'what each can pay beside the fee', 'amount'),
    ],
    question: 'Split these outputs?',
    examples: ['split --count 100 --amount 50 --wait', 'split --count 8 --amount 1 --yes --json'],
  },
  cancel: {
    summary: 'give a waiting payment up',
    description:
      'Pays the coins of a waiting payment back to the wallet, at a better fee. The chain executes one of the two: with --wait the command fails if it was the payment.',
    options: [needed('--payment <text>', 'the request id of the payment', 'payment'), FEE_PER_MASS],
    question: 'Cancel this payment?',
    examples: [
      'cancel --payment rent-march --request-id cancel-rent-march --wait',
      'cancel --payment order-81 --dry-run',
    ],
  },
  burn: {
    summary: 'destroy coins for good',
    options: [needed('--amount <coins>', 'how many', 'amount'), FEE_PER_MASS],
    question: 'Destroy these coins for good?',
    examples: ['burn --amount 10 --dry-run', 'burn --amount 10 --request-id burn-1 --wait'],
  },
  compound: {
    summary: 'merge outputs, so that later payments need fewer',
    options: [text('--address <address>', 'only those of this address', 'address')],
    question: 'Merge these outputs?',
    examples: ['compound --wait', 'compound --address dsvc1… --yes --json'],
  },
} as const satisfies CommandRows;
