/**
 * The validators of request schemas, compiled once in a process, each when the first request comes that it judges:
 * compiling those of all routes takes a quarter of a second, which no start of a node waits for, and a development
 * network or a test starts many applications with the same routes. A schema is known by its object, so schemas belong
 * at the top of a module.
 */
import { AjvCompiler } from '@fastify/ajv-compiler';
import type { FastifySchemaCompiler } from 'fastify';
import { countShortly } from './text-lengths.ts';
import { matchQuickly } from './text-patterns.ts';

type Compile = FastifySchemaCompiler<unknown>;
type Validate = ReturnType<Compile>;

/** Validators change nothing of what they judge, so that a part of a request is all they need. */
export const VALIDATOR_OPTIONS = {
  customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false },
  onCreate: (validators: Parameters<typeof countShortly>[0]): void => {
    countShortly(validators);
    matchQuickly(validators);
  },
} as const;

// The types of the package take the schema alone, its code the part of a route that Fastify hands over.
const compile = AjvCompiler()({}, VALIDATOR_OPTIONS) as unknown as Compile;

/** Goes to `setValidatorCompiler` of an application. */
export const compileWhenAsked: Compile = (part) => {
  let compiled: Validate | undefined;
  const validate: Validate = (value) => {
    compiled ??= compile(part);
    const answer = compiled(value);
    validate.errors = compiled.errors ?? null;
    return answer;
  };
  return validate;
};
