import type { Method } from '../../../shared/api/contract.ts';

/** One request and its answer, true of the demonstration catalog and users. */
export type Example = {
  /** Its name within the operation. */
  readonly name: string;
  readonly summary: string;
  /** The id of an order is replaced by that of an order which `DELIVERY` has just placed. */
  readonly path?: { readonly id: number };
  readonly query?: Readonly<Record<string, boolean | number | string | readonly (number | string)[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly status: number;
  readonly answer: unknown;
};

/** Examples by the method and path of their operation. */
export type Examples = Readonly<Record<`${Method} /api/${string}`, readonly Example[]>>;
