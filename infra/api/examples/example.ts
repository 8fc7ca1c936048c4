/** One request and what it is answered, true of the demonstration catalog and users. */
export type Example = {
  /** Its name within the operation. */
  readonly name: string;
  readonly summary: string;
  /** The id of an order stands for one that `DELIVERY` has just placed. */
  readonly path?: { readonly id: number };
  readonly query?: Readonly<Record<string, boolean | number | string | readonly (number | string)[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly status: number;
  readonly answer: unknown;
};
