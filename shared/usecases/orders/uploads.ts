import { type Documents, type KeyedDocument, keyDocument } from '../../documents/documents.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { OrderTerms } from './order-terms.ts';

/** The documents of one request, which get one key each and are stored once, however often the order is tried. */
export class Uploads {
  readonly #documents: Documents;
  #keyed: readonly KeyedDocument[] | undefined;
  #areStored = false;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  of({ documents }: Pick<OrderTerms, 'documents'>): readonly KeyedDocument[] {
    this.#keyed ??= documents.map(keyDocument);
    return this.#keyed;
  }

  async store(): Promise<void> {
    if (this.#areStored) return;
    await this.#documents.store(this.#keyed ?? []);
    this.#areStored = true;
  }

  /** Does what puts the documents into an order, and removes them if that is refused for certain. */
  async keepUnlessRefused<Result>(place: () => Promise<Result>): Promise<Result> {
    try {
      return await place();
    } catch (error) {
      // After an unknown outcome the order may have them, so the sweep removes those that it does not need.
      if (error instanceof Refusal && error.code !== 'unavailable') await this.discard();
      throw error;
    }
  }

  async discard(): Promise<void> {
    if (this.#areStored) await this.#documents.remove((this.#keyed ?? []).map(({ key }) => key));
  }
}
