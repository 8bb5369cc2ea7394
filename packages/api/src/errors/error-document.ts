/**
 * The one shape of every refusal over HTTP.
 */
import { type Static, Type } from 'typebox';
import { ApiVersion } from '../base/scalars.ts';

export const ErrorDocument = Type.Object({
  api_version: ApiVersion,
  error: Type.Object({
    code: Type.String({ description: 'Stable, for programs; see the catalogue.' }),
    message: Type.String({ description: 'What was expected and what was found.' }),
    path: Type.Optional(Type.String({ description: 'The field, such as `addresses[3]`.' })),
    hint: Type.Optional(Type.String({ description: 'What helps.' })),
  }),
  retry_after_millis: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Repeat a read after this time.' }),
  ),
});
export type ErrorDocument = Static<typeof ErrorDocument>;
