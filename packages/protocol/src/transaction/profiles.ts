/**
 * Witness profiles by name; `docs/protocol.md` 4.3. Multisig profiles carry their policy, because
 * the size of the witness depends on it.
 */
import {
  PROFILE_INLINE,
  PROFILE_MULTISIG_INLINE,
  PROFILE_MULTISIG_REFERENCED,
  PROFILE_REFERENCED,
  PROFILE_REPEATED,
} from '../../assembly/transaction/layout.ts';
import { Fields } from '../base/fields.ts';
import type { Json } from '../base/json.ts';
import { kindOf } from '../base/kind-of.ts';
import { SvcError } from '../base/svc-error.ts';
import { expectPolicy } from '../multisig/policy.ts';

export const PROFILES = {
  inline: PROFILE_INLINE,
  referenced: PROFILE_REFERENCED,
  multisig_inline: PROFILE_MULTISIG_INLINE,
  multisig_referenced: PROFILE_MULTISIG_REFERENCED,
  repeated: PROFILE_REPEATED,
} as const;

export type ProfileName = keyof typeof PROFILES;
/** Profiles whose witness needs no policy. */
export type KeyProfile = 'inline' | 'referenced' | 'repeated';
export type MultisigProfile = 'multisig_inline' | 'multisig_referenced';

/** A profile in a request for a quote. */
export type InputProfile =
  | KeyProfile
  | { readonly profile: MultisigProfile; readonly threshold: string; readonly members: string };

/** What `quoteTransactionWithInputProfiles` takes. */
export interface InputProfiles {
  readonly inputs: readonly InputProfile[];
  readonly operation?: InputProfile;
}

/** Profile, threshold and members as the kernel takes them; a key's witness has neither. */
export type QuotedProfile = readonly [profile: number, threshold: number, members: number];

export const INLINE: QuotedProfile = [PROFILE_INLINE, 0, 0];
export const REPEATED: QuotedProfile = [PROFILE_REPEATED, 0, 0];

function unknownProfile(expected: readonly string[], path: string): SvcError {
  return new SvcError('unknown_profile', `expected ${expected.join(' or ')}`, { path });
}

export function expectKeyProfile(value: unknown, path: string): KeyProfile {
  if (value === 'inline' || value === 'referenced' || value === 'repeated') return value;
  throw unknownProfile(['inline', 'referenced', 'repeated'], path);
}

function expectMultisigProfile(value: string, path: string): MultisigProfile {
  if (value === 'multisig_inline' || value === 'multisig_referenced') return value;
  throw unknownProfile(['multisig_inline', 'multisig_referenced'], path);
}

export function parseProfile(value: Json, path: string): QuotedProfile {
  if (typeof value === 'string') return [PROFILES[expectKeyProfile(value, path)], 0, 0];
  if (typeof value !== 'object' || value === null) {
    throw new SvcError('bad_type', `expected a profile, found ${kindOf(value)}`, { path });
  }
  const fields = new Fields(value, path, ['profile', 'threshold', 'members']);
  const profile = expectMultisigProfile(fields.string('profile', 64), fields.at('profile'));
  const { threshold, members } = expectPolicy(
    fields.decimal('threshold', { max: 255n }),
    fields.decimal('members', { max: 255n }),
    path,
  );
  return [PROFILES[profile], threshold, members];
}
