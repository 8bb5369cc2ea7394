/**
 * Commands of the group `wallet`: how the wallet is and what it holds.
 */
import { type CommandRows, PAGE_LIMIT } from './row.ts';

export const WALLET_COMMANDS = {
  balance: {
    name: 'balance',
    method: 'balance',
    summary: 'show what the wallet holds',
    options: [],
    examples: ['balance', 'balance --json'],
  },
  status: {
    name: 'status',
    method: 'status',
    summary: 'show how wallet and node are',
    options: [],
    examples: ['status --json'],
  },
  pending: {
    name: 'pending',
    method: 'pending',
    summary: 'list transactions whose outcome is open',
    options: [
      PAGE_LIMIT,
      { flags: '--cursor <cursor>', about: 'go on with the next page', param: 'cursor' },
    ],
    examples: ['pending --json'],
  },
  rescan: {
    name: 'rescan',
    method: 'rescan',
    summary: 'read the history of every address again',
    options: [
      {
        flags: '--accept-history <cut_id>',
        about: 'give up the own history for that of the node, as `status` names its cut',
        param: 'accept_history',
      },
    ],
    examples: ['rescan', 'rescan --gap 5000'],
  },
  backup: {
    name: 'backup',
    method: 'backup',
    summary: 'copy the state beside itself, also while a daemon has it',
    options: [],
    isOffline: true,
    examples: ['backup', 'backup --json'],
  },
} as const satisfies CommandRows;
