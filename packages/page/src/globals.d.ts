/** What the bundler puts in: the addresses of the workers and of the kernel, and of files that are imported. */
declare const PROVER_ADDRESS: string;
declare const MINER_ADDRESS: string;
declare const KERNEL_ADDRESS: string;

declare module '*.wasm' {
  const address: string;
  export default address;
}
