import { PAYMENT_FORMS, REGIMES, USES } from '../../domain/invoices/tax-id-tables.ts';
import { NO_VALIDITY, type SandboxDocument } from './document.ts';
import { CONTENT, GREY, NAVY, RED, TINT, WARNING } from './pdf-look.ts';
import { fill, PAGE, text, wrap } from './pdf-page.ts';

/** Operators, and how far down the page they reach. */
export type Block = { readonly operators: readonly string[]; readonly bottom: number };

const HALF = (CONTENT.right - CONTENT.left) / 2;
const MIDDLE = CONTENT.left + HALF;
const LINE = 11;
const METHODS = { PUE: 'Pago en una sola exhibición', PPD: 'Pago en parcialidades o diferido' } as const;

/** The issuer and what identifies the invoice, the notice, the receiver and how it is paid. */
export function head(document: SandboxDocument): Block {
  const issuer = issuerBlock(document);
  const title = titleBlock(document);
  const notice = noticeBlock(Math.max(issuer.bottom, title.bottom) + 10);
  const receiver = receiverBlock(document, notice.bottom + 14);
  const payment = paymentBlock(document, notice.bottom + 14);
  return {
    operators: [issuer, title, notice, receiver, payment].flatMap(({ operators }) => operators),
    bottom: Math.max(receiver.bottom, payment.bottom),
  };
}

/** What the pages after the first begin with. */
export function shortHead({ issuer, folio }: SandboxDocument): Block {
  const top = CONTENT.top + 8;
  const [name = ''] = wrap(issuer.legalName, 1.4 * HALF, { font: 'bold', size: 9 });
  return {
    operators: [
      text(name, CONTENT.left, top, { font: 'bold', size: 9 }),
      text(`Factura ${folio}`, CONTENT.right, top, { size: 9, align: 'right', color: GREY }),
    ],
    bottom: top + 4,
  };
}

function issuerBlock({ issuer }: SandboxDocument): Block {
  const style = { font: 'bold', size: 14, color: NAVY } as const;
  const names = wrap(issuer.legalName, HALF + 20, style);
  const nameBottom = CONTENT.top + 14 + (names.length - 1) * 16;
  const facts = [
    `RFC ${issuer.rfc}`,
    ...wrap(`Régimen fiscal: ${named(issuer.fiscalRegime, REGIMES[issuer.fiscalRegime]?.name)}`, HALF + 20),
    `Lugar de expedición: C.P. ${issuer.zipcode}`,
  ];
  return {
    operators: [
      ...names.map((name, index) => text(name, CONTENT.left, CONTENT.top + 14 + index * 16, style)),
      ...facts.map((fact, index) => text(fact, CONTENT.left, nameBottom + 15 + index * LINE)),
    ],
    bottom: nameBottom + 15 + (facts.length - 1) * LINE,
  };
}

function titleBlock({ id, folio, issuedAt }: SandboxDocument): Block {
  const facts = [
    ['Folio', folio],
    ['Fecha de emisión', readableTime(issuedAt)],
    ['Comprobante', 'I - Ingreso, CFDI 4.0'],
    ['Identificador', id],
  ] as const;
  const top = CONTENT.top + 18;
  return {
    operators: [
      text('FACTURA', CONTENT.right, top, { font: 'bold', size: 20, color: NAVY, align: 'right' }),
      ...facts.flatMap(([label, value], index) => [
        text(label, CONTENT.right - 122, top + 16 + index * LINE, { color: GREY, align: 'right' }),
        text(value, CONTENT.right, top + 16 + index * LINE, { align: 'right' }),
      ]),
    ],
    bottom: top + 16 + (facts.length - 1) * LINE,
  };
}

function noticeBlock(top: number): Block {
  const content = `${NO_VALIDITY}  ·  Documento de demostración, sin sello digital ni timbre del SAT`;
  return {
    operators: [
      fill(CONTENT.left, top, 2 * HALF, 18, WARNING),
      text(content, PAGE.width / 2, top + 12, { font: 'bold', color: RED, align: 'center' }),
    ],
    bottom: top + 18,
  };
}

function receiverBlock({ invoice: { receiver } }: SandboxDocument, top: number): Block {
  return factsBlock('RECEPTOR', CONTENT.left, top, [
    ['Nombre', receiver.legalName],
    ['RFC', receiver.rfc],
    ['Domicilio fiscal', `C.P. ${receiver.zipcode}`],
    ['Régimen fiscal', named(receiver.fiscalRegime, REGIMES[receiver.fiscalRegime]?.name)],
    ['Uso del CFDI', named(receiver.cfdiUse, USES[receiver.cfdiUse]?.name)],
  ]);
}

function paymentBlock({ invoice: { paymentMethod, paymentForm } }: SandboxDocument, top: number): Block {
  return factsBlock('PAGO', MIDDLE + 8, top, [
    ['Método de pago', named(paymentMethod, METHODS[paymentMethod])],
    ['Forma de pago', named(paymentForm, PAYMENT_FORMS[paymentForm])],
    ['Moneda', 'MXN - Peso Mexicano'],
    ['Exportación', '01 - No aplica'],
  ]);
}

const LABEL_WIDTH = 72;

function factsBlock(title: string, left: number, top: number, facts: readonly (readonly [string, string])[]): Block {
  const operators = [
    fill(left, top, HALF - 8, 14, TINT),
    text(title, left + 5, top + 10, { font: 'bold', color: NAVY }),
  ];
  let bottom = top + 16;
  for (const [label, value] of facts) {
    operators.push(text(label, left + 5, bottom + 10, { color: GREY }));
    for (const line of wrap(value, HALF - 16 - LABEL_WIDTH)) {
      operators.push(text(line, left + 5 + LABEL_WIDTH, bottom + 10));
      bottom += LINE;
    }
  }
  return { operators, bottom };
}

const named = (code: string, name: string | undefined): string => (name === undefined ? code : `${code} - ${name}`);

function readableTime(issuedAt: string): string {
  const [date = '', time = ''] = issuedAt.split('T');
  return `${date.split('-').reverse().join('/')} ${time}`;
}
