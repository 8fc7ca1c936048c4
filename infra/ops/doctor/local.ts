import { askForDisk } from '../../local/control-disk.ts';
import { LEAST_FREE_BYTES, toMegabytes } from '../../local/free-space.ts';
import { setting } from '../command.ts';
import { LOCAL_ENGINES } from '../target/local-engines.ts';
import type { Check, Finding } from './check.ts';

// An engine answers in milliseconds; one that hangs is as good as ended.
const ENGINE_MS = 3_000;

/** The checks of a local server's own parts, which have nothing to look at on AWS. */
export const LOCAL_CHECKS: readonly Check[] = [
  {
    name: 'engines',
    needs: LOCAL_ENGINES.map(({ endpoint }) => endpoint),
    remedy: 'Stop the local server with Ctrl-C, and start it again: `npm start`.',
    look: checkEngines,
  },
  {
    name: 'free space',
    needs: ['AWS_ENDPOINT_URL_API_GATEWAY'],
    remedy: 'Make room on the disk of the data folder: the local server then serves writes again by itself.',
    look: checkSpace,
  },
];

async function checkEngines(): Promise<Finding> {
  const answers = await Promise.all(LOCAL_ENGINES.map(({ endpoint }) => answersAt(process.env[endpoint] ?? '')));
  const silent = LOCAL_ENGINES.filter((_, index) => !answers[index]);
  if (silent.length === 0) return { ok: LOCAL_ENGINES.map(({ name }) => name).join(', ') };
  return {
    failed: silent.map(({ name, endpoint }) => `${name} does not answer at ${process.env[endpoint]}.`).join(' '),
  };
}

// Any answer will do: S3 refuses a GET.
async function answersAt(url: string): Promise<boolean> {
  try {
    const { body } = await fetch(url, { signal: AbortSignal.timeout(ENGINE_MS) });
    await body?.cancel();
    return true;
  } catch {
    return false;
  }
}

async function checkSpace(): Promise<Finding> {
  const control = setting('AWS_ENDPOINT_URL_API_GATEWAY');
  const disk = await askForDisk(control);
  if (!disk) return { skipped: `It needs the local server, which does not answer at ${control}.` };
  const free = toMegabytes(disk.freeBytes);
  if (disk.shortage === null) return { ok: `${free} for ${disk.directory}` };
  return {
    failed: `Only ${free} are free for ${disk.directory}: writes are answered 503 below ${toMegabytes(LEAST_FREE_BYTES)}.`,
  };
}
