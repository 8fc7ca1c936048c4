import type { Cancellation } from '../../../domain/invoices/tax-document.ts';
import { type Issuer, NO_VALIDITY } from '../document.ts';
import { element } from './element.ts';

type ReceiptOfCancellation = {
  /** The local time of the issuer, `2026-11-21T17:00:00`. */
  readonly cancelledAt: string;
  readonly issuer: Issuer;
  readonly uuid: string;
  readonly cancellation: Cancellation;
};

// SAT's EstatusUUID of a request that it has accepted.
const ACCEPTED = '201';

/** Writes a receipt of a cancellation in the manner of SAT's Acuse, without its signature. */
export function writeReceiptXml({ cancelledAt, issuer, uuid, cancellation }: ReceiptOfCancellation): string {
  const { motive, substitution } = cancellation;
  const folios = element(
    'Folios',
    { Motivo: motive, ...(substitution !== null && { FolioSustitucion: substitution }) },
    [`<UUID>${uuid}</UUID>`, `<EstatusUUID>${ACCEPTED}</EstatusUUID>`],
  );
  const root = element('Acuse', { Fecha: cancelledAt, RfcEmisor: issuer.rfc }, [folios]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<!-- ${NO_VALIDITY}: acuse de demostración, sin firma del SAT -->\n${root}\n`;
}
