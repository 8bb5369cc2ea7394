/**
 * The two files that travel between the machine with the node and the machine with the keys. Both are read as
 * if a stranger had written them.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { FileRefusal } from '../../errors.ts';
import { readDocument } from '../input.ts';
import { usage } from '../options.ts';

const Decimal = Type.String({ pattern: '^(0|[1-9][0-9]{0,19})$' });
const Text = Type.String({ maxLength: 128 });

export const RequestFile = Type.Object(
  {
    svc_offline_request: Type.Literal(1),
    chain_id: Text,
    manifest: Type.Record(Type.String(), Type.Unknown()),
    transaction: Type.Object(
      {
        valid_from_height: Decimal,
        valid_until_height: Decimal,
        fee: Type.Optional(Decimal),
        inputs: Type.Array(
          Type.Object(
            {
              transaction_id: Text,
              output_index: Decimal,
              repeated: Type.Optional(Type.Boolean()),
            },
            { additionalProperties: false },
          ),
          { minItems: 1, maxItems: 64 },
        ),
        outputs: Type.Array(
          Type.Object({ address: Text, amount: Decimal }, { additionalProperties: false }),
          { minItems: 1, maxItems: 64 },
        ),
        payload_hex: Type.Literal(''),
      },
      { additionalProperties: false },
    ),
    spent: Type.Array(
      Type.Object(
        { address: Text, amount: Decimal, key_registered: Type.Boolean() },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
export type RequestFile = Static<typeof RequestFile>;

export const SignedFile = Type.Object(
  {
    svc_offline_signed: Type.Literal(1),
    chain_id: Text,
    transaction_id: Text,
    wire_hex: Type.String({ pattern: '^([0-9a-f]{2})+$', maxLength: 1_048_576 }),
  },
  { additionalProperties: false },
);
export type SignedFile = Static<typeof SignedFile>;

export async function readFileOf<S extends TSchema>(
  schema: S,
  path: string,
  flag: string,
): Promise<Static<S>> {
  const document = await readDocument(path, flag);
  if (Value.Check(schema, document)) return document;
  const [fault] = Value.Errors(schema, document);
  throw usage(`${flag}: ${fault?.instancePath || 'the document'} ${fault?.message}`);
}

/** Writes a file that must not exist yet. Request and signed payment hold no secret. */
export function writeNew(path: string, document: object): void {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const fault = code === 'EEXIST' ? 'exists' : 'unreadable';
    const message = code === 'EEXIST' ? 'exists already' : `cannot be written (${code})`;
    throw new FileRefusal(fault, path, message, 'name another file', cause);
  }
  writeSync(file, `${JSON.stringify(document, null, 2)}\n`);
  closeSync(file);
}
