/** Commands that make, list and revoke the tokens with which programs call the daemon. */
import { type Command, Option } from 'commander';
import { addExamples } from '../examples.ts';
import { type CommandOptions, repeated } from '../values.ts';
import { addWalletOptions } from '../wallet-options.ts';

const SCOPE_NAMES = ['read', 'deposit', 'spend', 'everything'];

export function addTokenCommands(program: Command): void {
  addCreate(program);
  const list = program
    .command('tokens')
    .summary('list the tokens that programs have')
    .description(
      'Lists the tokens that were made and not revoked. The token beside the wallet file, which allows everything, is not among them.',
    );
  addCommonOptions(list).action(async (options: CommandOptions) => {
    const { listTokens } = await import('../tokens/manage-tokens.ts');
    await listTokens(options);
  });
  addExamples(list, ['tokens', 'tokens --json']);
  const revoke = program
    .command('token-revoke')
    .summary('take a token away from a program')
    .description(
      'A running daemon refuses the token from now on, also for calls of a batch and payments that wait, and closes connections that were opened with it within half a minute. Its name stays used.',
    )
    .requiredOption('--name <name>', 'the token');
  addCommonOptions(revoke).action(async (options: CommandOptions) => {
    const { revokeToken } = await import('../tokens/manage-tokens.ts');
    await revokeToken(options);
  });
  addExamples(revoke, ['token-revoke --name withdrawals-1']);
}

function addCreate(program: Command): void {
  const create = program
    .command('token-create')
    .summary('make a token for a program, with what it may do')
    .description(
      'Makes a token that a running daemon accepts at once. It is shown once, or written to a file; the wallet keeps a hash of it. Every scope includes reading; to spend is to send, sweep, merge and split, within the limits given here.',
    )
    .requiredOption('--name <name>', 'its name, for the journal and the audit: a-z, 0-9, . _ -')
    .addOption(
      new Option('--scope <scope>', `what it allows, several: ${SCOPE_NAMES.join(', ')}`).argParser(
        repeated,
      ),
    )
    .option('--payment-max <coins>', 'the most that one call may pay, without the fee')
    .option('--day-max <coins>', 'the most that may leave within 24 hours, fees included')
    .option('--allow <address>', 'an address that may be paid, and no others; several', repeated)
    .option('--allow-file <file>', 'such addresses, one a line')
    .option('--like <name>', 'the scopes and limits of another token, and one budget with it')
    .option('--out <file>', 'write the token into a new file that only its owner may read');
  addCommonOptions(create).action(async (options: CommandOptions) => {
    const { createToken } = await import('../tokens/manage-tokens.ts');
    await createToken(options);
  });
  addExamples(create, [
    'token-create --name deposits-1 --scope deposit --out deposits.token',
    'token-create --name withdrawals-1 --scope spend --payment-max 50 --day-max 1000',
    'token-create --name withdrawals-2 --like withdrawals-1',
    'token-create --name to-cold --scope spend --allow dsvc1…',
  ]);
}

function addCommonOptions(command: Command): Command {
  return addWalletOptions(command).option('--json', 'print the result as JSON');
}
