import type { FiscalDocument } from '../../shared/invoices/rules/build/cfdi.ts';
import { writeCfdi } from '../../shared/invoices/sandbox/cfdi.ts';
import { sampleInvoice } from '../support/invoices/provider-suite.ts';
import { sampleCredit, sampleGlobal, samplePayment, sandboxDocument } from '../support/invoices/tax-documents.ts';
import { findFaults, openValidator } from './validator.ts';

const UUID = '39C85A3F-275B-4341-B259-E8971D9F8A94';

const DOCUMENTS: Readonly<Record<string, FiscalDocument>> = {
  'an invoice': sampleInvoice(),
  'an invoice that is paid later': { ...sampleInvoice(), paymentMethod: 'PPD', paymentForm: '99' },
  'an invoice of a branch': { ...sampleInvoice(), expeditionZipcode: '64000' },
  'a replacement': { ...sampleInvoice(), replacesUuid: UUID },
  'a payment complement': samplePayment(),
  'a credit note': sampleCredit(),
  'a global invoice': sampleGlobal(),
};

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder of the schemas: npx node test/schemas/run.ts <folder>');
const validator = openValidator(folder);
let invalid = 0;
for (const [name, document] of Object.entries(DOCUMENTS)) {
  const xml = writeCfdi(sandboxDocument(document));
  const faults = findFaults(validator, xml);
  // A validator that refuses nothing would prove nothing.
  const isChecked = findFaults(validator, xml.replace(/ SubTotal="[^"]*"/, '')).length > 0;
  if (faults.length > 0 || !isChecked) invalid++;
  console.log(`${name}: ${isChecked ? faults.join('; ') || 'valid' : 'was not checked'}`);
}
process.exitCode = invalid === 0 ? 0 : 1;
