import { routes } from '../../../shared/api/routes.ts';
import { REFUSALS } from '../../../shared/messages/refusals.ts';
import { type GatewayAnswer, gatewayAnswers } from '../../gateway-answers.ts';
import { openapi } from './openapi.ts';
import type { Edge } from './refusals.ts';

/** The description of every route of the table, with what the handlers' edge and the gateway say. */
export const describeApi = () => openapi(routes, { refusals: refusals(), gateway: gatewayRefusals() });

function refusals(): Edge['refusals'] {
  const said = Object.entries(REFUSALS).map(([code, { status, es }]) => [code, { status, detail: es }]);
  return Object.fromEntries(said) as Edge['refusals'];
}

function gatewayRefusals(): Edge['gateway'] {
  const answers = Object.entries<GatewayAnswer>(gatewayAnswers);
  const said = answers.map(([code, { statusCode, detail }]) => [code, { status: statusCode, detail }]);
  return Object.fromEntries(said) as Edge['gateway'];
}
