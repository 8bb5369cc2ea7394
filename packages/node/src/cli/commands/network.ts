/** `svcd network new`. */
import type { Command } from 'commander';
import type { NewNetworkOptions } from '../network/new-network.ts';

export function addNetworkCommand(program: Command): void {
  program
    .command('network')
    .summary('make a whole network for trials')
    .description('Makes networks of several nodes, for trials.')
    .command('new')
    .summary('make the folders of a new network')
    .description(
      'Makes a genesis and, for every validator, a folder with keys, settings and a systemd unit; and a compose file for all. One process sees every key: for a network of several parties each runs `svcd validator init`.',
    )
    .argument('<folder>', 'where to make it; there must be nothing')
    .option('--validators <n>', 'how many validators', '4')
    .option('--network <name>', 'whose rules the chain follows', 'development')
    .option('--hosts <list>', 'their hosts, with commas; one for all, or one for each', '127.0.0.1')
    .option('--start <time>', 'when the chain begins: 2027-01-31T12:00:00Z, or +15m', '+1m')
    .option('--port <n>', 'the first port; validators of one host are ten apart', '28700')
    .option('--pace-millis <n>', 'the time between cuts; 500 for development, else 2500')
    .action(async (folder: string, options: NewNetworkOptions) => {
      const { newNetwork } = await import('../network/new-network.ts');
      await newNetwork(folder, options);
    });
}
