import * as sdk from 'a2a-js-03/client';
import { GrpcTransportFactory } from 'a2a-js-03/client/grpc';
import { tour03 } from './tour03.mjs';

await tour03(sdk, { transports: [new GrpcTransportFactory()] });
