import { readFileSync } from 'node:fs';
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
  'catalogos/catCFDI.xsd',
] as const;

const ROOT = '/sat';

// A schema that holds both, since neither of SAT's imports the other.
const BOTH = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:import namespace="http://www.sat.gob.mx/cfd/4" schemaLocation="${ROOT}/4/cfdv40.xsd"/>
  <xs:import namespace="http://www.sat.gob.mx/Pagos20" schemaLocation="${ROOT}/Pagos/Pagos20.xsd"/>
</xs:schema>`;

/** Opens the schemas of a folder. */
export function openValidator(folder: string): XsdValidator {
  const files = FILES.map((file): [string, Uint8Array] => [`${ROOT}/${file}`, readFileSync(join(folder, file))]);
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
