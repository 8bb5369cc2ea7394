/** `svc-wallet address` and `svc-wallet receive`. */
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { addSessionOptions } from '../table/add-rows.ts';
import { type CommandOptions, whole } from '../values.ts';

const INDEX_MAX = 2_147_483_647;

export function addAddressCommands(program: Command): void {
  const address = program
    .command('address')
    .summary('show an address to be paid at')
    .description(
      'Shows the newest address that nobody has paid to yet. With --new, one that was never given out. With --index, the one at a place in the order of derivation, for which no node is asked.',
    )
    .option('--new', 'give out a new address')
    .option('--label <text>', 'a label for the new address, such as a name')
    .option(
      '--request-id <text>',
      'your own name for the new address; the same name gives it again',
    )
    .option('--index <n>', 'the address at this place', whole('--index', 0, INDEX_MAX));
  addExamples(addSessionOptions(address), [
    'address',
    'address --new --label customer-17 --request-id customer-17 --json',
    'address --index 0',
  ]).action(async (options: CommandOptions) => {
    const { showAddress } = await import('../execute/show-address.ts');
    await showAddress(options);
  });
  const receive = program
    .command('receive')
    .summary('make a payment request, with a QR code if wanted')
    .description('Makes a payment URI for the newest address that nobody has paid to yet.')
    .option('--amount <coins>', 'what is to be paid')
    .option('--label <text>', 'who is paid')
    .option('--message <text>', 'what for')
    .option('--qr', 'draw a QR code');
  addExamples(addSessionOptions(receive), [
    'receive --amount 1.25 --label shop --qr',
    'receive --json',
  ]).action(async (options: CommandOptions) => {
    const { showPaymentRequest } = await import('../execute/show-payment-request.ts');
    await showPaymentRequest(options);
  });
}
