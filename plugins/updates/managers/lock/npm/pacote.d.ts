/** The part of `pacote` that is used. */
declare module "pacote" {
  interface Manifest {
    readonly name: string;
    readonly version: string;
    readonly _integrity?: string;
  }
  interface Options extends Record<string, unknown> {
    readonly registry: string;
    readonly cache: string;
  }
  const pacote: {
    manifest(spec: string, options: Options): Promise<Manifest>;
    tarball(spec: string, options: Options): Promise<Buffer>;
    extract(spec: string, directory: string, options: Options): Promise<unknown>;
  };
  export default pacote;
}
