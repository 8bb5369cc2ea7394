/** `svc-wallet daemons`. */
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { type CommandOptions, repeated, whole } from '../values.ts';
import { addNodeOptions } from '../wallet-options.ts';

const PORT_MAX = 65_535;

export function addDaemonsCommand(program: Command): void {
  const command = program
    .command('daemons')
    .summary('serve several wallets at one port')
    .description(
      'Serves several wallets until it is told to stop: the wallet NAME at /wallets/NAME/v1/rpc and /wallets/NAME/v1/ws. Each has a daemon in a process of its own, with its own files and tokens; one that ends does so alone.',
    )
    .requiredOption('--wallet <name=file>', 'a wallet and the name in its path; several', repeated)
    .option(
      '--set <name:option[=value]>',
      'an option of `daemon` for one wallet, such as hot:float=100x50; several',
      repeated,
    );
  addNodeOptions(command)
    .option('--port <n>', 'where it listens; 0 for a free port (default: 28703)', port)
    .option('--allow-remote', 'listen beyond this machine, with TLS of its own or in front')
    .option('--tls-certificate <file>', 'speak TLS with this certificate (chain), PEM')
    .option('--tls-key <file>', 'its key, PEM; only its owner may read the file')
    .option('--host <ip>', 'where to listen (default: 127.0.0.1; every address if remote)')
    .option('--host-name <name>', 'a name under which a proxy serves it; several', repeated)
    .option('--ready-file <file>', 'write where it listens into a file, once it does')
    .option('--until-stdin-ends', 'end when standard input does, as a child process')
    .option('--json', 'print where it listens as a line of JSON')
    .option('--quiet', 'log warnings and errors only')
    .action(async (options: CommandOptions) => {
      const { serveDaemons } = await import('../daemons/serve-daemons.ts');
      await serveDaemons(options);
    });
  addExamples(command, [
    'daemons --wallet hot=hot.wallet --wallet cold=cold.wallet',
    'daemons --wallet hot=hot.wallet --wallet cold=cold.wallet --set hot:float=100x50 --set cold:confirmations=3',
    'daemons --wallet a=a.wallet --wallet b=b.wallet --set a:metrics-bind=127.0.0.1:28794 --set b:metrics-bind=127.0.0.1:28795',
  ]);
}

const port = whole('--port', 0, PORT_MAX);
