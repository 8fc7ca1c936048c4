export type ReferenceOptions = {
  /** The address of the API, with its version; a path is resolved against the page's own address. */
  readonly baseUrl: string;
  /** Public credentials to fill in; only a demonstration has them. */
  readonly demonstration?: { readonly apiKey: string; readonly email: string; readonly password: string } | undefined;
};
