/**
 * One thing that a development network can be told to do over HTTP.
 */
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import type { DevControl } from './dev-control.ts';

export interface Outcome {
  /** The fields of the answer beside `api_version`. */
  readonly answer: object;
  /** Work that starts once the answer is out, because it ends the connection. */
  readonly afterwards?: () => Promise<unknown>;
}

export interface Action<Fields extends TProperties = TProperties> {
  /** The last part of the path, after `/v1/dev/`. */
  readonly name: string;
  readonly summary: string;
  readonly fields: Fields;
  perform(network: DevControl, request: Static<TObject<Fields>>): Promise<Outcome>;
}

/** The schema of a request body: the version and the fields of the action, nothing else. */
export function requestSchema(fields: TProperties): TObject {
  const properties = { api_version: Type.Literal(1), ...fields };
  return Type.Object(properties, { additionalProperties: false });
}

export function defineAction<Fields extends TProperties>(action: Action<Fields>): Action {
  return action as unknown as Action;
}
