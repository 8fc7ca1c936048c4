import type * as z from 'zod';
import type { RefusalCode } from '../messages/refusals.ts';

/**
 * Who must be known before the handler runs. `key`: a key that the gateway knows; `client`: the client that the key
 * belongs to; `user`: also one of that client's users, by an access token.
 */
export type Authentication = 'key' | 'client' | 'user';
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT';

/** One operation as its caller sees it: what goes in, what comes out under which status. */
export type Contract = {
  readonly authentication: Authentication;
  /** `catalog`: 30 s in the caller's cache and an ETag; `never`: not stored anywhere. */
  readonly caching: 'catalog' | 'never';
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** By their usual names, whatever the case in which they come. */
  readonly headers?: z.ZodObject;
  /** The success status, of which each operation has one, and its body; every refusal has the shape of `shared/http/errors.ts`. */
  readonly answers: Readonly<Record<number, z.ZodType>>;
  /** What its success carries beside the headers of every answer. */
  readonly answerHeaders?: readonly ('Set-Cookie' | 'Idempotent-Replayed')[];
  /** What it can be refused for beyond what follows from the rest: from its authentication, its path, its body. */
  readonly refusals?: readonly RefusalCode[];
};

/** A contract of the route table: with what the OpenAPI document says of its operation. */
export type DescribedContract = Contract & {
  readonly operationId: string;
  readonly tag: 'Access' | 'Orders' | 'Catalog';
  readonly summary: string;
  readonly description: string;
};

/** Keeps the exact type of a contract, so that a handler's input is inferred from it. */
export function contract<const C extends Contract>(definition: C): C {
  return definition;
}
