/** `svc-wallet shared-…`: a wallet of several members, from their keys to a payment that enough of them have signed. */
import type { Command } from 'commander';
import {
  addExamples,
  addFeeOption,
  addFileOptions,
  addSessionOptions,
  addWalletOptions,
  lazily,
  repeated,
  whole,
} from '../options.ts';

const VALID_CUTS_MIN = 10;
const VALID_CUTS_MAX = 34_560;

export function addSharedCommands(program: Command): void {
  addMemberCommands(program);
  addPaymentCommands(program);
}

function addMemberCommands(program: Command): void {
  const key = program
    .command('shared-key')
    .summary("write this wallet's public key for shared wallets")
    .description(
      'Writes the public key with which this wallet signs for shared wallets. It goes to the other members; it is no secret and can spend nothing.',
    )
    .requiredOption('--out <file>', 'where to write it; must not exist')
    .option('--json', 'print the result as JSON');
  addExamples(addFileOptions(key), ['shared-key --out alice.key']).action(
    lazily(() => import('../run/shared.ts'), 'writeMemberKey'),
  );
  const init = program
    .command('shared-init')
    .summary('make a shared wallet from the keys of its members')
    .description(
      'Makes the file of a shared wallet. Every member does so with the same keys, in any order, and compares the address. Without --keys-file it can propose and watch, and not sign.',
    )
    .requiredOption('--key <file>', 'what a member wrote with shared-key; once for each', repeated)
    .option('--keys-file <file>', 'the wallet file of the member on this machine')
    .option('--json', 'print the result as JSON');
  addExamples(addWalletOptions(init), [
    'shared-init --file treasury --keys-file wallet --key alice.key --key bob.key --key carol.key',
  ]).action(lazily(() => import('../run/shared.ts'), 'makeShared'));
}

function addPaymentCommands(program: Command): void {
  const propose = program
    .command('shared-propose')
    .summary('begin a payment of a shared wallet')
    .description(
      'Makes a package for the members to sign, once for each request id. Its coins are held until it is paid or has expired.',
    )
    .requiredOption('--pay <address=coins>', 'who is paid how much; several', repeated)
    .requiredOption('--out <file>', 'where to write the package; must not exist')
    .option('--request-id <text>', 'your own name for the payment (default: a random one)')
    .option('--fee-per-mass <atoms>', "what each unit of mass pays (default: the chain's least)")
    .option(
      '--valid-cuts <n>',
      'cuts until it can no longer be executed (default: 1440, an hour on mainnet)',
      whole('--valid-cuts', VALID_CUTS_MIN, VALID_CUTS_MAX),
    );
  addExamples(addFeeOption(addSessionOptions(propose)), [
    'shared-propose --file treasury --pay dsvc1…=1.25 --request-id invoice-77 --out pay.package',
  ]).action(lazily(() => import('../run/shared.ts'), 'proposePayment'));
  const review = program
    .command('shared-review')
    .summary('show what a package of a shared wallet pays')
    .requiredOption('--package <file>', 'the package');
  addExamples(addSessionOptions(review), [
    'shared-review --file treasury --package pay.package',
  ]).action(lazily(() => import('../run/shared.ts'), 'reviewPayment'));
  const sign = program
    .command('shared-sign')
    .summary('sign a package of a shared wallet')
    .description('Shows what the package pays, asks, and adds the signature of this member.')
    .requiredOption('--package <file>', 'the package')
    .requiredOption('--out <file>', 'where to write the signed package; must not exist')
    .option('-y, --yes', 'do not ask');
  addExamples(addFeeOption(addSessionOptions(sign)), [
    'shared-sign --file treasury --package pay.package --out signed.package',
  ]).action(lazily(() => import('../run/shared.ts'), 'signPayment'));
  const submit = program
    .command('shared-submit')
    .summary('send a payment that enough members have signed')
    .requiredOption('--package <file>', 'a signed package; several of one payment', repeated)
    .option('--wait', 'wait until the outcome is final');
  addExamples(addSessionOptions(submit), [
    'shared-submit --file treasury --package a.package --package b.package --wait',
  ]).action(lazily(() => import('../run/shared.ts'), 'submitPayment'));
}
