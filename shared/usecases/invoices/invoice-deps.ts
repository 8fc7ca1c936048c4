import type { Documents } from '../../documents/documents.ts';
import type { InvoicingProvider } from '../../invoicing/provider.ts';
import type { Mailer } from '../../mail/send.ts';
import type { Business } from '../../runtime/settings.ts';
import type { Table } from '../../store/table.ts';

export type InvoiceDeps = {
  readonly table: Table;
  readonly business: Business;
  readonly documents: Documents;
  /** Opened on first use, so that orders without an invoice do not depend on its configuration. */
  readonly invoicing: () => InvoicingProvider;
  readonly mail: () => Mailer;
};
