import { invoicingInput } from '../../../shared/api/people/addresses.ts';
import { emailAddress } from '../input.ts';

const { rfc, full_name, fiscal_regime, cfdi_use, zipcode } = invoicingInput.shape;

/** The options that correct the receiver of an invoice; the others of its fields stay. */
export const receiverOptions = {
  rfc: rfc.meta({ title: 'RFC' }).optional(),
  fullName: full_name.meta({ title: 'name' }).optional(),
  fiscalRegime: fiscal_regime.meta({ title: 'NNN' }).optional(),
  cfdiUse: cfdi_use.meta({ title: 'use' }).optional(),
  zipcode: zipcode.meta({ title: 'zip code' }).optional(),
  email: emailAddress.optional(),
};

type Corrections = Readonly<Record<keyof typeof receiverOptions, string | undefined>>;

/** Returns the corrections by the names that the fields of a receiver have in the API. */
export const toReceiver = ({ rfc, fullName, fiscalRegime, cfdiUse, zipcode, email }: Corrections) => ({
  rfc,
  full_name: fullName,
  fiscal_regime: fiscalRegime,
  cfdi_use: cfdiUse,
  zipcode,
  email,
});
