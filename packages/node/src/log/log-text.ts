/**
 * Makes values safe to write: text from outside can neither steer a terminal, nor fake a line, nor flood
 * one, and secrets are not written even if a caller passes them.
 */
import type { LogFields } from 'svc-base/pure';

const TEXT_LENGTH_MAX = 2_048;
/** Controls, and marks that change the direction or the order of what follows. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const SECRET =
  /(?:^|_)(?:authorization|cookie|mnemonic|passphrase|password|private_key|recovery_words|secret|secret_key|seed|token)$/;
/** Names that the log itself writes. */
const RESERVED = new Set(['level', 'time', 'part', 'message', 'suppressed']);

export type SafeFields = Record<string, string | number | boolean | null>;

export function safeText(text: string): string {
  const cut = text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}…` : text;
  return cut.replaceAll(UNSAFE, escaped);
}

function escaped(character: string): string {
  if (character === '\n') return String.raw`\n`;
  return `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`;
}

export function safeFields(fields: LogFields): SafeFields {
  const safe: SafeFields = {};
  for (const [name, value] of Object.entries(fields)) {
    safe[RESERVED.has(name) ? `field_${name}` : name] = SECRET.test(name)
      ? '[secret]'
      : safeValue(value);
  }
  return safe;
}

function safeValue(value: LogFields[string]): string | number | boolean | null {
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'string' ? safeText(value) : value;
}

/** What to log of an error; `stack` only where it is a fault of ours. */
export function errorFields(error: unknown, { stack = false } = {}): LogFields {
  if (!(error instanceof Error)) return { error: String(error) };
  const { code } = error as NodeJS.ErrnoException;
  return {
    error: error.message,
    ...(typeof code === 'string' ? { error_code: code } : {}),
    ...(stack && error.stack !== undefined ? { stack: error.stack } : {}),
  };
}
