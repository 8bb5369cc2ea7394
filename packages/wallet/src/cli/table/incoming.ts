/**
 * Commands of the group `incoming`: what came in, and what the chain knows of the wallet.
 */
import { type CommandRows, PAGE_LIMIT } from './row.ts';

export const INCOMING_COMMANDS = {
  history: {
    name: 'history',
    method: 'history',
    summary: 'list what came in and went out, the newest first',
    options: [
      PAGE_LIMIT,
      { flags: '--cursor <cursor>', about: 'go on with the next page', param: 'cursor' },
      {
        flags: '--before-height <n>',
        about: 'only what is older',
        param: 'before_height',
        kind: [0, Number.MAX_SAFE_INTEGER],
      },
    ],
    examples: ['history --limit 20', 'history --before-height 40000 --json'],
  },
  received: {
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
      {
        flags: '--cursor <cursor>',
        about: '0 lets a page end within a height; then go on with the next page',
        param: 'cursor',
      },
    ],
    examples: ['received --since-height 0 --json', 'received --since-height 5122 --limit 100'],
  },
  outputs: {
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
  transaction: {
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
} as const satisfies CommandRows;
