/**
 * The settings as a JSON Schema, for editors: strict in the same way as the reader of `node.json`.
 */
import { type TSchema, type TSchemaOptions, Type } from 'typebox';
import { TEXT_LENGTH_MAX } from './check-value.ts';
import type { Setting } from './setting.ts';
import { isSettingPath, SETTING_PATHS, SETTINGS } from './settings.ts';

const TEXT = { minLength: 1, maxLength: TEXT_LENGTH_MAX };

export function configSchema(): TSchema {
  return sectionSchema('', { $schema: Type.Optional(Type.String()) });
}

function sectionSchema(prefix: string, extra: Record<string, TSchema> = {}): TSchema {
  const properties: Record<string, TSchema> = { ...extra };
  for (const path of SETTING_PATHS.filter((known) => known.startsWith(prefix))) {
    const name = path.slice(prefix.length).split('.')[0] as string;
    const full = `${prefix}${name}`;
    properties[name] ??= Type.Optional(
      isSettingPath(full) ? valueSchema(SETTINGS[full]) : sectionSchema(`${full}.`),
    );
  }
  return Type.Object(properties, { additionalProperties: false });
}

function valueSchema({ kind, about, default: value }: Setting<unknown>): TSchema {
  const options: TSchemaOptions = { description: about };
  if (value !== null) options['default'] = value;
  switch (kind.type) {
    case 'text':
    case 'path':
      return Type.String({ ...options, ...TEXT });
    case 'hex':
      return Type.String({ ...options, pattern: `^[0-9a-f]{${kind.length}}$` });
    case 'atoms':
      return Type.Union(
        [
          Type.String({ pattern: '^(?:0|[1-9][0-9]{0,19})$' }),
          Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        ],
        options,
      );
    case 'toggle':
      return Type.Boolean(options);
    case 'integer':
      return Type.Integer({ ...options, minimum: kind.min, maximum: kind.max });
    case 'choice':
      return Type.Enum([...kind.values], options);
    case 'list':
      return Type.Union(
        [Type.String(TEXT), Type.Array(Type.String(TEXT), { maxItems: kind.itemsMax })],
        options,
      );
  }
}
