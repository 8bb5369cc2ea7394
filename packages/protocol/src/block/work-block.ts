/**
 * A work block as a whole: that header and body belong together; `docs/protocol.md` 6.
 */
import { equalBytes } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { DecodedBlockBody } from './block-body.ts';
import { decodeBlockBody } from './block-body.ts';
import type { DecodedBlockHeader } from './block-header.ts';
import { decodeBlockHeader } from './block-header.ts';

export interface WorkBlock {
  readonly header: DecodedBlockHeader;
  readonly body: DecodedBlockBody;
}

/** A root of the body that was hashed elsewhere, from these very bytes, is taken as it is and compared with the header's. */
export function decodeWorkBlock(
  headerBytes: Uint8Array,
  bodyBytes: Uint8Array,
  manifest: Manifest,
  hashedRoot?: Uint8Array,
): WorkBlock {
  const header = decodeBlockHeader(headerBytes, manifest.chainId);
  const body = decodeBlockBody(bodyBytes, manifest, 'body', hashedRoot);
  for (const name of ['bodyRoot', 'parentsRoot', 'payoutCommitment', 'extranonce'] as const) {
    if (equalBytes(header[name], body[name])) continue;
    throw new SvcError('bad_block', 'the body is not the one the header commits to', {
      path: `header.${name}`,
    });
  }
  return { header, body };
}
