/**
 * `svcd recovery assemble`: one recovery out of the statements of its members. Every statement is a recovery with one
 * member.
 */
import { existsSync } from 'node:fs';
import { CliError, EXIT } from 'svc-base/cli';
import { replaceFileSync } from 'svc-base/node';
import { type ChainRecovery, formatRecovery, parseRecovery } from 'svc-wasm/protocol';
import { readRecoveryFile } from '../../config/recovery-files.ts';
import type { CommandOptions } from '../config-options.ts';
import { chainPlace } from '../store/open-store.ts';
import { showRecovery } from './verify.ts';

export async function assembleRecovery(
  files: readonly string[],
  options: CommandOptions,
): Promise<void> {
  const place = await chainPlace(options);
  const out = String(options['out']);
  if (existsSync(out)) throw new CliError(EXIT.refused, `${out} is there already`);
  const statements = files.map((file) => ({ file, statement: readRecoveryFile(file) }));
  const [first, ...others] = statements.map(({ statement }) => statement);
  if (first === undefined) throw new CliError(EXIT.usage, 'there is no statement');
  for (const [index, other] of others.entries()) {
    if (other.cutId === first.cutId) continue;
    const file = files[index + 1];
    throw new CliError(
      EXIT.refused,
      `${file} is about cut ${other.cutId} at height ${other.height}, ${files[0]} about cut ${first.cutId} at height ${first.height}`,
      { hint: 'all operators agree on the last cut first' },
    );
  }
  const members = statements.flatMap(({ statement }) => statement.members);
  expectOnce(members);
  const text = formatRecovery(first, members);
  await showRecovery(place, parseRecovery(text));
  replaceFileSync(out, text);
}

function expectOnce(members: ChainRecovery['members']): void {
  const ids = members.map(({ validatorId }) => validatorId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice === undefined) return;
  throw new CliError(EXIT.refused, `validator ${twice} has made two statements`, {
    hint: 'take the one whose key its operator will use',
  });
}
