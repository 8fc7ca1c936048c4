import { fiscalText } from '../../domain/text.ts';

/** Of an RFC: a person (persona física, 13 characters) or a company (persona moral, 12). */
export type TaxpayerKind = 'person' | 'company';

type Regime = { readonly name: string; readonly kinds: readonly TaxpayerKind[] };
type Use = { readonly name: string; readonly kinds: readonly TaxpayerKind[]; readonly regimes: readonly string[] };

const PERSON = ['person'] as const;
const COMPANY = ['company'] as const;
const BOTH = ['person', 'company'] as const;

/** SAT's c_RegimenFiscal of CFDI 4.0, as of August 2026. */
export const REGIMES: Readonly<Record<string, Regime>> = {
  601: { name: 'General de Ley Personas Morales', kinds: COMPANY },
  603: { name: 'Personas Morales con Fines no Lucrativos', kinds: COMPANY },
  605: { name: 'Sueldos y Salarios e Ingresos Asimilados a Salarios', kinds: PERSON },
  606: { name: 'Arrendamiento', kinds: PERSON },
  607: { name: 'Régimen de Enajenación o Adquisición de Bienes', kinds: PERSON },
  608: { name: 'Demás ingresos', kinds: PERSON },
  610: { name: 'Residentes en el Extranjero sin Establecimiento Permanente en México', kinds: BOTH },
  611: { name: 'Ingresos por Dividendos (socios y accionistas)', kinds: PERSON },
  612: { name: 'Personas Físicas con Actividades Empresariales y Profesionales', kinds: PERSON },
  614: { name: 'Ingresos por intereses', kinds: PERSON },
  615: { name: 'Régimen de los ingresos por obtención de premios', kinds: PERSON },
  616: { name: 'Sin obligaciones fiscales', kinds: PERSON },
  620: { name: 'Sociedades Cooperativas de Producción que optan por diferir sus ingresos', kinds: COMPANY },
  621: { name: 'Incorporación Fiscal', kinds: PERSON },
  622: { name: 'Actividades Agrícolas, Ganaderas, Silvícolas y Pesqueras', kinds: COMPANY },
  623: { name: 'Opcional para Grupos de Sociedades', kinds: COMPANY },
  624: { name: 'Coordinados', kinds: COMPANY },
  625: {
    name: 'Régimen de las Actividades Empresariales con ingresos a través de Plataformas Tecnológicas',
    kinds: PERSON,
  },
  626: { name: 'Régimen Simplificado de Confianza', kinds: BOTH },
};

const OF_A_BUSINESS = ['601', '603', '606', '612', '620', '621', '622', '623', '624', '625', '626'];
const OF_A_PERSON = ['605', '606', '607', '608', '611', '612', '614', '615', '625'];
const BUSINESS = { kinds: BOTH, regimes: OF_A_BUSINESS };
const DEDUCTION = { kinds: PERSON, regimes: OF_A_PERSON };

/** SAT's c_UsoCFDI of CFDI 4.0, as of August 2026, by receivers' regimes, without CP01 and CN01, which are never for a sale. */
export const USES: Readonly<Record<string, Use>> = {
  G01: { name: 'Adquisición de mercancías', ...BUSINESS },
  G02: { name: 'Devoluciones, descuentos o bonificaciones', kinds: BOTH, regimes: [...OF_A_BUSINESS, '616'] },
  G03: { name: 'Gastos en general', ...BUSINESS },
  I01: { name: 'Construcciones', ...BUSINESS },
  I02: { name: 'Mobiliario y equipo de oficina por inversiones', ...BUSINESS },
  I03: { name: 'Equipo de transporte', ...BUSINESS },
  I04: { name: 'Equipo de cómputo y accesorios', ...BUSINESS },
  I05: { name: 'Dados, troqueles, moldes, matrices y herramental', ...BUSINESS },
  I06: { name: 'Comunicaciones telefónicas', ...BUSINESS },
  I07: { name: 'Comunicaciones satelitales', ...BUSINESS },
  I08: { name: 'Otra maquinaria y equipo', ...BUSINESS },
  D01: { name: 'Honorarios médicos, dentales y gastos hospitalarios', ...DEDUCTION },
  D02: { name: 'Gastos médicos por incapacidad o discapacidad', ...DEDUCTION },
  D03: { name: 'Gastos funerales', ...DEDUCTION },
  D04: { name: 'Donativos', ...DEDUCTION },
  D05: { name: 'Intereses reales efectivamente pagados por créditos hipotecarios (casa habitación)', ...DEDUCTION },
  D06: { name: 'Aportaciones voluntarias al SAR', ...DEDUCTION },
  D07: { name: 'Primas por seguros de gastos médicos', ...DEDUCTION },
  D08: { name: 'Gastos de transportación escolar obligatoria', ...DEDUCTION },
  D09: {
    name: 'Depósitos en cuentas para el ahorro, primas que tengan como base planes de pensiones',
    ...DEDUCTION,
  },
  D10: { name: 'Pagos por servicios educativos (colegiaturas)', ...DEDUCTION },
  S01: { name: 'Sin efectos fiscales', kinds: BOTH, regimes: Object.keys(REGIMES) },
};

/** SAT's c_FormaPago of CFDI 4.0. */
export const PAYMENT_FORMS: Readonly<Record<string, string>> = {
  '01': 'Efectivo',
  '02': 'Cheque nominativo',
  '03': 'Transferencia electrónica de fondos',
  '04': 'Tarjeta de crédito',
  '05': 'Monedero electrónico',
  '06': 'Dinero electrónico',
  '08': 'Vales de despensa',
  '12': 'Dación en pago',
  '13': 'Pago por subrogación',
  '14': 'Pago por consignación',
  '15': 'Condonación',
  '17': 'Compensación',
  '23': 'Novación',
  '24': 'Confusión',
  '25': 'Remisión de deuda',
  '26': 'Prescripción o caducidad',
  '27': 'A satisfacción del acreedor',
  '28': 'Tarjeta de débito',
  '29': 'Tarjeta de servicios',
  '30': 'Aplicación de anticipos',
  '31': 'Intermediario pagos',
  '99': 'Por definir',
};

/**
 * A pharmacy's units of SAT's c_ClaveUnidad, whose names a concept repeats as `Unidad` (guide of Anexo 20). From
 * phpcfdi/resources-sat-catalogs (The Unlicense), `database/data/cfdi_40_claves_unidades.sql`, 2026-08-06; all in force.
 */
export const UNIT_NAMES: Readonly<Record<string, string>> = {
  H87: 'Pieza',
  EA: 'Elemento',
  C62: 'Uno',
  XUN: 'Unidad',
  E48: 'Unidad de servicio',
  ACT: 'Actividad',
  XBX: 'Caja',
  XPK: 'Paquete',
  NMP: 'Número de paquetes',
  XCT: 'Cartón',
  XCS: 'Estuche',
  XBO: 'Botella no-protegida y cilíndrica',
  XCI: 'Frasco',
  XVI: 'Frasco pequeño',
  XGR: 'Recipiente de vidrio',
  XJR: 'Tarro',
  XTU: 'Tubo',
  XTD: 'Tubo plegable',
  XTV: 'Tubo con boquilla',
  XAE: 'Aerosol',
  '06': 'Pequeño aerosol',
  XAM: 'Ampolleta no protegida',
  XAP: 'Ampolleta protegida',
  XAV: 'Cápsula',
  XT1: 'Tableta',
  U2: 'Número de tabletas',
  XDN: 'Dispensador',
  SYR: 'Jeringuilla',
  E27: 'Dosis',
  FG: 'Parche transdérmico',
  XEN: 'Sobre',
  XSH: 'Bolsa pequeña hermética',
  XPO: 'Bolsa pequeña',
  XBG: 'Bolso',
  XRO: 'Rollo',
  XPA: 'Cajetilla',
  KT: 'Kit',
  XKI: 'Kit (Conjunto de piezas)',
  SET: 'Conjunto',
  PR: 'Par',
  DZN: 'Docena',
  XLT: 'Lote',
  AS: 'Variedad',
  GRM: 'Gramo',
  KGM: 'Kilogramo',
  MGM: 'Miligramo',
  MLT: 'Mililitro',
  LTR: 'Litro',
  CMT: 'Centímetro',
  MTR: 'Metro',
};

const UNIT_NAME_LENGTH = 20;

/** Returns a unit's name, cut to the length of a CFDI; undefined for a key outside the table. */
export function toUnitName(unitKey: string): string | undefined {
  const name = UNIT_NAMES[unitKey];
  return name === undefined ? undefined : fiscalText(name, UNIT_NAME_LENGTH);
}
