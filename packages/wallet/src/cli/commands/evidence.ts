/** Checking what somebody else proved: evidence files of the explorer, without a node. */
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import type { CommandOptions } from '../values.ts';

export function addEvidenceCommand(program: Command): void {
  const verify = program
    .command('verify-evidence')
    .summary('make the proof in an evidence file again, without a node')
    .description(
      'Makes the proof of an evidence file again from the file alone: signatures of validators, proofs to the state root, and what the node said beside them. It says which cut everything rests on; with a checkpoint of your own it also says whether these are the validators that you trust.',
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
