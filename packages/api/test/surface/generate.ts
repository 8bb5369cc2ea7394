/**
 * Freezes the interface as it is. Fields that were added are frozen with it; a change that `compatibility.test.ts`
 * refuses needs a new version instead.
 */
import { writeFileSync } from 'node:fs';
import { currentSurface } from './surface.ts';

const FILE = new URL('../../../../vectors/api-v1.json', import.meta.url);

writeFileSync(FILE, `${JSON.stringify(currentSurface(), null, 1)}\n`);
