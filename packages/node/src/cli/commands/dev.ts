/** `svcd dev`. */
import { type Command, Option } from 'commander';
import { addSettingOptions, type CommandOptions, DEV_LOG_FILTER } from '../config-options.ts';

export function addDevCommand(program: Command): void {
  const command = program
    .command('dev')
    .summary('run a private network for development')
    .description(
      'Runs a whole network in one process: validators, miner, wallet and ten funded accounts whose keys are public.',
    )
    .option('--cut-time <time>', 'time between cuts: 250ms, 2.5s, auto or manual', '500ms')
    .option('--validators <n>', 'validators in the committee', '4')
    .option(
      '--port <n>',
      'port of the API; mining and wallet take the next two; 0 for free ones',
      '28701',
    )
    .option('--state <directory>', 'keep the network there and go on with it at the next start')
    .option(
      '--config-out <file>',
      'write addresses, ports, accounts and a trust anchor as JSON to a file',
    )
    .option('--json', 'print the same JSON when the network is ready')
    .addOption(new Option('--no-wallet', 'start no wallet daemon'))
    .option('--bridge', 'mine by svc-bridge and svc-miner beside the node, not inside it')
    .addOption(new Option('--no-miner', 'mine no blocks'));
  addSettingOptions(command, ['http.browser_origins', 'http.ui', 'log.filter', 'log.file'], {
    'log.filter': DEV_LOG_FILTER,
  }).action(async (options: CommandOptions) => {
    const { runDev } = await import('../dev/run-dev.ts');
    await runDev(options);
  });
}
