/**
 * `svc-wallet audit`: checks the audit file from its beginning and shows the newest lines. The wallet is not opened, so that a
 * running daemon is not disturbed and no password is needed.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT, note } from 'svc-base/cli';
import { FileRefusal } from '../../errors.ts';
import { type AuditLine, auditPath, readAudit } from '../../state/audit-file.ts';
import { type CommandOptions, textOf, walletPlace } from '../options.ts';
import { print } from '../show.ts';

const LINES_DEFAULT = 50;

export async function showAudit(options: CommandOptions): Promise<void> {
  const given = textOf(options, 'auditFile');
  const path = given === undefined ? auditPath(walletPlace(options).file) : resolve(given);
  if (!existsSync(path)) {
    const hint = 'the file is made with the first payment; name another with --audit-file';
    throw new FileRefusal('missing', path, 'there is no audit file', hint);
  }
  const limit = (options['limit'] as number | undefined) ?? LINES_DEFAULT;
  const requestId = textOf(options, 'requestId');
  const newest: AuditLine[] = [];
  const { fault, firstSequence, head, lines } = readAudit(path, (line) => {
    if (requestId !== undefined && line.request_id !== requestId) return;
    newest.push(line);
    if (newest.length > 2 * limit) newest.splice(0, limit);
  });
  const facts = {
    file: path,
    verified: fault === null,
    lines,
    first_sequence: firstSequence,
    last_sequence: head?.sequence ?? null,
    last_digest: head?.digest ?? null,
    ...(fault === null ? {} : { fault }),
    entries: newest.slice(-limit),
  };
  print(options, 'audit', facts);
  if (fault === null) return;
  note(`line ${fault.line} of ${path}: ${fault.reason}`);
  process.exitCode = EXIT.refused;
}
