/**
 * The configuration that a command works with: its flags, the environment, `node.json`.
 */
import { homedir, totalmem } from 'node:os';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { type CommandOptions, flagsOf } from './config-options.ts';

export function configOf(options: CommandOptions, file: unknown = options['config']): LoadedConfig {
  return loadConfig({
    flags: flagsOf(options),
    environment: process.env,
    file: typeof file === 'string' || file === false ? file : null,
    directory: process.cwd(),
    home: homedir(),
    memoryBytes: memoryBytes(),
  });
}

/** Of the machine, or of the control group if that has less; 0 stands for no limit. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit === 0 ? totalmem() : Math.min(limit, totalmem());
}
