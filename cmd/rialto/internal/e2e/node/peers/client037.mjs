import * as sdk from 'a2a-js-037/client';
import { tour03 } from './tour03.mjs';

await tour03(sdk, { lists: process.env.RIALTO_BINDING !== 'HTTP+JSON' }); // it takes the list for an array
