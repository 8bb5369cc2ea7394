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

/** An action with the schema of its request body: the version and the fields, nothing else. */
export interface DefinedAction extends Action {
  readonly body: TObject;
}

export function defineAction<Fields extends TProperties>(action: Action<Fields>): DefinedAction {
  const properties = { api_version: Type.Literal(1), ...action.fields };
  const body = Type.Object(properties, { additionalProperties: false });
  return { ...(action as unknown as Action), body };
}
