/**
 * Commands of the group `validator`: what the operator of a validator does with the owner's wallet.
 */

import type { Command } from 'commander';
import { addExamples, addFileOptions, lazily, whole } from '../options.ts';
import {
  type CommandRows,
  count,
  needed,
  type OptionRow,
  optionOf,
  POSITION,
  text,
  VALIDATOR,
} from './row.ts';

const KEY_INDEX_MIN = 2_147_418_112;
const KEY_INDEX_MAX = 2_147_483_647;

const KEY_INDEX: OptionRow<'consensus_key_index'> = count(
  '--consensus-key-index <n>',
  `which consensus key, ${KEY_INDEX_MIN} to ${KEY_INDEX_MAX} (default: ${KEY_INDEX_MAX})`,
  'consensus_key_index',
  KEY_INDEX_MIN,
  KEY_INDEX_MAX,
);

const ENDPOINT: OptionRow<'overlay_endpoint_hex'> = needed(
  '--overlay-endpoint-hex <hex>',
  'what `svcd validator-endpoint` printed',
  'overlay_endpoint_hex',
);

const COMMISSION: OptionRow<'commission_bps'> = count(
  '--commission-bps <n>',
  'what delegators pay, in hundredths of a percent: 0 to 1000 in steps of 10',
  'commission_bps',
  0,
  1_000,
);

export const VALIDATOR_COMMANDS = {
  validator_register: {
    summary: 'register a validator with a self-bond',
    description:
      'Registers a validator. Its id is the `validator` of the new self_bond position that `positions` lists once the registration is final.',
    options: [
      needed('--amount <coins>', 'the self-bond, at least 100000', 'amount'),
      ENDPOINT,
      { ...COMMISSION, about: `${COMMISSION.about} (default: 500)` },
      text(
        '--reward-address <address>',
        "who gets the rewards (default: the wallet's first address)",
        'reward_address',
      ),
      KEY_INDEX,
    ],
    question: 'Register this validator?',
    examples: [
      'validator-register --amount 100000 --overlay-endpoint-hex <hex> --dry-run',
      'validator-register --amount 100000 --overlay-endpoint-hex <hex> --commission-bps 300 --wait',
    ],
  },
  validator_heartbeat: {
    summary: 'say by hand that a validator is there',
    options: [
      VALIDATOR,
      {
        ...KEY_INDEX,
        about: `which consensus key, ${KEY_INDEX_MIN} to ${KEY_INDEX_MAX} (default: the active one)`,
      },
    ],
    question: 'Send this heartbeat?',
    examples: ['validator-heartbeat --validator <id>'],
  },
  reward_address: {
    summary: 'send the rewards of a position to another address',
    options: [POSITION, needed('--to <address>', 'who gets them', 'to')],
    question: 'Send the rewards there?',
    examples: ['reward-address --position <id> --to dsvc1…'],
  },
  validator_rotate: {
    summary: 'replace the consensus key of a validator',
    description:
      'Replaces the consensus key by one with an index that was never used. The new key signs from the second epoch after.',
    options: [
      VALIDATOR,
      { ...KEY_INDEX, about: 'which key is the new one; never used before', isRequired: true },
      ENDPOINT,
    ],
    question: 'Replace the consensus key?',
    examples: [
      'validator-rotate --validator <id> --consensus-key-index 2147483646 --overlay-endpoint-hex <hex>',
    ],
  },
  validator_endpoint: {
    summary: 'replace the registered endpoint of a validator',
    description:
      'Replaces the endpoint, signed by the owner and by the active consensus key. It takes effect two epochs later.',
    options: [
      VALIDATOR,
      { ...KEY_INDEX, about: 'which key is the active one', isRequired: true },
      ENDPOINT,
    ],
    question: 'Replace the endpoint?',
    examples: [
      'validator-endpoint --validator <id> --consensus-key-index 2147483647 --overlay-endpoint-hex <hex>',
    ],
  },
  validator_commission: {
    summary: 'schedule a commission; it takes effect 14 epochs later',
    options: [VALIDATOR, { ...COMMISSION, isRequired: true }],
    question: 'Schedule this commission?',
    examples: ['validator-commission --validator <id> --commission-bps 300 --wait'],
  },
  validator_exit: {
    summary: 'leave the validator set for good',
    description:
      'Leaves the validator set for good. Every position unbonds, those of delegators too.',
    options: [VALIDATOR],
    question: 'Leave the validator set for good?',
    examples: [
      'validator-exit --validator <id> --dry-run',
      'validator-exit --validator <id> --wait',
    ],
  },
} as const satisfies CommandRows;

const FEE_KEY_INDEX_MAX = 65_535;

export function addKeyCommands(program: Command): void {
  const consensus = program
    .command('validator-key-export')
    .summary('write the consensus key of a validator')
    .description(
      'Writes the consensus key, encrypted under the password in a file; a password file that is not there is made. One key may sign on one machine only.',
    )
    .requiredOption('--validator-key-file <file>', 'where the key goes; must not be there yet')
    .requiredOption('--validator-key-password-file <file>', 'its password')
    .addOption(optionOf(KEY_INDEX));
  addFileOptions(consensus)
    .option('--json', 'print the result as JSON')
    .action(lazily(() => import('../run/validator.ts'), 'exportConsensusKey'));
  addExamples(consensus, [
    'validator-key-export --validator-key-file consensus.key --validator-key-password-file consensus.password',
  ]);
  const fee = program
    .command('validator-heartbeat-fee-key-export')
    .summary('write the key that pays for heartbeats')
    .description(
      'Writes the fee key, encrypted under the password in a file, and shows its address. Send a few coins there: the node pays its heartbeats from them. They do not count as coins of this wallet.',
    )
    .requiredOption('--heartbeat-fee-key-file <file>', 'where the key goes; must not be there yet')
    .requiredOption('--heartbeat-fee-key-password-file <file>', 'its password')
    .option(
      '--heartbeat-fee-key-index <n>',
      'which fee key, for an owner of several validators (default: 0)',
      whole('--heartbeat-fee-key-index', 0, FEE_KEY_INDEX_MAX),
    );
  addFileOptions(fee)
    .option('--json', 'print the result as JSON')
    .action(lazily(() => import('../run/validator.ts'), 'exportFeeKey'));
  addExamples(fee, [
    'validator-heartbeat-fee-key-export --heartbeat-fee-key-file fee.key --heartbeat-fee-key-password-file fee.password',
  ]);
}
