import { Server, ServerCredentials } from '@grpc/grpc-js';

/** Serves what make returns for a host and port over gRPC. */
export async function serveGRPC(definition, make) {
  const server = new Server();
  const port = await new Promise((bound, failed) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (err, at) => (err ? failed(err) : bound(at)));
  });
  server.addService(definition, make(`127.0.0.1:${port}`)); // nobody knows the port yet
}
