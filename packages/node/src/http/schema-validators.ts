/**
 * The validators of request schemas, compiled once in a process: compiling those of all routes takes a quarter of a
 * second, and a development network or a test starts many applications with the same routes. A schema is known by its
 * object, so schemas belong at the top of a module.
 */
import { AjvCompiler } from '@fastify/ajv-compiler';
import type { FastifyServerOptions } from 'fastify';
import { countShortly } from './text-lengths.ts';

const buildValidator = AjvCompiler();

export const SCHEMA_OPTIONS: Pick<FastifyServerOptions, 'ajv' | 'schemaController'> = {
  ajv: {
    customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false },
    onCreate: countShortly,
  },
  schemaController: { compilersFactory: { buildValidator } },
};
