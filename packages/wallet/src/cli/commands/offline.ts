/** Paying with keys on a machine that has no network: ask here, sign there, submit here. */
import type { Command } from 'commander';
import {
  addExamples,
  addFeeOption,
  addFileOptions,
  addNodeOptions,
  lazily,
  repeated,
  whole,
} from '../options.ts';

const VALID_CUTS_MIN = 10;
const VALID_CUTS_MAX = 34_560;
const GAP_MAX = 1_000_000;

export function addOfflineCommands(program: Command): void {
  const request = program
    .command('offline-request')
    .summary('make an unsigned payment for a wallet that is elsewhere')
    .description(
      'Makes a request file for a payment from addresses of a wallet that has no network. It needs a node and no keys; `svc-wallet sign-offline` signs it, `svc-wallet submit-offline` sends it.',
    )
    .requiredOption('--from <address>', 'an address that pays; several', repeated)
    .requiredOption('--to <address>', 'who is paid')
    .requiredOption('--amount <coins>', 'such as 1.25')
    .option('--change-to <address>', 'who gets the rest (default: the first that pays)')
    .option('--subtract-fee', 'take the fee out of the amount')
    .option(
      '--valid-cuts <n>',
      'cuts until it can no longer be executed (default: 17280, half a day on mainnet)',
      whole('--valid-cuts', VALID_CUTS_MIN, VALID_CUTS_MAX),
    )
    .requiredOption('--out <file>', 'where the request goes; must not be there yet');
  addFeeOption(addNodeOptions(request))
    .option('--json', 'print what was made as JSON')
    .action(lazily(() => import('../run/offline-request.ts'), 'makeRequest'));
  addExamples(request, ['offline-request --from dsvc1… --to dsvc1… --amount 2.5 --out pay.json']);
  const sign = program
    .command('sign-offline')
    .summary('sign a payment without a network')
    .description(
      'Shows what a request file pays and signs it. No node is asked: the fee is part of what is signed, so that a request that lies about the amounts it spends pays nobody.',
    )
    .requiredOption('--request <file>', 'the request')
    .option('--out <file>', 'where the signed payment goes; must not be there yet')
    .option('--dry-run', 'show what it pays and sign nothing')
    .option('--gap <n>', 'addresses looked through (default: 1000)', whole('--gap', 1, GAP_MAX))
    .option('--allow-undeclared-fee', 'sign several inputs although no fee is declared')
    .option('-y, --yes', 'do not ask');
  addFeeOption(addFileOptions(sign))
    .option('--json', 'print the result as JSON')
    .action(lazily(() => import('../run/offline-sign.ts'), 'signRequest'));
  addExamples(sign, [
    'sign-offline --request pay.json --dry-run',
    'sign-offline --request pay.json --out signed.json',
  ]);
  const submit = program
    .command('submit-offline')
    .summary('send a payment that was signed without a network')
    .description('Sends a signed payment. Sending it again is harmless.')
    .requiredOption('--signed <file>', 'the signed payment')
    .option('--wait', 'wait until the outcome is final');
  addNodeOptions(submit)
    .option('--json', 'print the result as JSON')
    .action(lazily(() => import('../run/offline-request.ts'), 'submitSigned'));
  addExamples(submit, ['submit-offline --signed signed.json --wait --json']);
}
