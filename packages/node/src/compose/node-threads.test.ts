import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { chainDatasetFolder, userDatasetFolder } from 'svc-mining/pow';
import { datasetFolder } from './node-threads.ts';

test('a node shares its datasets with the mining programs of the user, unless it is told or kept them otherwise', (t) => {
  const dataDir = temporaryDirectory(t);
  const chainId = 'ab'.repeat(48);
  const folderFor = (datasetDir: string | null): string =>
    datasetFolder({ chainId, dataDir, proofOfWork: { mode: 'full', threads: 1, datasetDir } });
  assert.equal(folderFor(null), chainDatasetFolder(userDatasetFolder(), chainId));
  mkdirSync(join(dataDir, 'dataset'));
  assert.equal(folderFor(null), join(dataDir, 'dataset'));
  assert.equal(folderFor('/other'), chainDatasetFolder('/other', chainId));
});
