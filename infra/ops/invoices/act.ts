import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import { invoicingInput } from '../../../shared/api/people/addresses.ts';
import { formatCents } from '../../../shared/domain/money.ts';
import { refusedToOperator } from '../../../shared/domain/operator-refusal.ts';
import { creditInvoice, getCreditableCents, replaceInvoice } from '../../../shared/invoices/correct-invoice.ts';
import { issueUnissued } from '../../../shared/invoices/issue-unissued.ts';
import { cancelAgain, resendMail } from '../../../shared/invoices/open-actions.ts';
import type { Text } from '../../../shared/messages/say.ts';
import { hasSender } from '../../../shared/runtime/config.ts';
import { type Command, command } from '../command.ts';
import { emailAddress, flag, orderId, version } from '../input.ts';
import { checkReturned, paymentForm, returned, toAskedParts } from '../orders/money.ts';
import { toChangedResult } from '../orders/show.ts';
import { invoicesFiles, invoicesList } from './list.ts';
import { accountingExport, dispensingExport, invoicesGlobal } from './month.ts';

const { rfc, full_name, fiscal_regime, cfdi_use, zipcode } = invoicingInput.shape;

const receiver = {
  rfc: rfc.meta({ title: 'RFC' }).optional(),
  fullName: full_name.meta({ title: 'name' }).optional(),
  fiscalRegime: fiscal_regime.meta({ title: 'NNN' }).optional(),
  cfdiUse: cfdi_use.meta({ title: 'use' }).optional(),
  zipcode: zipcode.meta({ title: 'zip code' }).optional(),
  email: emailAddress.optional(),
};

type Corrections = Readonly<Record<keyof typeof receiver, string | undefined>>;

const toReceiver = ({ fullName, fiscalRegime, cfdiUse, ...others }: Corrections) => ({
  ...others,
  full_name: fullName,
  fiscal_regime: fiscalRegime,
  cfdi_use: cfdiUse,
});

export const invoicesIssue = command({
  name: 'invoices issue',
  summary:
    'Issue what was not issued of an order: its invoice, also after 72 hours, a payment complement or a credit note; with a whole receiver the first invoice of any order, also of one in a global invoice',
  example: "42 --rfc MOXL900412AB1 --full-name 'LUZ MORA' --fiscal-regime 605 --cfdi-use S01 --zipcode 06700",
  positional: ['orderId'],
  input: z.object({ orderId, ...receiver, version }),
  async run({ orderId: id, version, ...corrections }, context) {
    const operation = { ...(await context.operation()), receiver: toReceiver(corrections) };
    const documents = await issueUnissued({ id, version, ...operation }, context);
    const isIssued = documents.every(({ outcome }) => outcome === 'issued');
    return { document: { order: id, documents }, failure: isIssued ? undefined : 'Not everything is issued.' };
  },
});

export const invoicesCancel = command({
  name: 'invoices cancel',
  summary: 'Ask again for the cancellation of an invoice that its receiver rejected, or that SAT did not allow',
  example: '42',
  positional: ['orderId'],
  input: z.object({ orderId, version }),
  async run({ orderId: id, version }, context) {
    const cancelled = await cancelAgain({ id, version, ...(await context.operation()) }, context);
    const documents = cancelled.map(({ kind, status, reason }) => ({ kind, status, reason }));
    const isRejected = cancelled.some(({ status }) => status === 'cancellation_rejected');
    return { document: { order: id, documents }, failure: isRejected ? 'Not everything is cancelled.' : undefined };
  },
});

export const invoicesReplace = command({
  name: 'invoices replace',
  summary:
    'Replace the invoice of an order, for a corrected receiver or with the payment of today; the old one is cancelled',
  example: '42 --zipcode 06700',
  positional: ['orderId'],
  input: z.object({ orderId, ...receiver, version }),
  async run({ orderId: id, version, ...corrections }, context) {
    const replacement = { id, version, receiver: toReceiver(corrections), ...(await context.operation()) };
    const order = await replaceInvoice(replacement, context);
    return toChangedResult(order, `The invoice of order ${id} is being replaced.`, context);
  },
});

export const invoicesCredit = command({
  name: 'invoices credit',
  summary: 'Issue a credit note of a part of an invoice, or of all of it; orders refund does so for what it records',
  example: '42 --line 7001:1 --form 03',
  positional: ['orderId'],
  input: z.object({
    orderId,
    ...returned,
    form: paymentForm.optional(),
    reason: requiredText(200).meta({ title: 'text' }).optional(),
    again: flag.describe('though there is an equal credit note'),
    version,
  }),
  check: checkReturned,
  async run({ orderId: id, form, reason: purpose, again: isAgain, version, ...asked }, context) {
    const credit = { id, version, ...toAskedParts(asked), form, purpose, isAgain, ...(await context.operation()) };
    const order = await creditInvoice(credit, context.table);
    const left = getCreditableCents(order) ?? 0;
    const what = `A credit note of ${formatCents(order.documents.at(-1)?.amountCents ?? 0)} is being issued for the invoice of order ${id}`;
    return toChangedResult(order, `${what}, of which ${formatCents(left)} is left.`, context);
  },
});

const MAIL_TEXTS = {
  due: { es: 'se intenta de nuevo más tarde', en: 'due' },
  sending: { es: 'se está enviando', en: 'sending' },
  unconfirmed: { es: 'no se sabe si salió', en: 'unconfirmed' },
  given_up: { es: 'ya no se intenta', en: 'given up' },
  no_sender: { es: 'la etapa no tiene remitente', en: 'the stage has no sender' },
} as const satisfies Readonly<Record<string, Text>>;

export const invoicesResend = command({
  name: 'invoices resend',
  summary:
    'Send the mails now that may not have arrived, of an invoice, another document or a cancellation, or that of the invoice again',
  example: '42',
  positional: ['orderId'],
  input: z.object({ orderId, version }),
  async run({ orderId: id, version }, context) {
    if (!hasSender()) throw refusedToOperator('mail_not_sent', { order: id, status: MAIL_TEXTS.no_sender });
    const states = await resendMail({ id, version }, await context.act(), context);
    const unsent = states.find((state) => state !== 'sent');
    if (unsent) throw refusedToOperator('mail_not_sent', { order: id, status: MAIL_TEXTS[unsent] });
    return { document: { order: id, mail: 'sent' } };
  },
});

export const invoiceCommands: readonly Command[] = [
  invoicesList,
  invoicesIssue,
  invoicesCancel,
  invoicesReplace,
  invoicesCredit,
  invoicesResend,
  invoicesFiles,
  invoicesGlobal,
  accountingExport,
  dispensingExport,
];
