/**
 * Functions that verify signatures, proofs and files. They take longer, so they get a smaller share.
 */
import { fromHex, toHex } from '../src/base/bytes.ts';
import { CONTEXTS } from '../src/base/labels.ts';
import { advanceValidatorSet } from '../src/cut/advance-validator-set.ts';
import { encodeCertificate } from '../src/cut/certificate.ts';
import { verifyCutCertificate } from '../src/cut/certified-cut.ts';
import { encodeCutHeader } from '../src/cut/cut-header.ts';
import {
  checkEvidence,
  decodeEvidence,
  encodeEvidence,
  evidenceOfVotes,
} from '../src/cut/evidence.ts';
import { trustedSetJson } from '../src/cut/trusted-set.ts';

import { reviewMultisigPackage } from '../src/multisig/package-review.ts';
import { verifyAddressProof } from '../src/ownership/address-proof.ts';
import {
  addressProofRequest,
  proofMessage,
  readProofRequest,
} from '../src/ownership/proof-request.ts';
import {
  HEADERS,
  serviceIdentityForPublicKey,
  serviceResponseMessage,
} from '../src/service/service-answer.ts';
import { verifyServiceResponse } from '../src/service/verify-service-response.ts';
import { inspectTransaction } from '../src/transaction/inspect-transaction.ts';
import { verifyTransaction } from '../src/transaction/verify.ts';
import { openWalletFile } from '../src/wallet-file/wallet-file.ts';
import { MANIFEST } from '../test/generate/transaction-codecs.ts';
import { packageOf, signedBy, vaultOf } from '../test/multisig-fixture.ts';
import { seededBytes } from '../test/seeded-bytes.ts';
import {
  CHAIN_ID,
  sampleCommittee,
  sampleHeader,
  signHeader,
  signVote,
} from '../test/testing/validators.ts';
import {
  NETWORK,
  operationRequest,
  person,
  repeatedInputs,
  signAll,
  signWith,
} from '../test/transaction-fixture.ts';
import type { Target } from './target.ts';
import { textTarget } from './text-targets.ts';

/** A file sealed at the lowest cost. It stands here because sealing draws fresh randomness. */
const WALLET_FILE_PASSWORD = 'a long password';
const WALLET_FILE_HEX =
  '53564357414c4c54010100200000010000000192a0ae90963e05bb00ee666773428ab75efa13a297abf53246cf' +
  '768c9a9a7f871a91c3a48a22c49d0f1775d8b3844cbbdde4c50f0e8a2cc53417fac13c89f979b2e86cf86614b3' +
  'c02ac8ffde0550125e37897bf0ddfcde44';

const COMMITTEE = sampleCommittee(3n, 3n, 3n);
const MEMBERS = [0, 1, 2];
const { header: HEADER, certificate: CERTIFICATE } = signHeader(
  COMMITTEE,
  MEMBERS,
  sampleHeader(COMMITTEE.set),
);
const CERTIFICATE_BYTES = encodeCertificate(CERTIFICATE);
const NOW = sampleHeader(COMMITTEE.set).time.toString();

function cutTargets(): Target[] {
  const content = {
    kind: 'precommit',
    height: 9n,
    round: 4,
    validRound: -1,
    cutId: seededBytes('cut', 48),
    validatorSetId: COMMITTEE.set.id,
  } as const;
  const nil = { ...content, cutId: undefined };
  const evidence = evidenceOfVotes(signVote(COMMITTEE, 1, content), signVote(COMMITTEE, 1, nil));
  const trusted = trustedSetJson({
    network: 'mainnet',
    chainId: CHAIN_ID,
    height: 999n,
    time: BigInt(NOW) - 1n,
    cutId: CHAIN_ID,
    encodedSet: COMMITTEE.encodedSet,
  });
  return [
    {
      name: 'verify_certificate',
      share: 1,
      seeds: [CERTIFICATE_BYTES],
      run: (input) => verifyCutCertificate(HEADER, input, COMMITTEE.encodedSet, CHAIN_ID),
    },
    {
      name: 'verify_certificate_header',
      share: 1,
      seeds: [HEADER, encodeCutHeader(sampleHeader(COMMITTEE.set, { proposer: 0 }))],
      run: (input) =>
        verifyCutCertificate(input, CERTIFICATE_BYTES, COMMITTEE.encodedSet, CHAIN_ID),
    },
    {
      name: 'check_evidence',
      share: 1,
      seeds: [encodeEvidence(evidence)],
      run: (input) => checkEvidence(decodeEvidence(input), COMMITTEE.set, CHAIN_ID),
    },
    textTarget('trusted_set', 1, [trusted], (text) =>
      advanceValidatorSet(text, HEADER, CERTIFICATE_BYTES, COMMITTEE.encodedSet, NOW),
    ),
  ];
}

function transactionTargets(): Target[] {
  const signed = signAll({}, MANIFEST);
  const declared = signAll({ fee: '9500000000' }, MANIFEST);
  const repeated = signAll({ fee: '39500000000', inputs: repeatedInputs(4) }, MANIFEST);
  const bond = signAll({ operation: operationRequest('bond') }, MANIFEST);
  const register = signAll({ operation: operationRequest('validator_register') }, MANIFEST);
  const previous = JSON.stringify(signed.previousOutputs);
  return [
    {
      name: 'inspect_transaction',
      share: 5,
      seeds: [signed.wire, declared.wire, repeated.wire, bond.wire, register.wire],
      run: (input) => inspectTransaction(input, MANIFEST.json),
    },
    {
      name: 'verify_transaction',
      share: 2,
      seeds: [signed.wire, declared.wire],
      run: (input) => verifyTransaction(input, previous, null, MANIFEST.json),
    },
    {
      name: 'verify_repeated',
      share: 2,
      seeds: [repeated.wire],
      run: (input) =>
        verifyTransaction(input, JSON.stringify(repeated.previousOutputs), null, MANIFEST.json),
    },
    textTarget('previous_outputs', 1, [previous], (text) =>
      verifyTransaction(signed.wire, text, null, MANIFEST.json),
    ),
  ];
}

function packageTarget(): Target {
  const vault = vaultOf(2, 3);
  const seeds = (['multisig_inline', 'multisig_referenced'] as const).flatMap((profile) => {
    const empty = packageOf(vault, profile);
    return [empty, signedBy(empty, vault, 0)];
  });
  const run = (input: Uint8Array) => reviewMultisigPackage(input, vault.manifestJson);
  return { name: 'review_package', share: 1, seeds, run };
}

function proofTargets(): Target[] {
  const owner = person(0);
  const asked = {
    network: NETWORK,
    chain_id: toHex(MANIFEST.chainId),
    address: owner.address,
    domain: 'example.org',
    expires_at_millis: '2000000000000',
  };
  const nonce = toHex(seededBytes('nonce', 32));
  const request = JSON.stringify({ version: '1', ...asked, nonce });
  const message = proofMessage(readProofRequest(request));
  const proof = JSON.stringify({
    version: '1',
    nonce,
    public_key_hex: toHex(owner.publicKey),
    signature_hex: toHex(signWith(owner, message, CONTEXTS.addressProof)),
  });
  return [
    textTarget('address_proof', 1, [proof], (text) =>
      verifyAddressProof(text, request, 1_900_000_000_000),
    ),
    textTarget('address_proof_request', 3, [JSON.stringify(asked)], (text) =>
      addressProofRequest(text),
    ),
  ];
}

function serviceTarget(): Target {
  const keys = person(4);
  const nonce = seededBytes('request nonce', 32);
  const answer = {
    method: 'GET',
    target: '/v1/chain/head',
    requestBody: new Uint8Array(0),
    status: 200,
    responseBody: new TextEncoder().encode('{"api_version":1}'),
    nonce,
    chainId: MANIFEST.chainId,
    finalizedHeight: 77n,
  };
  const identity = serviceIdentityForPublicKey(keys.publicKey);
  const signature = signWith(keys, serviceResponseMessage(answer), CONTEXTS.http);
  const response = JSON.stringify({
    method: answer.method,
    target: answer.target,
    request_body_hex: '',
    status: String(answer.status),
    response_body_hex: toHex(answer.responseBody),
    headers: {
      [HEADERS.version]: '1',
      [HEADERS.identity]: identity,
      [HEADERS.nonce]: toHex(nonce),
      [HEADERS.height]: '77',
      [HEADERS.signature]: toHex(signature),
    },
    public_key_hex: toHex(keys.publicKey),
    identity,
    nonce: toHex(nonce),
    chain_id: toHex(MANIFEST.chainId),
  });
  return textTarget('service_response', 1, [response], (text) => verifyServiceResponse(text));
}

/**
 * Opening a file runs Argon2id whenever its header is sound, for seconds at the highest cost that is
 * allowed: few executions, and a limit of its own.
 */
function walletFileTarget(): Target {
  return {
    name: 'wallet_file',
    share: 0.01,
    millisecondsMax: 60_000,
    seeds: [fromHex(WALLET_FILE_HEX)],
    run: (input) => openWalletFile(input, WALLET_FILE_PASSWORD),
  };
}

export const VERIFY_TARGETS: readonly Target[] = [
  ...cutTargets(),
  ...transactionTargets(),
  packageTarget(),
  ...proofTargets(),
  serviceTarget(),
  walletFileTarget(),
];
