/**
 * Values of options that several programs have. A value that cannot be understood is refused with the expected form.
 */
import { isIP } from 'node:net';
import type { Bind } from '../node/listen-at.ts';
import { CliError } from './cli-error.ts';
import { EXIT } from './exit-codes.ts';

export function usageError(message: string, hint?: string): CliError {
  return new CliError(EXIT.usage, message, hint === undefined ? {} : { hint });
}

/** For options that may be given several times. */
export function collect(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text];
}

export function parseBind(text: string, option: string): Bind {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):([0-9]{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || isIP(host) === 0 || port > 0xffff)
    throw usageError(
      `${option}: expected an address and a port such as 0.0.0.0:28780, found ${text}`,
    );
  return { host, port };
}
