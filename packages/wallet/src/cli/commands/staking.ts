/**
 * Commands of the group `staking`: validators, positions, and what moves coins in and out of them.
 */
import { type CommandRows, FEE_PER_MASS, PAGE_LIMIT, POSITION, VALIDATOR } from './row.ts';

export const STAKING_COMMANDS = {
  validators: {
    name: 'validators',
    method: 'validators',
    summary: 'list validators and their state',
    options: [
      { ...PAGE_LIMIT, kind: [1, 256] },
      { flags: '--cursor <cursor>', about: 'go on with the next page', param: 'cursor' },
    ],
    examples: ['validators --limit 64'],
  },
  positions: {
    name: 'positions',
    method: 'positions',
    summary: 'list the positions of the wallet',
    options: [],
    examples: ['positions --json'],
  },
  stake: {
    name: 'stake',
    method: 'stake',
    summary: 'delegate coins to a validator',
    options: [
      VALIDATOR,
      {
        flags: '--amount <coins>',
        about: 'how many, at least 100',
        param: 'amount',
        isRequired: true,
      },
      {
        flags: '--reward-address <address>',
        about: "who gets the rewards (default: the wallet's first address)",
        param: 'reward_address',
      },
      FEE_PER_MASS,
    ],
    question: 'Delegate this?',
    examples: ['stake --validator <id> --amount 500 --wait'],
  },
  unstake: {
    name: 'unstake',
    method: 'unstake',
    summary: 'take coins out of a position; they can be withdrawn ten days later',
    options: [
      POSITION,
      {
        flags: '--amount <coins>',
        about: 'how many, so that nothing or at least 100 stay (default: everything)',
        param: 'amount',
      },
      FEE_PER_MASS,
    ],
    question: 'Unbond this?',
    examples: ['unstake --position <id> --amount 200', 'unstake --position <id> --dry-run'],
  },
  withdraw: {
    name: 'withdraw',
    method: 'withdraw',
    summary: 'bring back what has been unbonding long enough',
    options: [POSITION, FEE_PER_MASS],
    question: 'Withdraw this?',
    examples: ['withdraw --position <id> --wait'],
  },
} as const satisfies CommandRows;
