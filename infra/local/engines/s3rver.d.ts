// The package has no types; these cover the parts in use.
declare module '@20minutes/s3rver' {
  import type { RequestListener } from 'node:http';

  type S3rverOptions = {
    readonly directory?: string;
    readonly silent?: boolean;
    readonly allowMismatchedSignatures?: boolean;
    readonly configureBuckets?: readonly { readonly name: string }[];
  };

  class S3rver {
    constructor(options?: S3rverOptions);
    readonly store: {
      /** Throws if there is no such object. */
      getMetadata(bucket: string, key: string): Promise<{ readonly etag: string }>;
    };
    configureBuckets(): Promise<unknown>;
    callback(): RequestListener;
  }
  export = S3rver;
}
