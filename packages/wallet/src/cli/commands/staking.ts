/**
 * Commands of the group `staking`: validators, positions, and what moves coins in and out of them.
 */
import {
  type CommandRows,
  FEE_PER_MASS,
  needed,
  PAGE_LIMIT,
  POSITION,
  text,
  VALIDATOR,
} from './row.ts';

export const STAKING_COMMANDS = {
  validators: {
    summary: 'list validators and their state',
    options: [
      { ...PAGE_LIMIT, kind: [1, 256] },
      text('--cursor <cursor>', 'go on with the next page', 'cursor'),
    ],
    examples: ['validators --limit 64'],
  },
  positions: {
    summary: 'list the positions of the wallet',
    options: [],
    examples: ['positions --json'],
  },
  stake: {
    summary: 'delegate coins to a validator',
    options: [
      VALIDATOR,
      needed('--amount <coins>', 'how many, at least 100', 'amount'),
      text(
        '--reward-address <address>',
        "who gets the rewards (default: the wallet's first address)",
        'reward_address',
      ),
      FEE_PER_MASS,
    ],
    question: 'Delegate this?',
    examples: ['stake --validator <id> --amount 500 --wait'],
  },
  unstake: {
    summary: 'take coins out of a position; they can be withdrawn ten days later',
    options: [
      POSITION,
      text(
        '--amount <coins>',
        'how many, so that nothing or at least 100 stay (default: everything)',
        'amount',
      ),
      FEE_PER_MASS,
    ],
    question: 'Unbond this?',
    examples: ['unstake --position <id> --amount 200', 'unstake --position <id> --dry-run'],
  },
  withdraw: {
    summary: 'bring back what has been unbonding long enough',
    options: [POSITION, FEE_PER_MASS],
    question: 'Withdraw this?',
    examples: ['withdraw --position <id> --wait'],
  },
} as const satisfies CommandRows;
