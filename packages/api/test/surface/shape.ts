/**
 * A schema as a flat list, so that two versions of it can be compared with each other: the path of each field
 * and what may stand there. A field that may be absent has a question mark behind its path.
 */
export type Shape = Readonly<Record<string, string>>;

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}

/** What a request must keep to; in an answer they are a description. */
const LIMITS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern'];

export function shapeOf(schema: object, side: 'request' | 'answer'): Shape {
  const shape: Record<string, string> = {};
  visit(schema, '', '');
  return shape;

  function visit(at: Schema, path: string, mark: string): void {
    shape[path + mark] = side === 'answer' ? kindOf(at) : `${kindOf(at)}${limitsOf(at)}`;
    const alternatives = at.anyOf?.filter(({ properties }) => properties !== undefined) ?? [at];
    for (const [
      index,
      { items, properties, required = [], patternProperties },
    ] of alternatives.entries()) {
      const start = alternatives.length > 1 ? `${path}(${index})` : path;
      if (items !== undefined) visit(items, `${start}[]`, '');
      for (const value of Object.values(patternProperties ?? {})) visit(value, `${start}.*`, '');
      for (const [name, value] of Object.entries(properties ?? {}))
        visit(value, `${start}.${name}`, required.includes(name) ? '' : '?');
    }
  }
}

function kindOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(kindOf))].sort().join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return schema.enum
      .map((value) => JSON.stringify(value))
      .sort()
      .join(' | ');
  return schema.type ?? 'anything';
}

function limitsOf(schema: Schema): string {
  const found = Object.entries(schema).filter(([name]) => LIMITS.includes(name));
  return found.map(([name, value]) => ` ${name} ${String(value)}`).join('');
}
