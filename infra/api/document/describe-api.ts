import { routes } from '../../../shared/api/routes.ts';
import { STATUS } from '../../../shared/http/errors.ts';
import { say } from '../../../shared/messages/messages.ts';
import { type GatewayAnswer, gatewayAnswers } from '../../gateway-answers.ts';
import { openapi } from './openapi.ts';
import type { Edge } from './refusals.ts';

/** The description of every route of the table, with what the handlers' edge and the gateway say. */
export const describeApi = () => openapi(routes, { refusals: refusals(), gateway: gatewayRefusals() });

function refusals(): Edge['refusals'] {
  const statuses = Object.entries({ ...STATUS, internal_error: 500 });
  const said = statuses.map(([code, status]) => [code, { status, detail: say({ code }, 'es') }]);
  return Object.fromEntries(said) as Edge['refusals'];
}

function gatewayRefusals(): Edge['gateway'] {
  const answers = Object.entries<GatewayAnswer>(gatewayAnswers);
  const said = answers.map(([code, { statusCode, detail }]) => [code, { status: statusCode, detail }]);
  return Object.fromEntries(said) as Edge['gateway'];
}
