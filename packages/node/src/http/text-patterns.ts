/**
 * `pattern` of request schemas. The validator's own looks for every one in a text as a regular expression; that of
 * hexadecimal, which transactions come in, is looked for by words of four characters. What it refuses and says is the
 * same.
 */
import type { FastifyServerOptions } from 'fastify';
import { isHexText } from 'svc-wasm/base';

type Validators = Parameters<NonNullable<NonNullable<FastifyServerOptions['ajv']>['onCreate']>>[0];

interface Check {
  (text: string): boolean;
  errors?: object[];
}

const HEX_PATTERN = '^[0-9a-f]*$';

export function matchQuickly(validators: Validators): void {
  const keyword = 'pattern';
  validators.removeKeyword(keyword);
  validators.addKeyword({
    keyword,
    type: 'string',
    schemaType: 'string',
    errors: true,
    compile: (pattern: string) => {
      const holds = matcherOf(pattern);
      const message = `must match pattern "${pattern}"`;
      const check: Check = (text) => {
        if (holds(text)) return true;
        check.errors = [{ keyword, message, params: { pattern } }];
        return false;
      };
      return check;
    },
  });
}

function matcherOf(pattern: string): (text: string) => boolean {
  if (pattern === HEX_PATTERN) return isHexText;
  const expression = new RegExp(pattern, 'u');
  return (text) => expression.test(text);
}
