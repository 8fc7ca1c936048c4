import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { DEMO_API_KEY } from '../../../infra/local/seed.ts';

/*
 * A person whose data appears nowhere else, an order of theirs with every field, and a search for that data in texts
 * that must not have it.
 */

const DOCUMENT = Buffer.from('%PDF-1.4\nPlantadocumento\n%%EOF\n').toString('base64');

export const PERSON = {
  email: 'planta.correo@plantada.example',
  first_name: 'Plantanombre',
  last_name: 'Plantapaterno',
  phone: '+525587650011',
  second_last_name: 'Plantamaterno',
  sex: 'F',
  birthdate: '1971-03-19',
  medical_condition: 'Plantadiagnóstico',
};
export const ADDRESS = {
  name: 'Plantacasa',
  street: 'Plantacalle',
  exterior_number: '77-Pext',
  interior_number: '88-Pint',
  neighborhood: 'Plantacolonia',
  city: 'Plantaciudad',
  state: 'Plantaestado',
  country: 'México',
  zipcode: '06711',
  phone: '+525587650022',
  additional_info: 'Plantareferencia',
  latitude: '19.417333',
  longitude: '-99.168333',
};
export const INVOICING = {
  full_name: 'PLANTARAZON SOCIAL',
  rfc: 'PLAN710319AB1',
  street: 'Plantacalle fiscal',
  exterior_number: '99-Pext',
  neighborhood: 'Plantacolonia fiscal',
  city: 'Plantaciudad fiscal',
  state: 'Plantaestado fiscal',
  country: 'Plantapaís fiscal',
  zipcode: '06722',
  cfdi_use: 'G03',
  fiscal_regime: '612',
  email: 'planta.factura@plantada.example',
  latitude: '19.417444',
  longitude: '-99.168444',
};
export const prescription = () => ({
  document: DOCUMENT,
  issue_date: '2026-01-19',
  document_name: 'Plantareceta.pdf',
  expiring_date: '2999-03-19',
});
export const line = () => ({ product: 1, quantity: 1 });
export const ORDER = {
  user: PERSON,
  order: {
    details: [line(), line()],
    payment_method: 1,
    shipping: ADDRESS,
    coupon: 'PLANTACUPON',
    prescriptions: [prescription(), prescription()],
    comments: 'Plantacomentario',
  },
  invoicing: INVOICING,
};

// Most values contain 'planta'; the others are the values that cannot.
const PLANTED = [
  'planta',
  ...[PERSON.phone, ADDRESS.phone, '5587650011', '5587650022', PERSON.birthdate],
  ...[ADDRESS, INVOICING].flatMap((one) => [one.exterior_number, one.latitude, one.longitude.slice(1)]),
  ...[ADDRESS.interior_number, INVOICING.rfc, DOCUMENT, Buffer.from('Plantadocumento').toString('base64').slice(0, 16)],
  DEMO_API_KEY,
];
// The word boundaries keep it from matching inside longer numbers, such as a reference that happens to have these digits.
export const ZIP_CODES = /\b067(11|22)\b/;
/** Finds each part of the person's data, in whichever way it is stored. */
export const TRACES = new RegExp(
  `planta|55876500|1971-03-19|(77|99)-Pext|88-Pint|${ZIP_CODES.source}|19\\.417|99\\.168|PLAN710319|%PDF-1\\.4`,
  'i',
);

/** Returns the personal data and API keys that a text contains. */
export function leaksIn(text: string): string[] {
  const plain = text.toLowerCase();
  return PLANTED.filter(
    (one) => plain.includes(one.toLowerCase()) || plain.includes(encodeURIComponent(one).toLowerCase()),
  );
}

/** Lists the items of the server's whole table, and the objects of its documents bucket, that have a text of this form. */
export async function findTraces(form: RegExp): Promise<string[]> {
  return [...(await tracesInTable(form)), ...(await tracesInBucket(form))].sort();
}

async function tracesInTable(form: RegExp): Promise<string[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const found: string[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: process.env.TABLE_NAME })) {
    for (const item of Items) {
      const text = JSON.stringify(item, (_, value) => (value instanceof Set ? [...value] : value));
      // The attributes of an item have no order.
      const met = [...new Set(text.match(new RegExp(form, 'g')))].sort();
      if (met.length > 0) found.push(`${item.pk} ${item.sk}: ${met.join(' ')}`);
    }
  }
  client.destroy();
  return found;
}

async function tracesInBucket(form: RegExp): Promise<string[]> {
  const s3 = new S3Client({ forcePathStyle: true });
  const Bucket = process.env.DOCUMENTS_BUCKET;
  const { Contents = [] } = await s3.send(new ListObjectsCommand({ Bucket }));
  const found: string[] = [];
  for (const { Key } of Contents) {
    const object = await s3.send(new GetObjectCommand({ Bucket, Key }));
    const text = `${Key} ${object.ContentDisposition} ${await object.Body?.transformToString()}`;
    if (form.test(text)) found.push(text.slice(0, 200));
  }
  s3.destroy();
  return found;
}
