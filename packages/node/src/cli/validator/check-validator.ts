/**
 * `svcd validator-check`: everything that a validator needs, before it costs anything.
 */
import { CliError, columns, EXIT, note, result, resultJson } from 'svc-base/cli';
import { init } from 'svc-wasm';
import { safeText } from '../../log/log-text.ts';
import type { CommandOptions } from '../config-options.ts';
import { configOf } from '../load-config.ts';
import { clientOf } from '../status/show-status.ts';
import { type Check, checkLocally } from './local-checks.ts';
import { checkNode } from './node-checks.ts';

export async function checkValidator(options: CommandOptions): Promise<void> {
  await init();
  const { config } = configOf(options);
  const local = checkLocally(config);
  const node = await checkNode(clientOf(options), config, local).catch(unreachable);
  const checks = [...local.checks, ...node];
  const ok = checks.every((check) => check.ok);
  if (options['json'] === true) resultJson({ ok, checks });
  else result(columns(checks.map(row)));
  if (ok) return;
  note('something is missing; whether others can reach the routes is not checked from here');
  process.exitCode = EXIT.failed;
}

function row({ name, ok, detail }: Check): string[] {
  return [ok ? 'ok' : 'MISSING', name, safeText(detail)];
}

function unreachable(error: unknown): Check[] {
  if (!(error instanceof CliError)) throw error;
  return [{ name: 'node', ok: false, detail: error.message }];
}
