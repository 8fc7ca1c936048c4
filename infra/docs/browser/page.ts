import { setUpCredentials } from './credentials.ts';
import { setUpSamples } from './samples.ts';
import { setUpSearch } from './search.ts';
import { setUpTries } from './try.ts';

setUpSearch();
setUpSamples();
setUpTries(setUpCredentials());
