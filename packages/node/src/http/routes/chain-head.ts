/** `GET /v1/chain/head`. */
import type { ROUTES } from 'svc-api';
import { headDocument } from '../reading/head-document.ts';
import type { Handler } from './handler.ts';

export const chainHead: Handler<typeof ROUTES.chainHead> = ({ services, readers }) =>
  readers.read(async (snapshot) => ({
    height: snapshot.height,
    document: await headDocument(services.chain, snapshot),
  }));
