/**
 * Exact size, mass and minimum fee of a transaction before, or without, its signatures.
 */
import { QUOTED_PROFILE_BYTES, TABLE_OPERATION } from '../../assembly/transaction/layout.ts';
import { Fields } from '../base/fields.ts';
import { SvcError } from '../base/svc-error.ts';
import { kernel } from '../kernel/current.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { parseManifest } from '../manifest/manifest.ts';
import { assemble, emptyPossession } from './assemble.ts';
import { ARGUMENTS_AT, decodeBody, expectAccepted, place } from './decode.ts';
import type { QuotedProfile } from './profiles.ts';
import { INLINE, parseProfile, REPEATED } from './profiles.ts';
import type { TransactionQuote } from './request.ts';
import { TransactionTable } from './table.ts';

const PROFILES_MAX = 256;

export function showQuote(table: TransactionTable): TransactionQuote {
  return {
    wire_bytes: String(table.wireBytes),
    mass: String(table.mass),
    minimum_fee: String(table.minimumFee),
    signatures: String(table.signatures),
  };
}

/** `profiles` has one entry for each witness of the body. */
function quoteProfiles(
  body: Uint8Array,
  profiles: readonly QuotedProfile[],
  manifest: Manifest,
): TransactionQuote {
  const instance = kernel();
  const { manifestAt, bytesAt } = place(instance, manifest, body);
  const profilesAt = instance.input + ARGUMENTS_AT;
  for (const [i, profile] of profiles.entries()) {
    instance.bytes.set(profile, profilesAt + i * QUOTED_PROFILE_BYTES);
  }
  const error = instance.invoke((exports) =>
    exports.txQuote(manifestAt, bytesAt, body.length, profilesAt),
  );
  expectAccepted(instance, error, 'body');
  return showQuote(TransactionTable.copied(body, instance));
}

/** Quotes a body whose witnesses will all be of the profile `inline`, but for repeated inputs. */
export function quoteTransaction(body: Uint8Array, manifestJson: string): string {
  const manifest = parseManifest(manifestJson);
  const table = decodeBody(body, manifest);
  const witnesses = table.inputCount + (table.operation === 0 ? 0 : 1);
  const profiles = Array.from({ length: witnesses }, (_, i) =>
    table.isRepeated(i) ? REPEATED : INLINE,
  );
  return JSON.stringify(quoteProfiles(table.bytes, profiles, manifest));
}

function readProfiles(profilesJson: string, table: TransactionTable): QuotedProfile[] {
  const fields = Fields.parse(profilesJson, 'profiles', ['inputs', 'operation']);
  const path = fields.at('inputs');
  const profiles = fields
    .array('inputs', PROFILES_MAX)
    .map((value, i) => parseProfile(value, `${path}[${i}]`));
  if (profiles.length !== table.inputCount) {
    const found = `expected ${table.inputCount} profiles, found ${profiles.length}`;
    throw new SvcError('wrong_witness_count', found, { path });
  }
  if (table.u32(TABLE_OPERATION) !== 0) {
    const operation = fields.has('operation') ? fields.value('operation') : 'inline';
    profiles.push(parseProfile(operation, fields.at('operation')));
  } else if (fields.has('operation')) {
    throw new SvcError('no_operation', 'the body has no operation', {
      path: fields.at('operation'),
    });
  }
  return profiles;
}

/** Quotes a body with the given profiles, as in `InputProfiles`. */
export function quoteTransactionWithInputProfiles(
  body: Uint8Array,
  profilesJson: string,
  manifestJson: string,
): string {
  const manifest = parseManifest(manifestJson);
  const table = decodeBody(body, manifest);
  const profiles = readProfiles(profilesJson, table);
  return JSON.stringify(quoteProfiles(table.bytes, profiles, manifest));
}

/** Quotes a body with witnesses that exist; a possession signature need not. */
export function quoteTransactionWithWitnesses(
  body: Uint8Array,
  witnesses: readonly Uint8Array[],
  manifestJson: string,
): string {
  const manifest = parseManifest(manifestJson);
  const table = decodeBody(body, manifest);
  return JSON.stringify(showQuote(assemble(table, witnesses, emptyPossession(table), manifest)));
}
