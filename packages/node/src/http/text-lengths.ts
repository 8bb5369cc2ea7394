/**
 * `minLength` and `maxLength` of request schemas, which count characters and not the units of a text. The validator's own
 * count every character of every text, also those of a transaction in hexadecimal to find out that it is not empty. A
 * character has one unit or two, so that the units mostly decide, and only otherwise is anything counted.
 */
import type { FastifyServerOptions } from 'fastify';

type Validators = Parameters<NonNullable<NonNullable<FastifyServerOptions['ajv']>['onCreate']>>[0];

interface Check {
  (text: string): boolean;
  errors?: object[];
}

const UNITS_MAX = 2;

export function hasAtLeast(text: string, characters: number): boolean {
  if (text.length < characters) return false;
  return text.length >= UNITS_MAX * characters || charactersOf(text) >= characters;
}

export function hasAtMost(text: string, characters: number): boolean {
  if (text.length <= characters) return true;
  return text.length <= UNITS_MAX * characters && charactersOf(text) <= characters;
}

/** Called with a text whose length is within twice a limit. */
function charactersOf(text: string): number {
  return Array.from(text).length;
}

/** Puts the two keywords in the place of the validator's own; what they refuse and say is the same. */
export function countShortly(validators: Validators): void {
  replace(validators, 'minLength', 'fewer', hasAtLeast);
  replace(validators, 'maxLength', 'more', hasAtMost);
}

function replace(
  validators: Validators,
  keyword: string,
  than: string,
  holds: (text: string, limit: number) => boolean,
): void {
  validators.removeKeyword(keyword);
  validators.addKeyword({
    keyword,
    type: 'string',
    schemaType: 'number',
    errors: true,
    compile: (limit: number) => {
      const message = `must NOT have ${than} than ${limit} characters`;
      const check: Check = (text) => {
        if (holds(text, limit)) return true;
        check.errors = [{ keyword, message, params: { limit } }];
        return false;
      };
      return check;
    },
  });
}
