import { enginePorts, startEngines } from './engines/engines.ts';
import { emptyFolder, openFolder } from './engines/folder.ts';
import { lockFolder } from './engines/folder-lock.ts';
import { expectFreePorts } from './engines/ports.ts';
import { type Environment, localDirectory, localPorts, notePorts } from './environment.ts';
import { createSpaceWatch, type SpaceWatch } from './free-space.ts';
import { explainFailedStart } from './no-room.ts';
import { loadHandlers, startService } from './service.ts';
import { welcome } from './welcome.ts';

export type Stop = () => Promise<void>;

export type StartOptions = {
  /** Keeps or removes the data of an earlier run. */
  readonly data: 'kept' | 'emptied';
  /** Once aborted, the start ends after the current step by throwing. */
  readonly signal: AbortSignal;
  /** Receives a function to stop each started part, in order, also if the start fails. */
  readonly stops: Stop[];
};

/**
 * Starts the service on this machine: engines, table and buckets, demonstration catalog, client and users, and the real
 * handlers behind the local gateway. Resolves with the text that welcomes its user. Throws LocalServerError for a cause that
 * the user can fix.
 */
export async function startLocalServer(options: StartOptions): Promise<string> {
  const environment = { ...process.env };
  const directory = localDirectory(environment);
  const space = createSpaceWatch({ directory, report });
  options.stops.push(space.stop);
  try {
    space.start();
    return await startParts({ ...options, environment, directory, space });
  } catch (error) {
    throw explainFailedStart(error, directory, space);
  }
}

type Parts = StartOptions & {
  readonly environment: Environment;
  readonly directory: string;
  readonly space: SpaceWatch;
};

async function startParts({ data, environment, directory, space, signal, stops }: Parts): Promise<string> {
  await openFolder(directory);
  stops.push(lockFolder(directory));
  await expectFreePorts([{ port: localPorts(environment).PORT, variable: 'PORT' }, ...enginePorts(environment)]);
  if (data === 'emptied') await emptyFolder(directory);
  notePorts(directory, environment);
  const loading = loadHandlers();
  // Its failure is thrown where it is awaited, after the engines can be stopped.
  loading.catch(() => undefined);
  const engines = await startEngines(environment, report);
  stops.push(engines.stop);
  signal.throwIfAborted();
  await loading;
  // The handlers need not go through the guard of the engine's port.
  if (engines.dynamoDbUrl) process.env.AWS_ENDPOINT_URL_DYNAMODB = engines.dynamoDbUrl;
  return welcome(await startService({ environment, directory, space, report, signal, stops }));
}

const report = (line: string): void => {
  process.stderr.write(`${line}\n`);
};
