/**
 * `svcd run`: reads the configuration, then either prints it or serves.
 */
import { CliError, EXIT, result } from 'svc-base/cli';
import { printConfig } from '../../config/print-config.ts';
import type { CommandOptions } from '../config-options.ts';
import { configOf } from '../load-config.ts';

/** Errors of the command are reported before anything large is loaded. */
export async function runNode(options: CommandOptions): Promise<void> {
  const loaded = configOf(options);
  if (options['printConfig'] === true) return result(printConfig(loaded.settings));
  const newSignState = options['newSignState'] === true;
  if (newSignState && loaded.config.validator === null)
    throw new CliError(EXIT.usage, '--new-sign-state: the configuration has no validator section');
  const { serveNode } = await import('./serve-node.ts');
  return serveNode(loaded, newSignState);
}
