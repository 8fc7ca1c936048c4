import type * as z from 'zod';
import type { RefusalCode } from '../messages/refusals.ts';

/**
 * The caller that an operation requires. `key`: any API key that the gateway accepts; `client`: the client of that key;
 * `user`: a user of that client, by an access token; `none`: anybody, and the body tells by its signature whether it counts.
 */
export type Authentication = 'key' | 'client' | 'user' | 'none';
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT';

/** The request, the answer and the refusals of an operation. */
export type Contract = {
  readonly authentication: Authentication;
  /** `catalog`: callers may cache for 30 s and revalidate by ETag; `never`: nobody may store the answer. */
  readonly caching: 'catalog' | 'never';
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** True if documents come in the body, which may then be larger (`shared/http/body.ts`). */
  readonly carriesDocuments?: boolean;
  /** The headers by their usual names; requests may write them in any case. */
  readonly headers?: z.ZodObject;
  /** The body of each success status, of which a handler that has several names one; `shared/http/errors.ts` has the shape of every refusal. */
  readonly answers: Readonly<Record<number, z.ZodType>>;
  /** The headers of a success beside those of every answer. */
  readonly answerHeaders?: readonly ('Set-Cookie' | 'Idempotent-Replayed')[];
  /** The refusals that do not follow from the authentication, the path or the body. */
  readonly refusals?: readonly RefusalCode[];
  /** The bodies of refusals that say more than `detail` and `code`. */
  readonly refusalBodies?: { readonly [Code in RefusalCode]?: z.ZodType };
};

/** A contract of the route table, which the OpenAPI document describes. */
export type DescribedContract = Contract & {
  readonly authentication: Exclude<Authentication, 'none'>;
  readonly operationId: string;
  readonly tag: 'Access' | 'Orders' | 'Events' | 'Catalog';
  readonly summary: string;
  readonly description: string;
};

/** Keeps the exact type of a contract, so that a handler's input is inferred from it. */
export function contract<const C extends Contract>(definition: C): C {
  return definition;
}
