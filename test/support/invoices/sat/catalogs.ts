/*
 * SAT's catalogs of CFDI 4.0, copied by hand. Its letters: F is a persona física, M a persona moral.
 */

const splitLines = (text: string): string[] => text.trim().split('\n');

export const C_REGIMEN_FISCAL = splitLines(`
601 M General de Ley Personas Morales
603 M Personas Morales con Fines no Lucrativos
605 F Sueldos y Salarios e Ingresos Asimilados a Salarios
606 F Arrendamiento
607 F Régimen de Enajenación o Adquisición de Bienes
608 F Demás ingresos
610 FM Residentes en el Extranjero sin Establecimiento Permanente en México
611 F Ingresos por Dividendos (socios y accionistas)
612 F Personas Físicas con Actividades Empresariales y Profesionales
614 F Ingresos por intereses
615 F Régimen de los ingresos por obtención de premios
616 F Sin obligaciones fiscales
620 M Sociedades Cooperativas de Producción que optan por diferir sus ingresos
621 F Incorporación Fiscal
622 M Actividades Agrícolas, Ganaderas, Silvícolas y Pesqueras
623 M Opcional para Grupos de Sociedades
624 M Coordinados
625 F Régimen de las Actividades Empresariales con ingresos a través de Plataformas Tecnológicas
626 FM Régimen Simplificado de Confianza`);

export const C_USO_CFDI = splitLines(`
D01 F Honorarios médicos, dentales y gastos hospitalarios
D02 F Gastos médicos por incapacidad o discapacidad
D03 F Gastos funerales
D04 F Donativos
D05 F Intereses reales efectivamente pagados por créditos hipotecarios (casa habitación)
D06 F Aportaciones voluntarias al SAR
D07 F Primas por seguros de gastos médicos
D08 F Gastos de transportación escolar obligatoria
D09 F Depósitos en cuentas para el ahorro, primas que tengan como base planes de pensiones
D10 F Pagos por servicios educativos (colegiaturas)
G01 FM Adquisición de mercancías
G02 FM Devoluciones, descuentos o bonificaciones
G03 FM Gastos en general
I01 FM Construcciones
I02 FM Mobiliario y equipo de oficina por inversiones
I03 FM Equipo de transporte
I04 FM Equipo de cómputo y accesorios
I05 FM Dados, troqueles, moldes, matrices y herramental
I06 FM Comunicaciones telefónicas
I07 FM Comunicaciones satelitales
I08 FM Otra maquinaria y equipo
S01 FM Sin efectos fiscales`);

export const C_FORMA_PAGO = splitLines(`
01 Efectivo
02 Cheque nominativo
03 Transferencia electrónica de fondos
04 Tarjeta de crédito
05 Monedero electrónico
06 Dinero electrónico
08 Vales de despensa
12 Dación en pago
13 Pago por subrogación
14 Pago por consignación
15 Condonación
17 Compensación
23 Novación
24 Confusión
25 Remisión de deuda
26 Prescripción o caducidad
27 A satisfacción del acreedor
28 Tarjeta de débito
29 Tarjeta de servicios
30 Aplicación de anticipos
31 Intermediario pagos
99 Por definir`);

/** The uses, and the regimes of a receiver that they go with. */
export const REGIMES_OF_USES = [
  ['G01 G03 I01 I02 I03 I04 I05 I06 I07 I08', '601 603 606 612 620 621 622 623 624 625 626'],
  ['G02', '601 603 606 612 616 620 621 622 623 624 625 626'],
  ['D01 D02 D03 D04 D05 D06 D07 D08 D09 D10', '605 606 607 608 611 612 614 615 625'],
  ['S01', '601 603 605 606 607 608 610 611 612 614 615 616 620 621 622 623 624 625 626'],
] as const;
