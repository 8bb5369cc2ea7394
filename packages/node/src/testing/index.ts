/**
 * A real chain and the services over it, for tests and benchmarks.
 */
export { ChainFixture, type FixtureOptions } from './chain-fixture.ts';
export { cutToInstall } from './cut-to-install.ts';
export { ServicesFixture, type ServicesOptions } from './services-fixture.ts';
