/**
 * Commands of the group `wallet`: how the wallet is and what it holds.
 */
import { type CommandRows, PAGE_LIMIT, text } from './row.ts';

export const WALLET_COMMANDS = {
  balance: {
    summary: 'show what the wallet holds',
    options: [],
    examples: ['balance', 'balance --json'],
  },
  status: {
    summary: 'show how wallet and node are',
    options: [],
    examples: ['status --json'],
  },
  pending: {
    summary: 'list transactions whose outcome is open',
    options: [PAGE_LIMIT, text('--cursor <cursor>', 'go on with the next page', 'cursor')],
    examples: ['pending --json'],
  },
  rescan: {
    summary: 'read the history of every address again',
    options: [
      text(
        '--accept-history <cut_id>',
        'give up the own history for that of the node, as `status` names its cut',
        'accept_history',
      ),
    ],
    examples: ['rescan', 'rescan --gap 5000'],
  },
  backup: {
    summary: 'copy the state beside itself, also while a daemon has it',
    options: [],
    isOffline: true,
    examples: ['backup', 'backup --json'],
  },
} as const satisfies CommandRows;
