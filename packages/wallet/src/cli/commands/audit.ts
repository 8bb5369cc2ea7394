/** `svc-wallet audit`. */
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { type CommandOptions, whole } from '../values.ts';
import { addWalletOptions, auditFileOption } from '../wallet-options.ts';

const LINES_MAX = 100_000;

export function addAuditCommand(program: Command): void {
  const command = program
    .command('audit')
    .summary('show what was paid, by whom, and check the record of it')
    .description(
      'Reads the audit file, checks that each line follows from the one before, and shows the newest. It ends with a refusal if a line was changed, removed or put in. The wallet is not opened, and a daemon may be running.',
    );
  addWalletOptions(command)
    .addOption(auditFileOption())
    .option('--request-id <text>', 'only lines of this request')
    .option('--limit <n>', 'how many lines to show (default: 50)', whole('--limit', 1, LINES_MAX))
    .option('--json', 'print the result as JSON')
    .action(async (options: CommandOptions) => {
      const { showAudit } = await import('../audit/show-audit.ts');
      await showAudit(options);
    });
  addExamples(command, ['audit', 'audit --request-id withdrawal-1042 --json']);
}
