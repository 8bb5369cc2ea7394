/** `svc-wallet watch-…`: following addresses whose keys are on another machine. */
import type { Command } from 'commander';
import {
  addExamples,
  addFileOptions,
  addWalletOptions,
  lazily,
  repeated,
  whole,
} from '../options.ts';

const WATCHED_MAX = 10_000;

export function addWatchCommands(program: Command): void {
  const list = program
    .command('watch-export')
    .summary('write addresses of this wallet for another machine to watch')
    .description(
      'Writes receiving addresses of this wallet, signed with the key of its first one, which is shown as the signer. Whoever has the list sees what they are paid and can spend nothing. No node is asked.',
    )
    .requiredOption('--count <n>', 'how many', whole('--count', 1, WATCHED_MAX))
    .option(
      '--from <n>',
      'the position of the first one (default: 0)',
      whole('--from', 0, WATCHED_MAX),
    )
    .option('--labels <file>', 'a line for each address; an empty one is no label')
    .requiredOption('--out <file>', 'where to write them; must not exist')
    .option('--json', 'print the result as JSON');
  addExamples(addFileOptions(list), [
    'watch-export --count 100 --out cold.addresses',
    'watch-export --from 100 --count 50 --labels labels.txt --out more.addresses',
  ]).action(lazily(() => import('../run/watch.ts'), 'exportAddresses'));
  const init = program
    .command('watch-init')
    .summary('make a wallet that watches addresses')
    .description(
      'Makes a wallet without keys. It follows its addresses like any other wallet and pays nothing: payments are made with offline-request and signed where the keys are.',
    );
  addExamples(addAddressOptions(init), [
    'watch-init --file cold --addresses cold.addresses --signer dsvc1…',
    'watch-init --file donations --address dsvc1…',
  ]).action(lazily(() => import('../run/watch.ts'), 'makeWatched'));
  const add = program
    .command('watch-add')
    .summary('watch further addresses')
    .description(
      'Adds addresses to a watch-only wallet. A daemon sees them when it starts again; it then reads their past too.',
    );
  addExamples(addAddressOptions(add), [
    'watch-add --file cold --addresses more.addresses',
    'watch-add --file donations --address dsvc1…',
  ]).action(lazily(() => import('../run/watch.ts'), 'addToWatched'));
}

function addAddressOptions(command: Command): Command {
  return addWalletOptions(command)
    .option('--addresses <file>', 'what watch-export wrote; the signature is checked')
    .option('--signer <address>', 'the signer that watch-export showed; another one is refused')
    .option('--address <address>', 'an address; several', repeated)
    .option('--json', 'print the result as JSON');
}
