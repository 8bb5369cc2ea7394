/** `GET /v1/cuts/{height}/certificate`. */
import type { ROUTES } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import { decodeCertificateHead, signerIndexes } from 'svc-wasm/protocol';
import { cutReference, expectCut } from '../../documents/cut-documents.ts';
import { Refused } from '../../refusal/refused.ts';
import type { Handler } from './handler.ts';

export const cutCertificate: Handler<typeof ROUTES.cutCertificate> = ({ readers }, { params }) =>
  readers.read(async ({ reader, height }) => {
    const row = await expectCut(reader, params.height);
    const certificate = await reader.certificate(params.height);
    if (certificate === undefined) {
      throw new Refused('not_kept', 'old certificates are kept only where the committee changes', {
        path: 'height',
      });
    }
    const { round, signers } = decodeCertificateHead('precommit', certificate, 'certificate');
    const { cut_id, validator_set_id } = cutReference(row);
    const document = {
      api_version: 1,
      finalized_height: height,
      height: row.height,
      cut_id,
      validator_set_id,
      round,
      signers: signerIndexes(signers),
      header_hex: toHex(row.header),
      certificate_hex: toHex(certificate),
    } as const;
    return { height, document, isFinal: true };
  });
