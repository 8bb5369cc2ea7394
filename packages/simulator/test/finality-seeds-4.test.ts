import { testFinalitySeeds } from './seed-ranges.ts';

testFinalitySeeds(4);
