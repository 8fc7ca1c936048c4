import type { Method } from '../../../shared/api/contract.ts';

/** A request to the server with the demonstration catalog and users, and the status of its answer. */
export type Example = {
  /** The name of the example within its operation. */
  readonly name: string;
  readonly summary: string;
  /** The test replaces the id of an order by that of a new order from `DELIVERY`. */
  readonly path?: { readonly id: number };
  readonly query?: Readonly<Record<string, boolean | number | string | readonly (number | string)[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** The status of the answer; without it, the contract's success. */
  readonly status?: number;
};

/** Examples by the method and path of their operation. */
export type Examples = Readonly<Record<`${Method} /api/${string}`, readonly Example[]>>;
