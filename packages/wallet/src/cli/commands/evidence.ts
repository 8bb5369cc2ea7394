/** Checking what somebody else proved: evidence files of the explorer, without a node. */
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import type { CommandOptions } from '../values.ts';

export function addEvidenceCommand(program: Command): void {
  const verify = program
    .command('verify-evidence')
    .summary('check the proofs in an evidence file, without a node')
    .description(
      'Checks the claims of an evidence file from the file alone: the signatures of validators, the path to earlier cuts, and the proofs. It says each claim in plain words, what each sentence rests on, and which cut everything rests on; with a checkpoint of your own it also says whether the validators of that cut follow from it.',
    )
    .argument('<file>', 'the file, or - for standard input')
    .option(
      '--checkpoint <file>',
      'a checkpoint that the explorer saved for you, or a recovery file that you follow',
    )
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: CommandOptions) => {
      const { showEvidence } = await import('../execute/show-evidence.ts');
      await showEvidence(file, options);
    });
  addExamples(verify, [
    'verify-evidence svc-evidence.json',
    'verify-evidence svc-evidence.json --checkpoint svc-checkpoint.json --json',
  ]);
}
