/**
 * Decides whether a certificate proves what it says; `docs/protocol.md` 8.3. Cheap checks come
 * first: no signature is looked at before set, bitmap and stake fit.
 */
import { equalBytes, expectBytes, toHex } from '../base/bytes.ts';
import { CONTEXTS } from '../base/labels.ts';
import { ID_BYTES } from '../base/sizes.ts';
import type { Certificate, PolkaCertificate } from './certificate.ts';
import { decodeCertificate } from './certificate.ts';
import { expectThat } from './check.ts';
import { cutId, decodeCutHeader } from './cut-header.ts';
import { verifyByValidator } from './signature.ts';
import { isQuorum, signerIndexes, stakeOfSigners } from './signers.ts';
import type { ValidatorSet } from './validator-set.ts';
import { decodeValidatorSet } from './validator-set.ts';
import type { VoteKind } from './vote.ts';
import { NO_ROUND, voteSignBytes } from './vote.ts';

/** Refuses a commit certificate that does not hold; returns the stake of its signers. */
export function checkCertificate(
  certificate: Certificate,
  set: ValidatorSet,
  chainId: Uint8Array,
): bigint {
  return checkVotes(certificate, 'precommit', NO_ROUND, set, chainId, 'certificate');
}

/** Refuses a polka certificate that does not hold; returns the stake of its signers. */
export function checkPolkaCertificate(
  polka: PolkaCertificate,
  set: ValidatorSet,
  chainId: Uint8Array,
): bigint {
  return checkVotes(polka, 'prevote', polka.validRound, set, chainId, 'polka');
}

function checkVotes(
  certificate: Certificate,
  kind: VoteKind,
  validRound: number,
  set: ValidatorSet,
  chainId: Uint8Array,
  path: string,
): bigint {
  const named = toHex(certificate.validatorSetId);
  expectThat(
    equalBytes(certificate.validatorSetId, set.id),
    'wrong_validator_set',
    `expected the set ${toHex(set.id)}, found ${named}`,
    `${path}.validatorSetId`,
  );
  const stake = stakeOfSigners(certificate.signers, set, `${path}.signers`);
  expectThat(
    isQuorum(stake, set.totalStake),
    'insufficient_stake',
    `expected more than two thirds of ${set.totalStake}, found ${stake}`,
    `${path}.signers`,
  );
  const message = voteSignBytes({ ...certificate, kind, validRound }, chainId, path);
  signerIndexes(certificate.signers).forEach((validator, index) => {
    const signature = certificate.signatures[index] as Uint8Array;
    expectThat(
      verifyByValidator(set, validator, message, CONTEXTS.vote, signature),
      'bad_signature',
      `not the signature of validator ${validator}`,
      `${path}.signatures[${index}]`,
    );
  });
  return stake;
}

/** Refuses unless header, certificate and set belong together; returns the id and the stake. */
export function checkCut(
  headerBytes: Uint8Array,
  certificate: Certificate,
  set: ValidatorSet,
  chainId: Uint8Array,
): { readonly cutId: Uint8Array; readonly signedStake: bigint } {
  const taken = expectBytes(headerBytes, 'header').slice();
  const header = decodeCutHeader(taken);
  expectThat(
    equalBytes(header.chainId, chainId),
    'wrong_chain',
    `expected ${toHex(chainId)}, found ${toHex(header.chainId)}`,
    'header.chainId',
  );
  expectThat(
    equalBytes(header.validatorSetId, set.id),
    'wrong_validator_set',
    `expected the set ${toHex(set.id)}, found ${toHex(header.validatorSetId)}`,
    'header.validatorSetId',
  );
  const id = cutId(taken);
  const isThisCut = certificate.height === header.height && equalBytes(certificate.cutId, id);
  const found = `expected cut ${toHex(id)} at height ${header.height}, found ${toHex(certificate.cutId)} at height ${certificate.height}`;
  expectThat(isThisCut, 'wrong_cut', found, 'certificate.cutId');
  return { cutId: id, signedStake: checkCertificate(certificate, set, chainId) };
}

/**
 * Checks that a cut is final: its header, the certificate, the validator set's preimage and the
 * chain id. Returns `{cut_id, height, signed_stake, total_stake, signers}` as JSON, integers as decimal
 * strings; `signers` are indexes into the set.
 */
export function verifyCutCertificate(
  header: Uint8Array,
  certificate: Uint8Array,
  validatorSet: Uint8Array,
  chainId: Uint8Array,
): string {
  const chain = expectBytes(chainId, 'chainId', ID_BYTES);
  const set = decodeValidatorSet(validatorSet);
  const decoded = decodeCertificate(certificate);
  const checked = checkCut(header, decoded, set, chain);
  return JSON.stringify({
    cut_id: toHex(checked.cutId),
    height: decoded.height.toString(),
    signed_stake: checked.signedStake.toString(),
    total_stake: set.totalStake.toString(),
    signers: signerIndexes(decoded.signers).map(String),
  });
}
