/**
 * What one setting of a node is: its kind, its default, and where it can be given. Plain data without
 * imports, so that help and documents can be made from it quickly.
 */
export type SettingKind =
  | { readonly type: 'text' }
  | { readonly type: 'path' }
  | { readonly type: 'hex'; readonly length: number }
  | { readonly type: 'atoms' }
  | { readonly type: 'toggle' }
  | { readonly type: 'integer'; readonly min: number; readonly max: number }
  | { readonly type: 'choice'; readonly values: readonly string[] }
  | { readonly type: 'list'; readonly itemsMax: number };

export interface Setting<Value> {
  readonly kind: SettingKind;
  /** Null where a setting may be left out; `about` then says what happens. */
  readonly default: Value;
  readonly about: string;
  /** The flag as help shows it, such as `--public` or `--data-dir <directory>`. */
  readonly flag: string | null;
  /** Further variables, beside the one that follows from the path (`SVC_HTTP_BIND` for `http.bind`). */
  readonly alsoFrom: readonly string[];
}

interface Extra {
  readonly flag?: string;
  readonly alsoFrom?: readonly string[];
}

function setting<Value>(
  kind: SettingKind,
  value: Value,
  about: string,
  { flag, alsoFrom }: Extra,
): Setting<Value> {
  return { kind, default: value, about, flag: flag ?? null, alsoFrom: alsoFrom ?? [] };
}

export function text(value: string, about: string, extra: Extra = {}): Setting<string> {
  return setting({ type: 'text' }, value, about, extra);
}

export function optionalText(about: string, extra: Extra = {}): Setting<string | null> {
  return setting({ type: 'text' }, null, about, extra);
}

/** A file or directory; relative ones count from the directory the node was started in. */
export function optionalPath(about: string, extra: Extra = {}): Setting<string | null> {
  return setting({ type: 'path' }, null, about, extra);
}

export function optionalHex(length: number, about: string): Setting<string | null> {
  return setting({ type: 'hex', length }, null, about, {});
}

export function optionalAtoms(about: string): Setting<string | null> {
  return setting({ type: 'atoms' }, null, about, {});
}

export function toggle(about: string, extra: Extra = {}): Setting<boolean> {
  return setting({ type: 'toggle' }, false, about, extra);
}

/** On unless it is switched off; its flag begins with `--no-`. */
export function toggleOff(about: string, extra: Extra = {}): Setting<boolean> {
  return setting({ type: 'toggle' }, true, about, extra);
}

export function integer(
  value: number,
  [min, max]: readonly [number, number],
  about: string,
  extra: Extra = {},
): Setting<number> {
  return setting({ type: 'integer', min, max }, value, about, extra);
}

export function choice<const Value extends string>(
  values: readonly Value[],
  value: NoInfer<Value>,
  about: string,
  extra: Extra = {},
): Setting<Value> {
  return setting({ type: 'choice', values }, value, about, extra);
}

/** In the environment the items are separated by commas; on the command line the flag is repeated. */
export function list(
  itemsMax: number,
  about: string,
  extra: Extra = {},
): Setting<readonly string[]> {
  return setting({ type: 'list', itemsMax }, [], about, extra);
}
