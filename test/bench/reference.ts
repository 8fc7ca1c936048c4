import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// This bare server is the baseline: it answers the number of bytes in the path and ignores the rest of the request.
const answers = new Map<string, Buffer>();
const server = createServer((request, response) => {
  const url = request.url ?? '';
  const body = answers.get(url) ?? Buffer.alloc(Number(url.slice(1)), 'x');
  answers.set(url, body);
  request.resume().on('end', () => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`ready ${(server.address() as AddressInfo).port}`));
process.on('SIGINT', () => process.exit(0));
