import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  XmlBufferInputProvider,
  XmlDocument,
  XmlValidateError,
  XsdValidator,
  xmlRegisterInputProvider,
} from 'libxml2-wasm';

// SAT's files under the paths by which they import each other.
const FILES = [
  '4/cfdv40.xsd',
  'Pagos/Pagos20.xsd',
  'tipoDatos/tdCFDI/tdCFDI.xsd',
  'catalogos/Pagos/catPagos.xsd',
] as const;
const CATALOGS = 'catalogos/catCFDI.xsd';

const ROOT = '/sat';
const CATALOGS_NAMESPACE = 'http://www.sat.gob.mx/sitio_internet/cfd/catalogos';

/** The types of catCFDI.xsd: the codes of small catalogs, the pattern of large ones (codes of August 2026). */
const TYPES: Readonly<Record<string, string | RegExp>> = {
  c_ClaveProdServ: /[0-9]{8}/,
  c_ClaveUnidad: /[0-9A-Z]{2,3}/,
  c_CodigoPostal: /[0-9]{5}/,
  c_Exportacion: '01 02 03 04',
  c_FormaPago: '01 02 03 04 05 06 08 12 13 14 15 17 23 24 25 26 27 28 29 30 31 99',
  c_Impuesto: '001 002 003',
  c_Meses: '01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18',
  c_MetodoPago: 'PUE PPD',
  c_Moneda: 'MXN XXX',
  c_ObjetoImp: '01 02 03 04 05 06 07 08',
  c_Pais: 'MEX',
  c_Periodicidad: '01 02 03 04 05',
  c_RegimenFiscal: '601 603 605 606 607 608 610 611 612 614 615 616 620 621 622 623 624 625 626',
  c_TipoDeComprobante: 'I E T N P',
  c_TipoFactor: 'Tasa Cuota Exento',
  c_TipoRelacion: '01 02 03 04 05 06 07',
  c_UsoCFDI: 'G01 G02 G03 I01 I02 I03 I04 I05 I06 I07 I08 D01 D02 D03 D04 D05 D06 D07 D08 D09 D10 S01 CP01 CN01',
};

function writeCatalogs(): string {
  const types = Object.entries(TYPES).map(([name, codes]) => {
    const facets =
      codes instanceof RegExp
        ? `<xs:pattern value="${codes.source}"/>`
        : codes
            .split(' ')
            .map((code) => `<xs:enumeration value="${code}"/>`)
            .join('');
    return `<xs:simpleType name="${name}"><xs:restriction base="xs:string">${facets}</xs:restriction></xs:simpleType>`;
  });
  const start = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="${CATALOGS_NAMESPACE}">`;
  return `${start}${types.join('')}</xs:schema>`;
}

// A schema that holds both, since neither of SAT's imports the other.
const BOTH = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:import namespace="http://www.sat.gob.mx/cfd/4" schemaLocation="${ROOT}/4/cfdv40.xsd"/>
  <xs:import namespace="http://www.sat.gob.mx/Pagos20" schemaLocation="${ROOT}/Pagos/Pagos20.xsd"/>
</xs:schema>`;

/** Opens the schemas of a folder. Without SAT's own catCFDI.xsd, which is large, its types are those above. */
export function openValidator(folder: string): XsdValidator {
  const read = (file: string): [string, Uint8Array] => [`${ROOT}/${file}`, readFileSync(join(folder, file))];
  const hasCatalogs = existsSync(join(folder, CATALOGS));
  const written: [string, Uint8Array] = [`${ROOT}/${CATALOGS}`, new TextEncoder().encode(writeCatalogs())];
  const files = [...FILES.map(read), hasCatalogs ? read(CATALOGS) : written];
  xmlRegisterInputProvider(new XmlBufferInputProvider(Object.fromEntries(files)));
  return XsdValidator.fromDoc(XmlDocument.fromString(BOTH, { url: `${ROOT}/both.xsd` }));
}

// libxml2 writes `{namespace}name`.
const NAMESPACES = /\{http[^}]*\}/g;

/** Returns what the schemas refuse in a document, in the words of libxml2; empty if it is valid. */
export function findFaults(validator: XsdValidator, xml: string): string[] {
  const document = XmlDocument.fromString(xml);
  try {
    validator.validate(document);
    return [];
  } catch (error) {
    if (!(error instanceof XmlValidateError)) throw error;
    return error.details.map(({ message }) => message.replaceAll(NAMESPACES, '').trim());
  } finally {
    document.dispose();
  }
}
