import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { toLocalTime } from '../../domain/working-day.ts';
import {
  DataRefused,
  type DocumentFiles,
  type DocumentReference,
  type InvoicingProvider,
  OutcomeUnknown,
  type ProvidedDocument,
  ProviderUnavailable,
} from '../provider.ts';
import { computeConcept, type FiscalDocument, getDocumentTotal, toPublicReceiver } from '../rules/build/cfdi.ts';
import type { Cancellation } from '../rules/tax-document.ts';
import { writeCfdi, writeReceiptXml } from './cfdi.ts';
import {
  centsToMicros,
  type Issuer,
  makeSandboxId,
  makeSandboxUuid,
  NO_VALIDITY,
  type SandboxDocument,
  sandboxObject,
  writeExactly,
} from './document.ts';

export type SandboxOptions = {
  readonly bucket: string;
  readonly forcePathStyle: boolean;
  readonly issuer: Issuer;
  /** That of the issuer's own place. */
  readonly timeZone: string;
  now(): Date;
};

/** One object in S3, the PDF in base64, so that it is stored whole or not at all. */
type StoredInvoice = {
  readonly provided: ProvidedDocument;
  /** That of the place of issue. */
  readonly timeZone: string;
  readonly xml: string;
  readonly pdf: string;
  /** Present once it is cancelled. */
  readonly receipt?: string;
};

const CONDITION_FAILED = 412;

/**
 * Issues invoices without fiscal validity, for a server without a provider, and stores them in S3. Needs permission to read
 * and write `sandbox-invoices/*` and to list the bucket: without the latter, S3 answers 403 for a missing object.
 */
export class SandboxProvider implements InvoicingProvider {
  /** Simulates an outage; the local server's `/sandbox/sat/` sets it. */
  static isDown = false;
  readonly #options: SandboxOptions;
  readonly #s3: S3Client;

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.#s3 = new S3Client({ forcePathStyle: options.forcePathStyle });
  }

  async issue(document: FiscalDocument, reference: DocumentReference, signal: AbortSignal): Promise<ProvidedDocument> {
    refuseUnknownZipcode(document);
    const existing = await this.find(reference.key, signal);
    if (existing) return existing;
    const fresh = this.#make(document, reference);
    const isFirst = await this.#write(fresh, signal, { IfNoneMatch: '*' }).catch(throwOutcomeUnknown);
    return isFirst ? fresh.provided : (await this.#stored(fresh.provided.id, signal)).provided;
  }

  async find(key: string, signal: AbortSignal): Promise<ProvidedDocument | undefined> {
    return (await this.#read(makeSandboxId(key), signal))?.provided;
  }

  async files(id: string, signal: AbortSignal): Promise<DocumentFiles> {
    const { pdf, xml } = await this.#stored(id, signal);
    return { pdf: Buffer.from(pdf, 'base64'), xml: Buffer.from(xml) };
  }

  async receipt(id: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { receipt } = await this.#stored(id, signal);
    return receipt === undefined ? undefined : Buffer.from(receipt);
  }

  async cancel(id: string, cancellation: Cancellation, signal: AbortSignal): Promise<ProvidedDocument> {
    const invoice = await this.#stored(id, signal);
    if (invoice.receipt !== undefined) return invoice.provided;
    const provided = { ...invoice.provided, status: 'cancelled', cancellation: 'accepted' } as const;
    const receipt = this.#writeReceipt(provided, invoice.timeZone, cancellation);
    await this.#write({ ...invoice, provided, receipt }, signal).catch(throwUnavailable);
    return provided;
  }

  #writeReceipt({ stamp }: ProvidedDocument, zone: string, cancellation: Cancellation): string {
    const { issuer, now } = this.#options;
    const cancelledAt = toLocalTime(now(), zone);
    return writeReceiptXml({ cancelledAt, issuer, uuid: stamp?.uuid ?? '', cancellation });
  }

  #make(content: FiscalDocument, { key, folio }: DocumentReference): StoredInvoice {
    const { issuer, now } = this.#options;
    const id = makeSandboxId(key);
    const instant = now();
    const timeZone = (content.kind === 'global' ? null : content.timeZone) ?? this.#options.timeZone;
    const uuid = makeSandboxUuid(key);
    const document = { uuid, folio, issuedAt: toLocalTime(instant, timeZone), timeZone, issuer, content };
    return {
      timeZone,
      provided: {
        id,
        status: 'valid',
        cancellation: 'none',
        totalCents: getDocumentTotal(content),
        stamp: { uuid, series: '', folio, at: instant.toISOString() },
        isLive: false,
      },
      xml: writeCfdi(document),
      pdf: Buffer.from(writePdf(document)).toString('base64'),
    };
  }

  async #stored(id: string, signal: AbortSignal): Promise<StoredInvoice> {
    return (await this.#read(id, signal)) ?? throwUnavailable(new Error(`invoice ${id} does not exist`));
  }

  async #read(id: string, signal: AbortSignal): Promise<StoredInvoice | undefined> {
    if (SandboxProvider.isDown) throwUnavailable(new Error('the sandbox is switched off'));
    const place = { Bucket: this.#options.bucket, Key: sandboxObject(id) };
    try {
      const { Body } = await this.#s3.send(new GetObjectCommand(place), { abortSignal: signal });
      return JSON.parse((await Body?.transformToString()) ?? '');
    } catch (error) {
      return error instanceof NoSuchKey ? undefined : throwUnavailable(error);
    }
  }

  /** Returns false if the condition does not hold. */
  async #write(stored: StoredInvoice, signal: AbortSignal, condition: { IfNoneMatch?: '*' } = {}): Promise<boolean> {
    const place = { Bucket: this.#options.bucket, Key: sandboxObject(stored.provided.id) };
    const body = { Body: JSON.stringify(stored), ContentType: 'application/json' };
    try {
      await this.#s3.send(new PutObjectCommand({ ...place, ...body, ...condition }), { abortSignal: signal });
      return true;
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === CONDITION_FAILED) return false;
      throw error;
    }
  }
}

const throwUnavailable = (cause: unknown): never => {
  throw new ProviderUnavailable(cause);
};

const throwOutcomeUnknown = (cause: unknown): never => {
  throw new OutcomeUnknown(cause);
};

// No zip code of Mexico begins with these (SAT, c_CodigoPostal). The sandbox's only refusal, for demonstrations.
const UNUSED_ZIPCODES = /^(00|17|18|19)/;

function refuseUnknownZipcode(document: FiscalDocument): void {
  if (document.kind === 'global' || !UNUSED_ZIPCODES.test(document.receiver.zipcode)) return;
  throw new DataRefused([{ field: 'zipcode', code: 'sat_zipcode_differs' }]);
}

const TITLES = {
  invoice: 'Factura',
  credit: 'Nota de crédito',
  payment: 'Complemento de pago',
  global: 'Factura global',
} as const satisfies Record<FiscalDocument['kind'], string>;

function listPageLines({ folio, uuid, issuer, content }: SandboxDocument): string[] {
  const receiver = content.kind === 'global' ? toPublicReceiver(content) : content.receiver;
  return [
    `${NO_VALIDITY}: documento de demostración, sin sello digital ni timbre del SAT`,
    '',
    `${TITLES[content.kind]} ${folio}`,
    `Folio fiscal ${uuid}`,
    `Emisor ${issuer.rfc} ${issuer.legalName}`,
    `Receptor ${receiver.rfc} ${receiver.legalName}`,
    '',
    ...listSold(content).map(([name, micros]) => writeAmount(name, micros)),
    '',
    writeAmount('Total', centsToMicros(getDocumentTotal(content))),
  ];
}

function listSold(content: FiscalDocument): (readonly [name: string, micros: bigint])[] {
  if (content.kind === 'payment') return [[`Pago de ${content.invoice.uuid}`, centsToMicros(content.amountCents)]];
  if (content.kind === 'global')
    return content.sales.map(({ folio, amountMicros }) => [`Venta ${folio}`, amountMicros]);
  return content.concepts.map((concept) => [
    `${concept.quantity} x ${concept.description}`,
    computeConcept(concept).baseMicros,
  ]);
}

/** Fills a line of 97 characters; a longer name is cut. */
const writeAmount = (name: string, micros: bigint): string =>
  name.normalize('NFC').slice(0, 77).padEnd(77) + writeExactly(micros).padStart(20);

const MARGIN = 42;
const LINE_HEIGHT = 13;

/** Writes a PDF 1.4 of one page in Courier. By hand, as a library adds 0.9 MB to a function (pdfkit 0.20, esbuild). */
export function writePdf(document: SandboxDocument): Uint8Array {
  const lines = listPageLines(document);
  const height = Math.max(792, 2 * MARGIN + lines.length * LINE_HEIGHT);
  const content = `BT /F1 9 Tf ${LINE_HEIGHT} TL ${MARGIN} ${height - MARGIN} Td\n${lines.map((line) => `${writeString(line)} Tj T*\n`).join('')}ET`;
  return assemble([
    '<</Type/Catalog/Pages 2 0 R/Lang(es-MX)>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 ${height}]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>`,
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>',
  ]);
}

/** One byte per character, those of Latin-1 in WinAnsiEncoding; others become `?`. */
const writeString = (text: string): string =>
  `(${text
    .normalize('NFC')
    .replace(/[^ -~\u00a0-\u00ff]/gu, '?')
    .replace(/[\\()]/g, '\\$&')})`;

/** Numbers the objects from 1, the catalog first, and adds the table of their offsets. */
function assemble(objects: readonly string[]): Uint8Array {
  const offsets: string[] = [];
  let body = '%PDF-1.4\n';
  for (const [index, object] of objects.entries()) {
    offsets.push(`${String(body.length).padStart(10, '0')} 00000 n \n`);
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + table + trailer, 'latin1');
}
