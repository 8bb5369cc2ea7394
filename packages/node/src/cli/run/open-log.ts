/**
 * The log of a command that serves, as its configuration and its terminal want it.
 */
import type { LogConfig } from '../../config/node-config.ts';
import { type NodeLog, openNodeLog } from '../../log/node-log.ts';

export function openLog({ filter, file, format }: LogConfig): Promise<NodeLog> {
  const isTerminal = process.stderr.isTTY === true;
  const pretty = format === 'pretty' || (format === 'auto' && isTerminal);
  const colour = isTerminal && (process.env['NO_COLOR'] ?? '') === '';
  return openNodeLog({ filter, file, pretty, colour });
}
