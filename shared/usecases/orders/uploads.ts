import { type Documents, type KeyedDocument, newDocumentKey } from '../../documents/documents.ts';
import type { OrderTerms } from './order-terms.ts';

/** The documents of one request, which get one key each and are stored once, however often the order is tried. */
export class Uploads {
  readonly #documents: Documents;
  #keyed: readonly KeyedDocument[] | undefined;
  #areStored = false;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  of({ documents }: OrderTerms): readonly KeyedDocument[] {
    this.#keyed ??= documents.map((document) => ({ ...document, key: newDocumentKey() }));
    return this.#keyed;
  }

  async store(): Promise<void> {
    if (this.#areStored) return;
    await this.#documents.store(this.#keyed ?? []);
    this.#areStored = true;
  }

  async discard(): Promise<void> {
    if (this.#areStored) await this.#documents.remove((this.#keyed ?? []).map(({ key }) => key));
  }
}
