/**
 * Schemas of the contract in a few words, for the pages that are made from it: shapes as TypeScript writes them, and lists
 * of fields. `svc-api/schema-shape`.
 */

/** The part of a JSON schema that the pages show. */
export interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Such as `{height: integer, kind: "received" | "spent", next?: string}`. */
export function shapeOf(schema: Schema): string {
  const { const: constant, enum: values, anyOf, items, properties, required = [] } = schema;
  if (constant !== undefined) return JSON.stringify(constant);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (anyOf !== undefined) return [...new Set(anyOf.map(shapeOf))].join(' | ');
  if (items !== undefined) return listOf(shapeOf(items));
  if (properties === undefined) return schema.type ?? 'any';
  const fields = Object.entries(properties).map(
    ([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${shapeOf(field)}`,
  );
  return fields.length === 0 ? '{}' : `{${fields.join(', ')}}`;
}

function listOf(shape: string): string {
  return shape.includes(' | ') && !shape.startsWith('{') ? `(${shape})[]` : `${shape}[]`;
}

/** One line a field; no text for a schema without fields. */
export function fieldList(schemas: readonly (Schema | undefined)[]): string {
  const lines = schemas.flatMap((schema) =>
    Object.entries(schema?.properties ?? {}).map(([name, field]) => {
      const need = schema?.required?.includes(name) === true ? ', required' : '';
      return `- \`${name}\` (\`${shapeOf(field)}\`${need}): ${field.description ?? ''}`.trimEnd();
    }),
  );
  return lines.join('\n');
}
