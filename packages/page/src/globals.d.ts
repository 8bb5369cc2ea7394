/** What the bundler puts in: where the page is, the addresses of the workers and of the kernel, and of imported files. */
declare const PAGE_BASE: string;
declare const PROVER_ADDRESS: string;
declare const MINER_ADDRESS: string;
declare const WAITING_ADDRESS: string;
declare const KERNEL_ADDRESS: string;

declare module '*.wasm' {
  const address: string;
  export default address;
}
